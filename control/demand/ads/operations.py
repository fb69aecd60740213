"""The operations on ads, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, created
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.ads.examples import AD, AD_BODY, AD_PATCH
from control.demand.ads.schemas import AdCreate, AdForms, AdList, AdPatch, AdPublic
from control.demand.campaigns.schemas import EnvironmentQuery
from control.demand.status_operations import StatusOperations
from control.foundation.openapi_examples import a_page, after

_CALLERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READS = dict.fromkeys(_CALLERS, Permission.AD_READ)
_WRITES = dict.fromkeys(_CALLERS, Permission.AD_WRITE)
_ID = {"id": "Id of the ad."}
_ETAG = {"ETag": "Version of the ad, for `If-Match`."}

CREATE = Operation(
    id="createAd",
    method="POST",
    path="/v1/ads",
    tag="Ads",
    summary="Create an ad",
    description=(
        "Creates a `draft` ad in the campaign's environment; activate it to serve. `content` depends on the format. "
        "banner: `image_url, width, height, alt`; html: `html, width, height`; native: `title, body, cta, "
        "sponsored_by, icon, image`; audio: `media[{url, mime, bitrate_kbps, duration_ms}], companion{image_url, "
        "width, height, alt}`; video: `media[{url, mime, width, height, bitrate_kbps, duration_ms}], skip_offset_ms, "
        "poster`; email: `image_url, width, height, alt, text_fallback`. `asset_ids` reference uploaded "
        "files, which fill in their own URL, size and length."
    ),
    needs=_WRITES,
    query=EnvironmentQuery,
    body_bytes=LARGE_BODY_BYTES,
    body=AdCreate,
    body_forms=AdForms,
    body_example=AD_BODY,
    answers=(created("The new ad, as a draft.", AdPublic, AD, _ETAG),),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.INVALID_STATE),
    creates=True,
)

LIST = Operation(
    id="listAds",
    method="GET",
    path="/v1/ads",
    tag="Ads",
    summary="List ads",
    description="Ads of one environment, newest first.",
    needs=_READS,
    query=AdList,
    answers=(Answer(200, "One page of results.", Page[AdPublic], example=a_page(AD)),),
)

GET = Operation(
    id="getAd",
    method="GET",
    path="/v1/ads/{id}",
    tag="Ads",
    summary="Read an ad",
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The ad.", AdPublic, headers=_ETAG, example=AD),),
)

PATCH = Operation(
    id="updateAd",
    method="PATCH",
    path="/v1/ads/{id}",
    tag="Ads",
    summary="Change an ad",
    description=(
        "Omitted fields keep their value, null clears `click_url`, and every other value replaces the old one "
        "completely. The format and the campaign cannot change. The status changes through the actions (`/activate`, "
        "`/pause`, …), and through review: any change turns a rejected ad into a draft. If the account requires "
        "review, changing `content`, `click_url`, `tracking` or `categories` of an active live ad sends it back to "
        "`pending_review`, and it does not serve until it is approved; a paused or pending ad becomes a `draft`."
    ),
    needs=_WRITES,
    body_bytes=LARGE_BODY_BYTES,
    body=AdPatch,
    body_example=AD_PATCH,
    path_params=_ID,
    answers=(
        Answer(200, "The updated ad.", AdPublic, headers=_ETAG, example=after(AD, weight=20)),
    ),
    errors=(ErrorCode.INVALID_STATE,),
    needs_version=True,
)

_STATUS = StatusOperations("ad", "an", _WRITES, AdPublic, AD, _ETAG)

ACTIVATE = _STATUS.change(
    "activate",
    "Changes the status from `draft` or `paused` to `active`: the ad serves while its campaign delivers. If the "
    "account requires review, a live ad that is not approved changes to `pending_review` instead.",
    "active",
)
PAUSE = _STATUS.change("pause", "Changes the status from `active` to `paused`.", "paused")
RESUME = _STATUS.change("resume", "Changes the status from `paused` to `active`.", "active")
ARCHIVE = _STATUS.change(
    "archive",
    "Permanent. Clicks on impressions that were already served still redirect.",
    "archived",
)
APPROVE = _STATUS.approve()
REJECT = _STATUS.reject()
