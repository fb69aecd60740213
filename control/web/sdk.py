"""
The web library as files of this host, for pages of any site: ``/sdk/placard.js``, what it loads, and ``/sdk/embed.js``.

The library's one file says first which edges there are, so that an element needs no more than its key and its slot.
"""

import hashlib
from pathlib import Path
from typing import Any, Final

import orjson
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.errors import not_found
from common.http.router import READING
from control.settings import ControlSettings

FILES: Final = Path(__file__).resolve().parents[2] / "clients" / "web" / "dist"
ELEMENT: Final = "placard.js"
_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
_YEAR_S: Final = 31_536_000
_UNNAMED_S: Final = 300
"""How long a file is kept that was asked for without its version."""


class Sdk:
    """The library's files in memory: name → bytes, and the version that an address may carry."""

    def __init__(self, settings: ControlSettings) -> None:
        self._files = {
            path.name: path.read_bytes() for path in FILES.iterdir() if path.suffix in _TYPES
        }
        edges = {"live": settings.edge_live_url, "test": settings.edge_test_url}
        said = b"globalThis.serviceAdEdges??=" + orjson.dumps(edges) + b";\n"
        self._files[ELEMENT] = said + self._files[ELEMENT]

    def address(self, name: str) -> str:
        """With the version of its content: good for a year."""
        return f"/sdk/{name}?v={_version(self._files[name])}"

    def answer(self, name: str, version: str | None) -> HTTPResponse:
        """Raises `Refused` where there is no such file."""
        content = self._files.get(name)
        if content is None:
            raise not_found()
        is_exact = version == _version(content)
        kept = f"max-age={_YEAR_S}, immutable" if is_exact else f"max-age={_UNNAMED_S}"
        headers = {
            "Access-Control-Allow-Origin": "*",
            "Cache-Control": f"public, {kept}",
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Timing-Allow-Origin": "*",
            "X-Content-Type-Options": "nosniff",
        }
        return HTTPResponse(content, headers=headers, content_type=_TYPES[Path(name).suffix])


def add_sdk(app: Sanic[Any, Any], sdk: Sdk) -> None:
    async def file(request: Request, name: str) -> HTTPResponse:
        return sdk.answer(name, request.args.get("v"))

    app.add_route(file, "/sdk/<name:str>", methods=READING, name="page_sdk")


def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
