"""
Serves the web library's files, for pages of any site: ``/sdk/placard.js``, what it loads, and ``/sdk/embed.js``.

``/sdk/NAME`` is the newest build, which begins with the addresses of the edges, so that an element needs only its key
and its slot. ``/sdk/VERSION/NAME`` is a released build, the same bytes on every host and for ever: pages pin it by
Subresource Integrity and name the edge themselves.
"""

import hashlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.router import READING
from common.values.errors import not_found
from control.dashboard.compression import compress_file
from control.foundation.settings import ControlSettings

_INSTALLED: Final = Path(__file__).with_name("library")
"""Where the wheel puts the library; a checkout has it in ``clients/web``."""
LIBRARY: Final = (
    _INSTALLED
    if _INSTALLED.is_dir()
    else Path(__file__).resolve().parents[2].joinpath("clients", "web")
)
ELEMENT: Final = "placard.js"
_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
_YEAR_S: Final = 31_536_000
_UNPINNED_S: Final = 300
"""How long browsers cache a file whose address does not name its content."""


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A released file: its path on this host, and its hash as the value of the ``integrity`` attribute."""

    path: str
    integrity: str


class Sdk:
    """The library's files in memory: the newest build, and every released one by its version."""

    def __init__(self, settings: ControlSettings) -> None:
        self._newest = _read(LIBRARY / "dist")
        edges = {"live": settings.edge_live_url, "test": settings.edge_test_url}
        prologue = b"globalThis.serviceAdEdges??=" + orjson.dumps(edges) + b";\n"
        self._newest[ELEMENT] = prologue + self._newest[ELEMENT]
        self._released = {path.name: _read(path) for path in (LIBRARY / "released").iterdir()}

    def address(self, name: str) -> str:
        """The address of a file of the newest build, with the hash of its content: may be cached for a year."""
        return f"/sdk/{name}?v={_short_hash(self._newest[name])}"

    def answer(self, request: Request, name: str, version: str | None = None) -> HTTPResponse:
        """*version*: None for the newest build. Raises `Refused` where there is no such file."""
        files: Mapping[str, bytes] = (
            self._newest if version is None else self._released.get(version, {})
        )
        content = files.get(name)
        if content is None:
            raise not_found()
        etag = f'"{_short_hash(content)}"'
        is_pinned = version is not None or f'"{request.args.get("v")}"' == etag
        lifetime = f"max-age={_YEAR_S}, immutable" if is_pinned else f"max-age={_UNPINNED_S}"
        headers = {
            "Access-Control-Allow-Origin": "*",
            "Cache-Control": f"public, {lifetime}",
            "Cross-Origin-Resource-Policy": "cross-origin",
            # A strong tag stands for exact bytes (RFC 9110, 8.8.1), which gzip changes.
            "ETag": f"W/{etag}",
            "Timing-Allow-Origin": "*",
            "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        }
        if _matches(request.headers.get("if-none-match"), etag):
            return HTTPResponse(None, status=304, headers=headers)
        content_type = _TYPES[Path(name).suffix]
        return compress_file(
            request, HTTPResponse(content, headers=headers, content_type=content_type)
        )


def add_sdk(app: Sanic[Any, Any], sdk: Sdk) -> None:
    async def newest(request: Request, name: str) -> HTTPResponse:
        return sdk.answer(request, name)

    async def released(request: Request, version: str, name: str) -> HTTPResponse:
        return sdk.answer(request, name, version)

    app.add_route(newest, "/sdk/<name:str>", methods=READING, name="page_sdk")
    app.add_route(
        released, "/sdk/<version:str>/<name:str>", methods=READING, name="page_sdk_pinned"
    )


@cache
def pin_element() -> PinnedFile:
    """`placard.js` of the newest release, for a page to load. Reads the file once."""
    versions = (path.name for path in (LIBRARY / "released").iterdir())
    version = max(versions, key=lambda name: tuple(map(int, name.split("."))))
    content = (LIBRARY / "released" / version / ELEMENT).read_bytes()
    digest = b64encode(hashlib.sha384(content).digest()).decode()
    return PinnedFile(f"/sdk/{version}/{ELEMENT}", f"sha384-{digest}")


def _read(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in _TYPES}


def _matches(query: str | None, etag: str) -> bool:
    """*query*: the ``If-None-Match`` header, compared weakly as RFC 9110 demands."""
    if query is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in query.split(",")]
    return etag in tags or "*" in tags


def _short_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
