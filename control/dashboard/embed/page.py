"""
``GET /embed?cs=…``: the first page of an embedded window.

Viewing it uses up the secret, so only a browser that really opens it counts: no HEAD request, no prefetch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.http.client_address import client_address, network_of, peer_of
from common.http.router import READING
from common.values.environment import Environment
from common.values.errors import ApiError, Refused
from control.api.authentication import new_token, token_hash
from control.api.context import ControlContext
from control.dashboard.embed.starts import start_of
from control.dashboard.embed_sessions.components import Component
from control.dashboard.embed_sessions.endpoints import SECRET_PREFIX
from control.dashboard.embed_sessions.queries import EmbedSession, find_session, open_session
from control.dashboard.embed_sessions.windows import BEARER_PREFIX, get_window
from control.dashboard.i18n import choose_locale
from control.dashboard.page import PageRoute
from control.dashboard.policy import page_headers
from control.dashboard.rendering import templates_of
from control.foundation.rate_limit import Rate, check_rate

_SECRET_CHARS = len(SECRET_PREFIX) + 43
_PREFETCH = ("sec-purpose", "purpose", "x-purpose", "x-moz")
_GONE = 410
_OPENS_A_CALL = 10
"""Users of one application may share an address, which may open this multiple of a key's rate limit."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """The initial data of the page's script."""

    origin: str
    context: Mapping[str, Any]
    environment: Environment | None = None
    start: str | None = None
    bearer: str | None = None
    error: ApiError | None = None


def add_embed_page(
    app: Sanic[Any, Any], control: ControlContext, screens: Mapping[str, PageRoute]
) -> None:
    async def opened(request: Request) -> HTTPResponse:
        _check_rate(control, request)
        if _is_prefetch(request):
            return _later(control)
        if request.method == "HEAD":
            return HTTPResponse(None, headers=_headers(control, None), content_type=_HTML)
        secret = str(request.args.get("cs", ""))
        found = await _open(control, screens, secret)
        return _page(control, request, found)

    app.add_route(opened, "/embed", methods=READING, name="page_embed")


async def _open(
    control: ControlContext, screens: Mapping[str, PageRoute], secret: str
) -> _Opened | None:
    """None: the secret is unknown, or no longer known."""
    if len(secret) != _SECRET_CHARS or not secret.startswith(SECRET_PREFIX):
        return None
    digest, bearer = token_hash(secret), new_token(BEARER_PREFIX)
    async with control.database.service() as session:
        opened = await open_session(
            session,
            digest,
            bearer_hash=token_hash(bearer),
            now=control.clock.now(),
            lasts=timedelta(seconds=control.settings.embed_window_s),
        )
        if opened is None:
            known = await find_session(session, digest)
            return _Opened(known.origin, known.context) if known else None
    return await _window(control, screens, opened, bearer)


async def _window(
    control: ControlContext, screens: Mapping[str, PageRoute], opened: EmbedSession, bearer: str
) -> _Opened:
    """A key that was revoked after the secret was made opens no window."""
    try:
        window = await get_window(control, bearer)
    except Refused as error:
        return _Opened(opened.origin, opened.context, error=error)
    environment = window.principal.environment
    if environment is None:
        raise RuntimeError("an integration key has an environment")
    start = start_of(screens, Component(opened.component), environment, opened.context)
    return _Opened(opened.origin, opened.context, environment, start, bearer)


_HTML = "text/html; charset=utf-8"


def _page(control: ControlContext, request: Request, found: _Opened | None) -> HTTPResponse:
    context = found.context if found else {}
    accepted = request.headers.getone("accept-language", "")
    user_locale = choose_locale(context.get("locale"), accepted)
    data = {
        "origin": found.origin if found else None,
        "bearer": found.bearer if found else None,
        "start": found.start if found else None,
        "code": found.error.code if found and found.error else "session_expired",
    }
    is_open = found is not None and found.bearer is not None
    page = templates_of(user_locale.language).get_template("embed/page.html")
    return HTTPResponse(
        page.render(
            tag=user_locale.tag,
            theme=context.get("theme"),
            environment=found.environment if found else None,
            is_open=is_open,
            message=found.error.message if found and found.error else None,
            data=data,
        ),
        status=200 if is_open else _GONE,
        headers=_headers(control, found.origin if found else None),
        content_type=_HTML,
    )


def _headers(control: ControlContext, origin: str | None) -> dict[str, str]:
    """No referrer and no caching: the address holds the secret until the script removes it."""
    return page_headers(control.settings, framed_by=origin) | {"Referrer-Policy": "no-referrer"}


def _later(control: ControlContext) -> HTTPResponse:
    """A browser discards a prefetched response that failed, and requests it again when needed."""
    headers = _headers(control, None) | {"Retry-After": "0"}
    return HTTPResponse(None, status=503, headers=headers, content_type=_HTML)


def _is_prefetch(request: Request) -> bool:
    headers = (request.headers.getone(name, "").lower() for name in _PREFETCH)
    return any("prefetch" in one or "prerender" in one or "preview" in one for one in headers)


def _check_rate(control: ControlContext, request: Request) -> None:
    """Limits by address, because the caller is not known yet. Raises `Refused` (429)."""
    client_ip = client_address(peer_of(request), request.headers, control.settings.trusted_proxies)
    count = _OPENS_A_CALL * control.settings.management_per_key_s
    rate = Rate(count, 1.0, burst=3 * count)
    check_rate(control.limiter, f"embed:{network_of(client_ip)}", rate, control.clock.monotonic_s())
