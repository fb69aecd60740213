"""
What is served besides the dashboard: static files, the web library, and the demo of a running one-machine stack.

They are no operations, so the public description does not list them.
"""

from pathlib import Path
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.router import READING
from common.values.errors import not_found
from control.api.context import ControlContext
from control.dashboard.compression import compress_file
from control.dashboard.demo_pages import add_demo
from control.dashboard.sdk import Sdk, add_sdk

_HERE = Path(__file__).parent
_FOLDERS = (_HERE / "static", _HERE / "static" / "vendor")
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
}


def add_pages(app: Sanic[Any, Any], control: ControlContext) -> None:
    sdk = Sdk(control.settings)
    add_sdk(app, sdk)
    add_demo(app, control, sdk)

    async def static(request: Request, name: str) -> HTTPResponse:
        path = _find_static(name)
        if path is None:
            raise not_found()
        headers = {"Cache-Control": "max-age=300", "X-Content-Type-Options": "nosniff"}
        content_type = _TYPES[path.suffix]
        return compress_file(
            request, HTTPResponse(path.read_bytes(), headers=headers, content_type=content_type)
        )

    async def icon(_: Request) -> HTTPResponse:
        """Browsers and readers of feeds ask for this address, whatever a page names as its icon."""
        return HTTPResponse(None, status=308, headers={"Location": "/static/mark.svg"})

    app.add_route(icon, "/favicon.ico", methods=READING, name="page_icon")
    app.add_route(static, "/static/<name:path>", methods=READING, name="page_static")


def _find_static(name: str) -> Path | None:
    """A file of the static folder, or of its vendor folder; nothing else."""
    path = _HERE / "static" / name
    is_known = path.parent in _FOLDERS and path.suffix in _TYPES
    return path if is_known and path.is_file() else None
