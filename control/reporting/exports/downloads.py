"""
``GET /v1/exports/{id}/{file}``: finished files, where the store is a folder.

The signed link is the credential, as with a bucket's own links, so the public description does not list this path.
"""

import asyncio
from pathlib import Path
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse
from sqlalchemy import select
from sqlmodel import col

from common.http.router import READING
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.api.context import ControlContext
from control.foundation.signed_links import EXPORTS_PATH, ExportLinks
from control.foundation.store_folder import find_folder, path_of
from control.reporting.exports.formats import MEDIA_TYPES
from control.reporting.exports.rows import filename_of, object_name
from control.reporting.exports.schemas import ExportFormat, ExportStatus
from control.storage.tables.exports import ExportRow

_CHUNK_BYTES = 256 * 1024


def add_downloads(app: Sanic[Any, Any], control: ControlContext) -> None:
    """Adds the route; does nothing if the store makes its own links."""
    settings = control.settings
    folder = find_folder(settings.exports_store, settings.state)
    if folder is None:
        return
    links = ExportLinks(control.keys, settings.control_url)

    async def get(request: Request, id: str, file: str) -> HTTPResponse | None:  # noqa: A002 - the parameter's name in the path
        if not is_uuid(id):
            raise not_found()
        query = {name: request.args.get(name, "") for name in ("expires", "signature")}
        links.check(id, file, query, control.clock.now())
        row = await _find_ready(control, id)
        if row is None or filename_of(row) != file:
            raise not_found()
        return await _answer(request, row, path_of(folder, object_name(row)))

    app.add_route(get, f"{EXPORTS_PATH}/<id:str>/<file:str>", methods=READING, name="getExportFile")


async def _find_ready(control: ControlContext, export_id: str) -> ExportRow | None:
    """Finds a finished export. Links of deleted or expired exports are not found."""
    row = ExportRow
    wanted = select(row).where(
        col(row.id) == export_id,
        col(row.status) == ExportStatus.READY.value,
        ~col(row.is_removed),
        col(row.expires_at) > control.clock.now(),
    )
    async with control.database.service() as session:
        found: ExportRow | None = await session.scalar(wanted)
        return found


async def _answer(request: Request, row: ExportRow, path: Path) -> HTTPResponse | None:
    """Sends the file in chunks; the next one once the client has taken the previous one."""
    headers = {
        "Content-Disposition": f'attachment; filename="{filename_of(row)}"',
        "Cache-Control": "private, no-store",
        "ETag": f'"{row.sha256}"',
        "content-length": str(row.bytes),
    }
    media_type = MEDIA_TYPES[ExportFormat(row.format)]
    if request.method == "HEAD":
        return HTTPResponse(None, headers=headers, content_type=media_type)
    try:
        file = await asyncio.to_thread(path.open, "rb")
    except FileNotFoundError:
        raise not_found() from None
    with file:
        answer: HTTPResponse = await request.respond(headers=headers, content_type=media_type)
        while piece := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            await answer.send(piece)
    return None  # the response was sent already
