"""
``GET /assets/aa/bb/<sha256>.<ext>``: uploaded files, where the asset store is a folder of this machine.

Any cache may store them forever. An HTML file among them runs in its own sandbox.
"""

import re

from sanic import HTTPResponse, Request

from common.service.asset_folder import CACHE_FOR_EVER, HTML_POLICY, digest_of, find_media_type
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext
from edge.state.asset_folder import AssetFolder

PATH = "/assets/<first:str>/<second:str>/<file:str>"
_CHUNK_BYTES = 128 * 1024
_RANGE = re.compile(r"bytes=(?P<first>[0-9]{0,15})-(?P<last>[0-9]{0,15})")


async def handle(request: Request, first: str, second: str, file: str) -> HTTPResponse:
    edge: EdgeContext = request.app.ctx.edge
    name = f"{first}/{second}/{file}"
    media_type = find_media_type(name)
    size = await edge.assets.find_size(name) if edge.assets and media_type else None
    if edge.assets is None or media_type is None or size is None:
        raise Refused(
            ErrorCode.NOT_FOUND,
            Message(
                "This asset does not exist. Use the asset's `url` exactly as the API returns it."
            ),
        )
    etag = f'"{digest_of(name)}"'
    headers = {"ETag": etag, "Cache-Control": CACHE_FOR_EVER, "Accept-Ranges": "bytes"}
    if media_type.startswith("text/html"):
        headers["Content-Security-Policy"] = HTML_POLICY
    if _knows(request, etag):
        edge.metrics.count_asset(304, 0)
        return HTTPResponse(None, status=304, headers=headers)
    requested = find_range(request, etag, size)
    start, count = requested or (0, size)
    status = 200
    if requested is not None:
        status = 206
        headers["Content-Range"] = f"bytes {start}-{start + count - 1}/{size}"
    edge.metrics.count_asset(status, 0 if request.method == "HEAD" else count)
    if request.method == "HEAD":
        headers["content-length"] = str(count)
        return HTTPResponse(None, status=status, headers=headers, content_type=media_type)
    if count <= _CHUNK_BYTES:
        body = await edge.assets.read(name, start, count)
        return HTTPResponse(body, status=status, headers=headers, content_type=media_type)
    headers["content-length"] = str(count)
    answer: HTTPResponse = await request.respond(
        status=status, headers=headers, content_type=media_type
    )
    await _send(answer, edge.assets, name, start, count)
    return answer


async def _send(
    answer: HTTPResponse, folder: AssetFolder, name: str, start: int, count: int
) -> None:
    """Sends one piece at a time, the next after the client received the one before. Raises OSError for a short file."""
    end = start + count
    while start < end:
        piece = await folder.read(name, start, min(_CHUNK_BYTES, end - start))
        if not piece:
            raise OSError(f"{name} ends early")
        start += len(piece)
        await answer.send(piece)


def _knows(request: Request, etag: str) -> bool:
    given = request.headers.getall("if-none-match", ())
    tags = [tag.strip().removeprefix("W/") for value in given for tag in value.split(",")]
    return "*" in tags or etag in tags


def find_range(request: Request, etag: str, size: int) -> tuple[int, int] | None:
    """
    Start and count of the requested range. None for the whole file, also for several ranges and for an invalid header
    (RFC 9110, 14.2). Raises `Refused` (416) for a range beyond the end.
    """
    given = request.headers.getone("range", "")
    if request.headers.getone("if-range", etag).strip() != etag:
        return None
    found = _RANGE.fullmatch(given.strip())
    if found is None or not (found["first"] or found["last"]):
        return None
    if not found["first"]:
        count = min(int(found["last"]), size)
        start = size - count
    else:
        start = int(found["first"])
        last = min(int(found["last"]), size - 1) if found["last"] else size - 1
        if found["last"] and int(found["last"]) < start:
            return None
        count = last - start + 1
    if count <= 0:
        raise Refused(
            ErrorCode.RANGE_NOT_SATISFIABLE,
            Message(
                "The range is outside the file, which has {size_bytes} bytes. Request a range inside "
                "it.",
                size_bytes=size,
            ),
            headers={"Content-Range": f"bytes */{size}"},
        )
    return start, count
