"""The operations on assets, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, created
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.demand.assets.examples import ASSET, ASSET_BODY, ASSET_FORM, NEW_ASSET, PROCESSING
from control.demand.assets.schemas import (
    AssetCreate,
    AssetCreated,
    AssetForm,
    AssetList,
    AssetPatch,
    AssetPublic,
    EnvironmentQuery,
)
from control.foundation.openapi_examples import a_page

_CALLERS = (Auth.INTEGRATION_KEY, Auth.ACCESS_TOKEN)
_READS = dict.fromkeys(_CALLERS, Permission.ASSET_READ)
_WRITES = dict.fromkeys(_CALLERS, Permission.ASSET_WRITE)
_ID = {"id": "Id of the asset."}

CREATE = Operation(
    id="createAsset",
    method="POST",
    path="/v1/assets",
    tag="Assets",
    summary="Upload a file, or request an upload URL",
    description=(
        "There are two ways. Either send the file as the part `file` of `multipart/form-data`: images and HTML return "
        "`ready`, or 422 with the problem; audio and video return `processing` and become `ready` or `rejected` "
        "shortly after. Or describe the file in JSON: the response contains a URL for a PUT; after the PUT, call "
        "`complete`.\n"
        "\n"
        "The type is detected from the file's bytes. Images (PNG, JPEG, GIF, WebP, AVIF; at most 10 MiB and 50 "
        "million pixels) are re-encoded in sRGB without metadata. Audio (MP3, AAC, M4A, Ogg Opus, WAV; 50 MiB) and "
        "video (MP4 with H.264 and AAC, WebM with VP8, VP9 or AV1; 100 MiB; at most 30 minutes) are stored unchanged. "
        "HTML (UTF-8, 64 KiB) is for html ads and is served in a sandbox."
    ),
    needs=_WRITES,
    query=EnvironmentQuery,
    body=AssetCreate,
    body_example=ASSET_BODY,
    form=AssetForm,
    form_example=ASSET_FORM,
    answers=(
        created(
            "The new asset. `upload` is present if the file must still be sent.",
            AssetCreated,
            NEW_ASSET,
        ),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.BAD_REQUEST, ErrorCode.REQUEST_TIMEOUT),
    creates=True,
)

LIST = Operation(
    id="listAssets",
    method="GET",
    path="/v1/assets",
    tag="Assets",
    summary="List assets",
    description=(
        "Assets of one environment, newest first. An integration key sees the assets of its own property; assets "
        "without a property are visible to signed-in users only."
    ),
    needs=_READS,
    query=AssetList,
    answers=(Answer(200, "One page of results.", Page[AssetPublic], example=a_page(ASSET)),),
)

GET = Operation(
    id="getAsset",
    method="GET",
    path="/v1/assets/{id}",
    tag="Assets",
    summary="Read an asset",
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The asset.", AssetPublic, example=ASSET),),
)

PATCH = Operation(
    id="updateAsset",
    method="PATCH",
    path="/v1/assets/{id}",
    tag="Assets",
    summary="Change an asset",
    description=(
        "Changes the file name, in any status except `archived`. Assets have no version, so `If-Match` is not needed: "
        "the last write wins. To change the file itself, upload a new asset."
    ),
    needs=_WRITES,
    path_params=_ID,
    body=AssetPatch,
    body_example={"filename": "spring-short.mp4"},
    answers=(
        Answer(
            200,
            "The updated asset.",
            AssetPublic,
            example=ASSET | {"filename": "spring-short.mp4"},
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)

COMPLETE = Operation(
    id="completeAsset",
    method="POST",
    path="/v1/assets/{id}/complete",
    tag="Assets",
    summary="Complete an upload",
    description=(
        "Call this after the PUT. Images and HTML are inspected at once: the status is `ready`, or `rejected` with "
        "the reason. Audio and video return `processing`: read the asset again shortly. Repeating this request has no "
        "effect."
    ),
    needs=_WRITES,
    path_params=_ID,
    answers=(Answer(200, "The updated asset.", AssetPublic, example=PROCESSING),),
    errors=(ErrorCode.INVALID_STATE,),
)

ARCHIVE = Operation(
    id="archiveAsset",
    method="POST",
    path="/v1/assets/{id}/archive",
    tag="Assets",
    summary="Archive an asset",
    description=(
        "Permanent: no ad can use the asset any more, and it no longer counts towards the account's storage. Its URL "
        "works for another 400 days, for ads already sent out with it. Returns 409 with the ad's id if an active ad "
        "uses the asset."
    ),
    needs=_WRITES,
    path_params=_ID,
    answers=(
        Answer(200, "The archived asset.", AssetPublic, example=ASSET | {"status": "archived"}),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)
