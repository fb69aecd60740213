"""The operations on campaigns, as the API description shows them."""

from typing import Any

from common.contract.models import Page
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.campaigns.action_examples import (
    APPROVAL,
    BULK_BODY,
    BULK_RESULTS,
    CLONE_BODY,
    CLONED,
    DELIVERY,
    REJECT_BODY,
    REJECTION,
)
from control.demand.campaigns.action_schemas import BulkBody, BulkPublic, CampaignClone, Rejection
from control.demand.campaigns.delivery_status.progress_schemas import DeliveryPublic
from control.demand.campaigns.examples import CAMPAIGN, CAMPAIGN_BODY, CAMPAIGN_PATCH
from control.demand.campaigns.schemas import (
    CampaignCreate,
    CampaignList,
    CampaignPatch,
    CampaignPublic,
    EnvironmentQuery,
)
from control.foundation.openapi_examples import a_page, after

_CALLERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READS = dict.fromkeys(_CALLERS, Permission.CAMPAIGN_READ)
_WRITES = dict.fromkeys(_CALLERS, Permission.CAMPAIGN_WRITE)
_ID = {"id": "The campaign's id."}
_ETAG = {"ETag": "The campaign's version, for `If-Match`."}

CREATE = Operation(
    id="createCampaign",
    method="POST",
    path="/v1/campaigns",
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="Create a campaign",
    description=(
        "Born `draft`: add ads, then activate it. A key creates in its own environment and on its own property. "
        "Terms this release cannot honour are kept, and keep the campaign from delivering; `delivery_reason` "
        "names them."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    query=EnvironmentQuery,
    body_bytes=LARGE_BODY_BYTES,
    body=CampaignCreate,
    body_example=CAMPAIGN_BODY,
    answers=(
        Answer(
            201,
            "The campaign, a draft.",
            CampaignPublic,
            headers={**_ETAG, "Location": "Its path."},
            example=CAMPAIGN,
        ),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.ALREADY_EXISTS),
    creates=True,
)

LIST = Operation(
    id="listCampaigns",
    method="GET",
    path="/v1/campaigns",
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="List campaigns",
    description=(
        "Of one environment, newest first unless `sort` says otherwise. Filters narrow together. A cursor goes on "
        "behind the last row it saw, however the others change meanwhile; sorted by `updated_at`, a campaign that "
        "changes moves to the end and is read again."
    ),
    auth=_CALLERS,
    needs=_READS,
    query=CampaignList,
    answers=(Answer(200, "A page.", Page[CampaignPublic], example=a_page(CAMPAIGN)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET = Operation(
    id="getCampaign",
    method="GET",
    path="/v1/campaigns/{id}",
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="Read a campaign",
    auth=_CALLERS,
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The campaign.", CampaignPublic, headers=_ETAG, example=CAMPAIGN),),
)

PATCH = Operation(
    id="updateCampaign",
    method="PATCH",
    path="/v1/campaigns/{id}",
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="Change a campaign",
    description=(
        "An absent field stays as it is, null clears one that may be empty. `budget` and `attribution` merge field "
        "by field; every other value replaces the old one whole. Status changes by the verbs only, but for two: "
        "raising `end_at`, `budget.total_cents` or `goal.total` reopens a completed campaign, and any change makes "
        "a rejected one a draft again."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=CampaignPatch,
    body_example=CAMPAIGN_PATCH,
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The campaign as it is now.",
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
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="See how a campaign delivers",
    description=(
        "Whether it delivers and if not why, where it stands against its plan, and its figures: all of what is "
        "stored, so as fresh as `as_of`."
    ),
    auth=_CALLERS,
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "How it delivers.", DeliveryPublic, example=DELIVERY),),
)

CLONE = Operation(
    id="cloneCampaign",
    method="POST",
    path="/v1/campaigns/{id}/clone",
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="Clone a campaign",
    description=(
        "A draft with the same terms, and its ads as drafts; without `external_ref`, spend or review. A campaign "
        "tried out in test goes live as a clone with `environment: live`: its ads keep their content, and name no "
        "assets, for those stay in test. At most 1 000 ads come along."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    body=CampaignClone,
    body_example=CLONE_BODY,
    answers=(
        Answer(
            201,
            "The new campaign, a draft.",
            CampaignPublic,
            headers={**_ETAG, "Location": "Its path."},
            example=CLONED,
        ),
    ),
    creates=True,
)

BULK = Operation(
    id="bulkCampaigns",
    method="POST",
    path="/v1/campaigns/bulk",
    plane=Plane.CONTROL,
    tag="Campaigns",
    summary="Pause, resume or archive many campaigns",
    description=(
        "Each by itself, as its own verb would: one that is refused changes nothing of the others. The results come "
        "in the order of `ids`; an id that is absent, or not the caller's, is `not_found` there."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=BulkBody,
    body_example=BULK_BODY,
    answers=(Answer(200, "A result for each.", BulkPublic, example=BULK_RESULTS),),
)


def _verb(name: str, summary: str, description: str, status: str) -> Operation:
    shown = after(CAMPAIGN, status=status, delivery_reason=None)
    return Operation(
        id=f"{name}Campaign",
        method="POST",
        path=f"/v1/campaigns/{{id}}/{name}",
        plane=Plane.CONTROL,
        tag="Campaigns",
        summary=summary,
        description=description,
        auth=_CALLERS,
        needs=_WRITES,
        path_params=_ID,
        answers=(
            Answer(200, "The campaign as it is now.", CampaignPublic, headers=_ETAG, example=shown),
        ),
        errors=(ErrorCode.INVALID_STATE,),
        may_say_version=True,
    )


ACTIVATE = _verb(
    "activate",
    "Start a campaign",
    "From `draft` or `paused` to `active`: it delivers within its flight, once it has an active ad. Where the account "
    "demands review, a live campaign that is not approved goes to `pending_review` instead.",
    "active",
)
PAUSE = _verb("pause", "Pause a campaign", "From `active` to `paused`.", "paused")
RESUME = _verb("resume", "Resume a campaign", "From `paused` to `active`.", "active")
ARCHIVE = _verb("archive", "Archive a campaign", "For good; it is kept and shown.", "archived")


def _decision(name: str, summary: str, description: str, **more: Any) -> Operation:
    """For users only: an integration key cannot approve or reject campaigns that it may have made itself."""
    shown = after(CAMPAIGN, delivery_reason=None, **more.pop("shown"))
    return Operation(
        id=f"{name}Campaign",
        method="POST",
        path=f"/v1/campaigns/{{id}}/{name}",
        plane=Plane.CONTROL,
        tag="Campaigns",
        summary=summary,
        description=description,
        auth=(Auth.ACCESS_TOKEN,),
        needs={Auth.ACCESS_TOKEN: Permission.ACCOUNT_WRITE},
        path_params=_ID,
        answers=(
            Answer(200, "The campaign as it is now.", CampaignPublic, headers=_ETAG, example=shown),
        ),
        errors=(ErrorCode.INVALID_STATE,),
        may_say_version=True,
        **more,
    )


APPROVE = _decision(
    "approve",
    "Approve a campaign",
    "From `pending_review` to `active`. For owners and admins.",
    shown={"status": "active", "review": APPROVAL},
)
REJECT = _decision(
    "reject",
    "Reject a campaign",
    "From `pending_review` to `rejected`, with a reason that its makers read. For owners and admins.",
    shown={"status": "rejected", "review": REJECTION},
    body=Rejection,
    body_example=REJECT_BODY,
)
