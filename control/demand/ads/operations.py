"""The operations on ads, as the API description shows them."""

from typing import Any

from common.contract.models import Page
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.ads.examples import AD, AD_BODY, AD_PATCH
from control.demand.ads.schemas import AdCreate, AdForms, AdList, AdPatch, AdPublic
from control.demand.campaigns.action_examples import APPROVAL, REJECT_BODY, REJECTION
from control.demand.campaigns.action_schemas import Rejection
from control.demand.campaigns.schemas import EnvironmentQuery
from control.foundation.openapi_examples import a_page, after

_CALLERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READS = dict.fromkeys(_CALLERS, Permission.AD_READ)
_WRITES = dict.fromkeys(_CALLERS, Permission.AD_WRITE)
_ID = {"id": "The ad's id."}
_ETAG = {"ETag": "The ad's version, for `If-Match`."}

CREATE = Operation(
    id="createAd",
    method="POST",
    path="/v1/ads",
    plane=Plane.CONTROL,
    tag="Ads",
    summary="Create an ad",
    description=(
        "Born `draft` in its campaign's environment; activate it to serve. `content` holds, for banner: "
        "`image_url, width, height, alt`; for html: `html, width, height`; for native: `title, body, cta, "
        "sponsored_by, icon, image`; for audio: `media[{url, mime, bitrate_kbps, duration_ms}], "
        "companion{image_url, width, height, alt}`; for video: `media[{url, mime, width, height, bitrate_kbps, "
        "duration_ms}], skip_offset_ms`; for email: `image_url, width, height, alt, text_fallback`. Uploaded files "
        "come in by `asset_ids`, and fill in what they say."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    query=EnvironmentQuery,
    body_bytes=LARGE_BODY_BYTES,
    body=AdCreate,
    body_forms=AdForms,
    body_example=AD_BODY,
    answers=(
        Answer(
            201,
            "The ad, a draft.",
            AdPublic,
            headers={**_ETAG, "Location": "Its path."},
            example=AD,
        ),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
    creates=True,
)

LIST = Operation(
    id="listAds",
    method="GET",
    path="/v1/ads",
    plane=Plane.CONTROL,
    tag="Ads",
    summary="List ads",
    description="Newest first, of one environment.",
    auth=_CALLERS,
    needs=_READS,
    query=AdList,
    answers=(Answer(200, "A page.", Page[AdPublic], example=a_page(AD)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET = Operation(
    id="getAd",
    method="GET",
    path="/v1/ads/{id}",
    plane=Plane.CONTROL,
    tag="Ads",
    summary="Read an ad",
    auth=_CALLERS,
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The ad.", AdPublic, headers=_ETAG, example=AD),),
)

PATCH = Operation(
    id="updateAd",
    method="PATCH",
    path="/v1/ads/{id}",
    plane=Plane.CONTROL,
    tag="Ads",
    summary="Change an ad",
    description=(
        "An absent field stays as it is, null clears `click_url`; every other value replaces the old one whole. "
        "Format and campaign stay. Status changes by the verbs, and by what a change means for review: any change "
        "makes a rejected ad a draft again; where the account demands review, a live ad whose `content`, "
        "`click_url`, `tracking` or `categories` change goes back to `pending_review` and does not serve until it "
        "is approved, and one that waits or pauses becomes a `draft`."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=AdPatch,
    body_example=AD_PATCH,
    path_params=_ID,
    answers=(
        Answer(200, "The ad as it is now.", AdPublic, headers=_ETAG, example=after(AD, weight=20)),
    ),
    errors=(ErrorCode.INVALID_STATE,),
    needs_version=True,
)


def _verb(name: str, summary: str, description: str, status: str) -> Operation:
    return Operation(
        id=f"{name}Ad",
        method="POST",
        path=f"/v1/ads/{{id}}/{name}",
        plane=Plane.CONTROL,
        tag="Ads",
        summary=summary,
        description=description,
        auth=_CALLERS,
        needs=_WRITES,
        path_params=_ID,
        answers=(
            Answer(
                200,
                "The ad as it is now.",
                AdPublic,
                headers=_ETAG,
                example=after(AD, status=status),
            ),
        ),
        errors=(ErrorCode.INVALID_STATE,),
        may_say_version=True,
    )


ACTIVATE = _verb(
    "activate",
    "Start an ad",
    "From `draft` or `paused` to `active`: it serves while its campaign delivers. Where the account demands review, a "
    "live ad that is not approved goes to `pending_review` instead.",
    "active",
)
PAUSE = _verb("pause", "Pause an ad", "From `active` to `paused`.", "paused")
RESUME = _verb("resume", "Resume an ad", "From `paused` to `active`.", "active")
ARCHIVE = _verb(
    "archive", "Archive an ad", "For good; clicks on what was shown still work.", "archived"
)


def _decision(name: str, summary: str, description: str, **more: Any) -> Operation:
    """For users only: an integration key cannot approve or reject ads that it may have made itself."""
    shown = after(AD, **more.pop("shown"))
    return Operation(
        id=f"{name}Ad",
        method="POST",
        path=f"/v1/ads/{{id}}/{name}",
        plane=Plane.CONTROL,
        tag="Ads",
        summary=summary,
        description=description,
        auth=(Auth.ACCESS_TOKEN,),
        needs={Auth.ACCESS_TOKEN: Permission.ACCOUNT_WRITE},
        path_params=_ID,
        answers=(Answer(200, "The ad as it is now.", AdPublic, headers=_ETAG, example=shown),),
        errors=(ErrorCode.INVALID_STATE,),
        may_say_version=True,
        **more,
    )


APPROVE = _decision(
    "approve",
    "Approve an ad",
    "From `pending_review` to `active`. For owners and admins.",
    shown={"status": "active", "review": APPROVAL},
)
REJECT = _decision(
    "reject",
    "Reject an ad",
    "From `pending_review` to `rejected`, with a reason that its makers read. For owners and admins.",
    shown={"status": "rejected", "review": REJECTION},
    body=Rejection,
    body_example=REJECT_BODY,
)
