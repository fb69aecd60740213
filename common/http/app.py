"""
Creates a Sanic app for the service: hardened, without its own logs, with every error in the envelope. Both planes use
it.
"""

import itertools
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import orjson
from sanic import Sanic
from sanic.config import Config

from common.http.answer import StaticHeaders
from common.http.connections import MAX_CONNECTIONS, STALLED_S, Connections
from common.http.direct_routes import DirectRoutes
from common.http.errors import EnvelopeErrorHandler
from common.http.protocol import (
    BODY_DEADLINE_S,
    HEAD_DEADLINE_S,
    StrictHttpProtocol,
)
from common.http.request_id import TracedRequest
from common.http.router import StrictRouter

IDLE_S = 30.0
"""An idle connection is closed after this time."""

_numbers = itertools.count(1)
"""Sanic keeps a registry of names; this distinguishes two apps of one kind in one process (tests)."""


class _App(Sanic[Any, Any]):
    def add_route(self, handler: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """
        As Sanic's. With ``ctx_is_counted=False``, calls without a body do not count as in progress for their address,
        and are never refused for it: those of health checks, and of operations that are not rate-limited.
        """
        if kwargs.get("ctx_is_counted", True):
            handler = _counting(handler)
        return super().add_route(handler, *args, **kwargs)

    def _determine_error_format(self, handler: object) -> str:  # noqa: ARG002 - as Sanic calls it
        """
        Sanic reads and parses the source of each handler to guess a format for its own error pages: more than a second
        for hundreds of routes. Errors of these apps have one format.
        """
        return ""


def _counting(handler: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(handler)
    def count_and_handle(request: Any, **path: str) -> Any:
        request.stream.count_call()
        return handler(request, **path)

    return count_and_handle


def bare_app(
    name: str,
    *,
    max_body_bytes: int,
    answer_headers: Mapping[str, str] | None = None,
    head_deadline_s: float = HEAD_DEADLINE_S,
    body_deadline_s: float = BODY_DEADLINE_S,
    max_connections: int = MAX_CONNECTIONS,
    stalled_s: float = STALLED_S,
    idle_s: float = IDLE_S,
) -> Sanic[Any, Any]:
    """
    Returns an app without routes. Serve it with `common.http.listen`; ``config.PROTOCOL`` enforces the strict rules,
    and may be replaced by a subclass.

    *answer_headers* are added to every response, errors too, unless the response sets them itself. Sanic's own
    variables (``SANIC_…``) have no effect.
    """
    config = Config(
        {
            "ACCESS_LOG": False,
            "AUTO_EXTEND": False,
            "INSPECTOR": False,
            "MOTD": False,
            "KEEP_ALIVE_TIMEOUT": idle_s,
            "REQUEST_TIMEOUT": 30,
            "RESPONSE_TIMEOUT": 60,
            "REQUEST_MAX_SIZE": max_body_bytes,
            "HEAD_DEADLINE_S": head_deadline_s,
            "BODY_DEADLINE_S": body_deadline_s,
        },
        env_prefix=None,
    )
    config.update(
        STATIC_HEADERS=StaticHeaders(answer_headers or {}),
        CONNECTIONS=Connections(max_connections, stalled_s),
    )
    app: Sanic[Any, Any] = _App(
        f"{name}-{next(_numbers)}",
        config=config,
        router=StrictRouter(),
        error_handler=EnvelopeErrorHandler(),
        request_class=TracedRequest,
        configure_logging=False,
        dumps=orjson.dumps,
        loads=orjson.loads,
    )
    app.config.update(DIRECT=DirectRoutes(app), PROTOCOL=StrictHttpProtocol)
    return app
