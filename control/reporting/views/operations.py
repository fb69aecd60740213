"""The operations on saved views, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, created
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import CAMPAIGN_ID, a_page, after
from control.reporting.views.schemas import (
    ViewCreate,
    ViewList,
    ViewPatch,
    ViewPublic,
    ViewsQuery,
)

VIEW_ID = "01940b3e-0000-7000-8000-0000000000f2"
_NEEDS = {Auth.ACCESS_TOKEN: Permission.REPORTS_READ}
_ID = {"id": "Id of the view."}
_ETAG = {"ETag": "Version of the view, for `If-Match`."}
_QUESTION = {
    "range": "28d",
    "group_by": ["ad"],
    "metrics": ["impressions", "clicks", "ctr", "spend_cents"],
    "compare": True,
    "campaign_id": [CAMPAIGN_ID],
}
_BODY = {"name": "Ads of the spring launch", "is_shared": True, "question": _QUESTION}
_VIEW = {
    "id": VIEW_ID,
    "name": "Ads of the spring launch",
    "is_shared": True,
    "is_own": True,
    "is_test": False,
    "question": _QUESTION,
    "version": 1,
    "created_at": "2026-02-20T12:00:00.000Z",
    "updated_at": "2026-02-20T12:00:00.000Z",
}

CREATE = Operation(
    id="createReportView",
    method="POST",
    path="/v1/reports/views",
    tag="Reports",
    summary="Save a view",
    description=(
        "Saves the parameters of a report under a name, for the caller alone or for everyone in the account. An "
        "account has at most 200 views in each environment; more return 409."
    ),
    needs=_NEEDS,
    query=ViewsQuery,
    body=ViewCreate,
    body_example=_BODY,
    answers=(created("The view.", ViewPublic, _VIEW, _ETAG),),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.LIMIT_REACHED),
    creates=True,
    about="report_view",
)

LIST = Operation(
    id="listReportViews",
    method="GET",
    path="/v1/reports/views",
    tag="Reports",
    summary="List saved views",
    description="The caller's own views and those of the account in one environment, newest first.",
    needs=_NEEDS,
    query=ViewList,
    answers=(Answer(200, "One page of results.", Page[ViewPublic], example=a_page(_VIEW)),),
)

GET = Operation(
    id="getReportView",
    method="GET",
    path="/v1/reports/views/{id}",
    tag="Reports",
    summary="Read a saved view",
    needs=_NEEDS,
    path_params=_ID,
    answers=(Answer(200, "The view.", ViewPublic, headers=_ETAG, example=_VIEW),),
)

PATCH = Operation(
    id="updateReportView",
    method="PATCH",
    path="/v1/reports/views/{id}",
    tag="Reports",
    summary="Change a saved view",
    description=(
        "Omitted fields keep their value; `question` is replaced completely. Only the creator, an owner or an admin "
        "may change a view of the account, and only the creator may make it private again."
    ),
    needs=_NEEDS,
    body=ViewPatch,
    body_example={"name": "Spring launch, by ad"},
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The updated view.",
            ViewPublic,
            headers=_ETAG,
            example=after(_VIEW, name="Spring launch, by ad"),
        ),
    ),
    needs_version=True,
    about="report_view",
)

DELETE = Operation(
    id="deleteReportView",
    method="DELETE",
    path="/v1/reports/views/{id}",
    tag="Reports",
    summary="Delete a saved view",
    needs=_NEEDS,
    path_params=_ID,
    answers=(Answer(204, "Deleted."),),
    accepts_version=True,
    about="report_view",
)
