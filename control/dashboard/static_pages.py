"""
The pages besides the dashboard: the demo of a running one-machine stack, and static files.

They are no operations, so the public description does not list them. Scripts and styles are files of this host, and the
policy forbids all others.
"""

from ipaddress import ip_address
from pathlib import Path
from typing import Any

from jinja2 import Environment as Templates
from jinja2 import FileSystemLoader, StrictUndefined
from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.client_address import peer_of
from common.http.responses import json_response
from common.http.router import READING
from common.values.errors import not_found
from control.api.context import ControlContext
from control.dashboard.demo import DemoStack, find_demo
from control.dashboard.sdk import ELEMENT, Sdk, add_sdk
from control.events.events_api.queries import list_newest_events

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

_EVENTS_SHOWN = 20


def add_pages(app: Sanic[Any, Any], control: ControlContext) -> None:
    templates = Templates(
        loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    state = control.settings.state
    sdk = Sdk(control.settings)
    add_sdk(app, sdk)

    async def demo(_: Request) -> HTTPResponse:
        stack = _demo_of(state)
        page = templates.get_template("demo.html").render(
            key=stack.publishable_key,
            slots=stack.slot_keys,
            library=sdk.address(ELEMENT),
            styles=sdk.address("placard.css"),
        )
        return _html(page, _demo_policy(stack.edge_live_url))

    async def demo_events(request: Request) -> HTTPResponse:
        if not _is_local(request):
            raise not_found()
        stack = _demo_of(state)
        async with control.database.tenant(stack.account_id) as session:
            events = await list_newest_events(
                session, stack.account_id, property_id=stack.property_id, limit=_EVENTS_SHOWN
            )
        return json_response({"data": events}, headers={"Cache-Control": "no-store"})

    async def static(_: Request, name: str) -> HTTPResponse:
        path = _find_static(name)
        if path is None:
            raise not_found()
        headers = {"Cache-Control": "max-age=300", "X-Content-Type-Options": "nosniff"}
        return HTTPResponse(path.read_bytes(), headers=headers, content_type=_TYPES[path.suffix])

    app.add_route(demo, "/demo", methods=READING, name="page_demo")
    app.add_route(demo_events, "/demo/events", methods=READING, name="page_demo_events")
    app.add_route(static, "/static/<name:path>", methods=READING, name="page_static")


def _find_static(name: str) -> Path | None:
    """A file of the static folder, or of its vendor folder; nothing else."""
    path = _HERE / "static" / name
    is_known = path.parent in _FOLDERS and path.suffix in _TYPES
    return path if is_known and path.is_file() else None


def _is_local(request: Request) -> bool:
    """Whether the caller is on this machine, and no proxy forwards the request."""
    forwarded = request.headers.getall("x-forwarded-for", []) or request.headers.getall(
        "forwarded", []
    )
    peer = peer_of(request)
    return not forwarded and bool(peer) and ip_address(peer).is_loopback


def _demo_of(state: Path) -> DemoStack:
    stack = find_demo(state)
    if stack is None:
        raise not_found()
    return stack


def _html(page: str, policy: str) -> HTTPResponse:
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return HTTPResponse(page, headers=headers, content_type="text/html; charset=utf-8")


def _demo_policy(edge_url: str) -> str:
    """As strict as a publisher's policy may be: an html ad has a document of its own, at the edge."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; "
        f"media-src 'self' https:; connect-src 'self' {edge_url}; frame-src {edge_url}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
