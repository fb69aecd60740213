"""What campaigns offer: the operations, as the public description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.errors import ErrorCode
from control.campaigns.examples import CAMPAIGN, CAMPAIGN_BODY, CAMPAIGN_PATCH
from control.campaigns.schemas import (
    CampaignCreate,
    CampaignList,
    CampaignPatch,
    CampaignPublic,
    EnvironmentQuery,
)
from control.examples import a_page, after

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
    description="Newest first, of one environment.",
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
        "by field; every other value replaces the old one whole. Status changes by the verbs only; raising `end_at` "
        "or `budget.total_cents` reopens a completed campaign."
    ),
    auth=_CALLERS,
    needs=_WRITES,
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
    )


ACTIVATE = _verb(
    "activate",
    "Start a campaign",
    "From `draft` or `paused` to `active`: it delivers within its flight, once it has an active ad.",
    "active",
)
PAUSE = _verb("pause", "Pause a campaign", "From `active` to `paused`.", "paused")
RESUME = _verb("resume", "Resume a campaign", "From `paused` to `active`.", "active")
ARCHIVE = _verb("archive", "Archive a campaign", "For good; it is kept and shown.", "archived")
