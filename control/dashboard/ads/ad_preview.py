"""
The document of an html ad, for a sandboxed frame.

The markup is untrusted: a policy of its own gives it no origin, so it reaches neither the dashboard's pages nor its
cookies. The address is signed and short-lived, because a frame in an embedded window has no cookie.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.router import READING
from common.values.errors import not_found
from common.values.ids import is_uuid
from control.api.context import ControlContext
from control.dashboard.page_request import PageRequest
from control.demand.ads.queries import find_markup
from control.foundation.signed_links import PreviewLinks

PATH = "/ads/frame"
SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""Never ``allow-same-origin``: together with scripts it would defeat the sandbox."""
_LIFE = timedelta(minutes=15)
_HEADERS = {
    "Content-Security-Policy": f"sandbox {SANDBOX}; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def frame_address(view: PageRequest, ad: Mapping[str, Any]) -> str:
    """The address of the frame of *ad* (as the API shows it), valid for a quarter of an hour."""
    return PreviewLinks(view.control.keys).make(PATH, ad["id"], ad["version"], view.now + _LIFE)


def add_ad_frames(app: Sanic[Any, Any], control: ControlContext) -> None:
    async def show(request: Request, id: str) -> HTTPResponse:  # noqa: A002 - the parameter's name in the path
        if not is_uuid(id):
            raise not_found()
        names = ("version", "expires", "signature")
        query = {name: request.args.get(name, "") for name in names}
        PreviewLinks(control.keys).check(id, query, control.clock.now())
        html = await _html_of(control, id)
        document = f'<!doctype html><meta charset="utf-8"><style>body{{margin:0}}</style>{html}'
        return HTTPResponse(document, headers=_HEADERS, content_type="text/html; charset=utf-8")

    app.add_route(show, f"{PATH}/<id:str>", methods=READING, name="page_ad_frame")


async def _html_of(control: ControlContext, ad_id: str) -> str:
    async with control.database.service() as session:
        markup = await find_markup(session, ad_id)
    if markup is None:
        raise not_found()
    return markup.replace("{click_url}", "#")
