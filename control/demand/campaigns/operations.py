"""The operations on campaigns, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, created
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.campaigns.action_examples import (
    BULK_BODY,
    BULK_RESULTS,
    CLONE_BODY,
    CLONED,
    DELIVERY,
)
from control.demand.campaigns.action_schemas import BulkBody, BulkPublic, CampaignClone
from control.demand.campaigns.delivery_status.progress_schemas import DeliveryPublic
from control.demand.campaigns.examples import CAMPAIGN, CAMPAIGN_BODY, CAMPAIGN_PATCH
from control.demand.campaigns.schemas import (
    CampaignCreate,
    CampaignList,
    CampaignPatch,
    CampaignPublic,
    EnvironmentQuery,
)
from control.demand.status_operations import StatusOperations
from control.foundation.openapi_examples import a_page, after

_CALLERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READS = dict.fromkeys(_CALLERS, Permission.CAMPAIGN_READ)
_WRITES = dict.fromkeys(_CALLERS, Permission.CAMPAIGN_WRITE)
_ID = {"id": "Id of the campaign."}
_ETAG = {"ETag": "Version of the campaign, for `If-Match`."}

CREATE = Operation(
    id="createCampaign",
    method="POST",
    path="/v1/campaigns",
    tag="Campaigns",
    summary="Create a campaign",
    description=(
        "Creates a `draft`: add ads, then activate it. A key creates campaigns in its own environment and on its own "
        "property. Settings that this release does not support are stored and keep the campaign from delivering; "
        "`delivery_reason` names them."
    ),
    needs=_WRITES,
    query=EnvironmentQuery,
    body_bytes=LARGE_BODY_BYTES,
    body=CampaignCreate,
    body_example=CAMPAIGN_BODY,
    answers=(created("The new campaign, as a draft.", CampaignPublic, CAMPAIGN, _ETAG),),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.ALREADY_EXISTS),
    creates=True,
)

LIST = Operation(
    id="listCampaigns",
    method="GET",
    path="/v1/campaigns",
    tag="Campaigns",
    summary="List campaigns",
    description=(
        "Campaigns of one environment, newest first unless `sort` says otherwise. Filters are combined with AND. A "
        "cursor continues after the last item it returned, even if others change meanwhile; with `sort=updated_at`, a "
        "campaign that changes moves to the end and is returned again."
    ),
    needs=_READS,
    query=CampaignList,
    answers=(Answer(200, "One page of results.", Page[CampaignPublic], example=a_page(CAMPAIGN)),),
)

GET = Operation(
    id="getCampaign",
    method="GET",
    path="/v1/campaigns/{id}",
    tag="Campaigns",
    summary="Read a campaign",
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The campaign.", CampaignPublic, headers=_ETAG, example=CAMPAIGN),),
)

PATCH = Operation(
    id="updateCampaign",
    method="PATCH",
    path="/v1/campaigns/{id}",
    tag="Campaigns",
    summary="Change a campaign",
    description=(
        "Omitted fields keep their value, null clears an optional field. `budget` and `attribution` are merged field "
        "by field; every other value replaces the old one completely. The status changes through the actions "
        "(`/activate`, `/pause`, …), with two exceptions: raising `end_at`, `budget.total_cents` or `goal.total` "
        "reopens a completed campaign, active or paused as it was, and any change turns a rejected campaign into a "
        "draft."
    ),
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=CampaignPatch,
    body_example=CAMPAIGN_PATCH,
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The updated campaign.",
            CampaignPublic,
            headers=_ETAG,
            example=after(CAMPAIGN, bid_cents=300, end_at=None),
        ),
    ),
    errors=(ErrorCode.ALREADY_EXISTS, ErrorCode.INVALID_STATE),
    needs_version=True,
)


GET_DELIVERY = Operation(
    id="getCampaignDelivery",
    method="GET",
    path="/v1/campaigns/{id}/delivery",
    tag="Campaigns",
    summary="Read the delivery of a campaign",
    description=(
        "Whether the campaign delivers and if not why, its progress against its plan, and its figures as of `as_of`."
    ),
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The campaign's delivery.", DeliveryPublic, example=DELIVERY),),
)

CLONE = Operation(
    id="cloneCampaign",
    method="POST",
    path="/v1/campaigns/{id}/clone",
    tag="Campaigns",
    summary="Clone a campaign",
    description=(
        "Creates a draft with the same settings, and its ads as drafts, without `external_ref`, spend and review. To "
        "run a test campaign live, clone it with `environment: live`: the ads keep their content but lose their asset "
        "references, because assets belong to one environment. At most 1,000 ads are cloned. "
        "Cloning ads also needs `ad:write`."
    ),
    needs=_WRITES,
    path_params=_ID,
    body=CampaignClone,
    body_example=CLONE_BODY,
    answers=(created("The new campaign, as a draft.", CampaignPublic, CLONED, _ETAG),),
    creates=True,
)

BULK = Operation(
    id="bulkCampaigns",
    method="POST",
    path="/v1/campaigns/bulk",
    tag="Campaigns",
    summary="Pause, resume or archive many campaigns",
    description=(
        "Applies the action to each campaign separately, as its own endpoint would: a failure changes nothing for the "
        "others. The results are in the order of `ids`; an id that does not exist, or that the caller may not see, is "
        "`not_found` there."
    ),
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=BulkBody,
    body_example=BULK_BODY,
    answers=(Answer(200, "One result per campaign.", BulkPublic, example=BULK_RESULTS),),
)

_STATUS = StatusOperations(
    "campaign", "a", _WRITES, CampaignPublic, after(CAMPAIGN, delivery_reason=None), _ETAG
)

ACTIVATE = _STATUS.change(
    "activate",
    "Changes the status from `draft` or `paused` to `active`: the campaign delivers between its dates, once it has an "
    "active ad. If the account requires review, a live campaign that is not approved changes to `pending_review` "
    "instead.",
    "active",
)
PAUSE = _STATUS.change("pause", "Changes the status from `active` to `paused`.", "paused")
RESUME = _STATUS.change("resume", "Changes the status from `paused` to `active`.", "active")
ARCHIVE = _STATUS.change("archive", "Permanent. The campaign stays readable.", "archived")
APPROVE = _STATUS.approve()
REJECT = _STATUS.reject()
