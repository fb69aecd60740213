"""The operations on assets, as the API description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
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
_ID = {"id": "The asset's id."}

CREATE = Operation(
    id="createAsset",
    method="POST",
    path="/v1/assets",
    plane=Plane.CONTROL,
    tag="Assets",
    summary="Upload a file, or announce one",
    description=(
        "Two ways. Send the file in `multipart/form-data` as the part `file`: images and HTML answer `ready`, or 422 "
        "with what is wrong; sound and film answer `processing` and are `ready` or `rejected` shortly. Or announce it "
        "as JSON: the answer says where to PUT it, then call `complete`.\n\n"
        "What a file is, its bytes decide. Images (PNG, JPEG, GIF, WebP, AVIF; at most 10 MiB and 50 million pixels) "
        "are encoded anew, in sRGB and without metadata. Sound (MP3, AAC, M4A, Ogg Opus, WAV; 50 MiB) and film (MP4 "
        "with H.264 and AAC, WebM with VP8, VP9 or AV1; 100 MiB; at most 30 minutes) are kept as they are. HTML "
        "(UTF-8, 64 KiB) is what html ads are made of; its own address serves it in a sandbox."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    query=EnvironmentQuery,
    body=AssetCreate,
    body_example=ASSET_BODY,
    form=AssetForm,
    form_example=ASSET_FORM,
    answers=(
        Answer(
            201,
            "The asset; with `upload` where its file is still to come.",
            AssetCreated,
            headers={"Location": "Its path."},
            example=NEW_ASSET,
        ),
    ),
    errors=(ErrorCode.NOT_FOUND, ErrorCode.BAD_REQUEST, ErrorCode.REQUEST_TIMEOUT),
    creates=True,
)

LIST = Operation(
    id="listAssets",
    method="GET",
    path="/v1/assets",
    plane=Plane.CONTROL,
    tag="Assets",
    summary="List assets",
    description=(
        "Newest first, of one environment. An integration key sees the assets of its own property; those without a "
        "property are for signed-in users."
    ),
    auth=_CALLERS,
    needs=_READS,
    query=AssetList,
    answers=(Answer(200, "A page.", Page[AssetPublic], example=a_page(ASSET)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET = Operation(
    id="getAsset",
    method="GET",
    path="/v1/assets/{id}",
    plane=Plane.CONTROL,
    tag="Assets",
    summary="Read an asset",
    auth=_CALLERS,
    needs=_READS,
    path_params=_ID,
    answers=(Answer(200, "The asset.", AssetPublic, example=ASSET),),
)

PATCH = Operation(
    id="updateAsset",
    method="PATCH",
    path="/v1/assets/{id}",
    plane=Plane.CONTROL,
    tag="Assets",
    summary="Change an asset",
    description=(
        "Its name, in any state but `archived`. An asset has no version, so no `If-Match` is needed: the last name "
        "stands. Another file is another asset."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    body=AssetPatch,
    body_example={"filename": "spring-short.mp4"},
    answers=(
        Answer(
            200,
            "The asset as it is now.",
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
    plane=Plane.CONTROL,
    tag="Assets",
    summary="Say that an announced file was sent",
    description=(
        "Images and HTML are looked into at once: the answer is `ready` or `rejected`, with the reason. Sound and film "
        "answer `processing`: read the asset again shortly. Calling it again changes nothing."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(Answer(200, "The asset as it is now.", AssetPublic, example=PROCESSING),),
    errors=(ErrorCode.INVALID_STATE,),
)

ARCHIVE = Operation(
    id="archiveAsset",
    method="POST",
    path="/v1/assets/{id}/archive",
    plane=Plane.CONTROL,
    tag="Assets",
    summary="Archive an asset",
    description=(
        "For good: no ad can use it any more, and it no longer counts against the account's storage. Its URL goes on "
        "for 400 days, for what was sent out with it. An asset of an active ad is 409, naming the ad."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(
        Answer(200, "The asset, archived.", AssetPublic, example=ASSET | {"status": "archived"}),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)
