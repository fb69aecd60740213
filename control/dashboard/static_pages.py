"""
The pages besides the dashboard: the demo of a running one-machine stack, and static files.

They are no operations, so the public description does not list them. Scripts and styles are files of this host, and the
policy forbids all others.
"""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.client_address import peer_of
from common.http.responses import json_response
from common.http.router import READING
from common.values.enums import EventKind, Reason
from common.values.errors import not_found
from control.api.context import ControlContext
from control.dashboard.compression import compress_file
from control.dashboard.demo import DemoStack, find_demo
from control.dashboard.events.reasons import KINDS, REASONS
from control.dashboard.i18n import language_of
from control.dashboard.policy import origin_of
from control.dashboard.queries import names_in
from control.dashboard.rendering import templates_of
from control.dashboard.sdk import ELEMENT, Sdk, add_sdk
from control.events.events_api.queries import list_newest_events
from control.foundation.message_translation import Translate, translate_in

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
_CLICK_ID = re.compile(r"[0-9a-f-]{36}\.[\w-]{1,100}", re.ASCII)


def add_pages(app: Sanic[Any, Any], control: ControlContext) -> None:
    state = control.settings.state
    sdk = Sdk(control.settings)
    add_sdk(app, sdk)

    async def demo(request: Request) -> HTTPResponse:
        stack = _demo_of(state)
        page = _render(
            request,
            "demo.html",
            key=stack.publishable_key,
            slots=stack.slot_keys,
            library=sdk.address(ELEMENT),
            styles=sdk.address("placard.css"),
        )
        policy = _demo_policy(stack.edge_live_url, control.settings.assets_url)
        return compress_file(request, _html(page, policy))

    async def landing(request: Request) -> HTTPResponse:
        """Of the demo's ads: where an advertiser's own page would be."""
        edge_url = _demo_of(state).edge_live_url
        click_id = request.args.get("sa_click_id", "")
        pixel = f"{edge_url}/v1/conversions/{click_id}.gif?event_name=purchase"
        shown_id = click_id if _CLICK_ID.fullmatch(click_id) else ""
        page = _render(request, "demo_landing.html", click_id=shown_id, pixel=pixel)
        return _html(page, _landing_policy(edge_url))

    async def demo_events(request: Request) -> HTTPResponse:
        if not _is_local(request):
            raise not_found()
        stack = _demo_of(state)
        async with control.database.tenant(stack.account_id) as session:
            events = await list_newest_events(
                session, stack.account_id, property_id=stack.property_id, limit=_EVENTS_SHOWN
            )
            names = await names_in(session, stack.account_id, {one["ad_id"] for one in events})
        translate = translate_in(language_of(request).language)
        data = [_row_of(one, names.get(one["ad_id"], one["ad_id"]), translate) for one in events]
        return json_response({"data": data}, headers={"Cache-Control": "no-store"})

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
    app.add_route(demo, "/demo", methods=READING, name="page_demo")
    app.add_route(landing, "/demo/landing", methods=READING, name="page_demo_landing")
    app.add_route(demo_events, "/demo/events", methods=READING, name="page_demo_events")
    app.add_route(static, "/static/<name:path>", methods=READING, name="page_static")


def _render(request: Request, template: str, **values: Any) -> str:
    wording = language_of(request)
    page = templates_of(wording.language).get_template(template)
    return page.render(wording=wording, **values)


def _row_of(event: Mapping[str, Any], ad: str, translate: Translate) -> dict[str, Any]:
    """What the page shows of an event, in words."""
    return {
        "ts": event["ts"],
        "kind": translate(KINDS[EventKind(event["kind"])]),
        "ad": ad,
        "environment": translate("TEST" if event["is_test"] else "Live"),
        "reason": translate(REASONS[Reason(event["reason"])].label),
    }


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


def _landing_policy(edge_url: str) -> str:
    """The conversion pixel is an image of the edge."""
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' {edge_url}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _demo_policy(edge_url: str, assets_url: str) -> str:
    """As strict as a publisher's policy may be: an html ad has a document of its own, at the edge."""
    assets = origin_of(assets_url)
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data: {assets}; "
        f"media-src 'self' https: {assets}; connect-src 'self' {edge_url}; frame-src {edge_url}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
