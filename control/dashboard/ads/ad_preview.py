"""
The document of an html ad, for a sandboxed frame.

The markup is untrusted: a policy of its own gives it no origin, so it reaches neither the dashboard's pages nor its
cookies. The address is signed and short-lived, because a frame in an embedded window has no cookie.
"""

import base64
import hmac
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.router import READING
from common.service.secrets import KeyRing, Purpose
from common.values.clock import from_ms
from common.values.errors import ErrorCode, Refused, not_found
from common.values.ids import is_uuid
from common.values.messages import Message
from control.api.context import ControlContext
from control.dashboard.page_request import PageRequest
from control.demand.ads.queries import find_markup

PATH = "/ads/frame"
SANDBOX = "allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""Never ``allow-same-origin``: together with scripts it would defeat the sandbox."""
_LIFE_S = 900
_MAX_DIGITS = 12
_HEADERS = {
    "Content-Security-Policy": f"sandbox {SANDBOX}; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def frame_address(view: PageRequest, ad: Mapping[str, Any]) -> str:
    """The address of the frame of *ad* (as the API shows it), valid for a quarter of an hour."""
    expires_s = int(view.now.timestamp()) + _LIFE_S
    keys = view.control.keys
    signature = _signature(keys, keys.active, ad["id"], ad["version"], expires_s)
    query = {"version": ad["version"], "expires": expires_s, "signature": signature}
    return f"{PATH}/{ad['id']}?{urlencode(query)}"


def add_ad_frames(app: Sanic[Any, Any], control: ControlContext) -> None:
    async def show(request: Request, id: str) -> HTTPResponse:  # noqa: A002 - the parameter's name in the path
        if not is_uuid(id):
            raise not_found()
        names = ("version", "expires", "signature")
        _check(
            control.keys,
            id,
            {name: request.args.get(name, "") for name in names},
            control.clock.now(),
        )
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


def _check(keys: KeyRing, ad_id: str, query: Mapping[str, str], now: datetime) -> None:
    """Raises `Refused`: 404 for an address with a wrong signature, 410 for an expired one."""
    version, expires = query["version"], query["expires"]
    if not (_is_number(version) and _is_number(expires)):
        raise not_found()
    signatures = (
        _signature(keys, key_id, ad_id, int(version), int(expires)) for key_id in keys.keys
    )
    if not any(
        hmac.compare_digest(query["signature"].encode(), one.encode()) for one in signatures
    ):
        raise not_found()
    if from_ms(int(expires) * 1000) <= now:
        raise Refused(
            ErrorCode.TOKEN_EXPIRED,
            Message("This preview has expired. Reload the page that shows it."),
        )


def _signature(keys: KeyRing, key_id: str, ad_id: str, version: int, expires_s: int) -> str:
    message = f"{ad_id}:{version}:{expires_s}".encode()
    tag = hmac.digest(keys.derive(Purpose.PREVIEWS, key_id), message, sha256)
    return base64.urlsafe_b64encode(tag).decode().rstrip("=")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
