"""
``PUT /v1/assets/uploads/{id}``: receives announced files if the store is a folder. The signed link is the credential,
like the links of a bucket, so the API description does not list this route.
"""

from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse
from sqlmodel import col, select

from common.service.asset_folder import find_local_folder
from common.values.enums import AssetStatus
from common.values.errors import ErrorCode, Refused, invalid, not_found
from common.values.ids import is_uuid
from common.values.messages import Message
from control.api.context import ControlContext
from control.demand.assets import store_asset
from control.demand.assets.intake import pace_of
from control.foundation.http import uploads
from control.foundation.http.uploads import nameless_file
from control.foundation.signed_links import UPLOADS_PATH, UploadLinks
from control.storage.tables.assets import AssetRow


def add_uploads(app: Sanic[Any, Any], control: ControlContext) -> None:
    """Does nothing if the store makes links of its own."""
    settings = control.settings
    if find_local_folder(settings.assets_store, settings.state) is None:
        return
    links = UploadLinks(control.keys, settings.control_url)

    async def put(request: Request, id: str) -> HTTPResponse:  # noqa: A002 - the parameter's name in the path
        if not is_uuid(id):
            raise not_found()
        query = {name: request.args.get(name, "") for name in ("bytes", "expires", "sig")}
        size_bytes = links.check(id, query, control.clock.now())
        await _receive(control, request, id, size_bytes)
        return HTTPResponse(status=200)

    app.add_route(put, f"{UPLOADS_PATH}/<id:str>", methods=["PUT"], name="putUpload", stream=True)


async def _receive(
    control: ControlContext, request: Request, asset_id: str, size_bytes: int
) -> None:
    media_type = await _awaited_type(control, asset_id)
    async with nameless_file(control.settings.state / "uploads") as file:
        upload = await uploads.receive_file(
            request,
            file,
            cap_of=lambda _: size_bytes,
            max_bytes=size_bytes,
            pace=pace_of(control.settings),
        )
        if upload.size_bytes != size_bytes:
            raise invalid(
                "body",
                "length",
                Message(
                    "The file has fewer than the {size_bytes:,} bytes that were announced. Send all of "
                    "it.",
                    size_bytes=size_bytes,
                ),
            )
        await store_asset.store_upload(control, asset_id, file, media_type=media_type)


async def _awaited_type(control: ControlContext, asset_id: str) -> str:
    wanted = select(AssetRow).where(col(AssetRow.id) == asset_id)
    async with control.database.service() as session:
        row = await session.scalar(wanted)
    if row is None:
        raise not_found()
    if row.status != AssetStatus.UPLOADING:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The asset is {status} and accepts no file. Create another one.",
                status=row.status,
            ),
            param="status",
        )
    return row.mime
