"""The edge's Sanic app. Every origin may read its responses, errors too. Preflights are answered before any check."""

from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from http import HTTPStatus
from time import monotonic
from typing import Any

from sanic import HTTPResponse, Request, Sanic

from common.contract.operation import UNAUTHENTICATED_BODY_BYTES, Operation
from common.http.answer import RawResponse
from common.http.app import bare_app
from common.http.errors import EnvelopeErrorHandler
from common.http.raw_response import EncodedResponse
from common.http.responses import no_content
from common.http.router import READING
from common.values.errors import ApiError, Unavailable
from common.values.messages import Message
from edge.context import EdgeContext
from edge.http.tracing import Handler, traced
from edge.snapshots.handle import SnapshotMissing

MAX_BODY_BYTES = UNAUTHENTICATED_BODY_BYTES
"""Largest request body of operations that set no limit of their own."""
_FAULT = HTTPStatus.INTERNAL_SERVER_ERROR.value

Lifetime = Callable[[], AbstractAsyncContextManager[EdgeContext]]
"""Opens and closes a worker's context. Entered before the first request is accepted, left after the last response."""
Check = Callable[[Request[Any, Any]], None]
"""Checks the head of a request; raises `ApiError` to refuse it."""

_ANSWER_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": (
        "Deprecation, ETag, Retry-After, Sunset, X-Decision-Id, X-No-Fill-Reason, X-Request-Id, X-Track-Result"
    ),
    "Timing-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Content-Type-Options": "nosniff",
}
_PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Encoding, Content-Type, If-None-Match, Range, X-Request-Id, X-Service-Key"
    ),
    "Access-Control-Max-Age": "86400",
}


def edge_app(lifetime: Lifetime, *, is_traced: bool = False) -> Sanic[Any, Any]:
    """
    An app without routes, whose ``ctx.edge`` is the context that *lifetime* opens. *is_traced*: whether that context
    has traces.
    """
    app = bare_app(
        "placard-edge",
        max_body_bytes=MAX_BODY_BYTES,
        answer_headers=_ANSWER_HEADERS,
    )
    app.config.update(IS_TRACED=is_traced)
    opened = AsyncExitStack()

    async def open_context(app: Sanic[Any, Any]) -> None:
        app.ctx.edge = await opened.enter_async_context(lifetime())
        connections, settings = app.config.CONNECTIONS, app.ctx.edge.settings
        connections.max_per_address = settings.connections_per_address
        connections.proxies_count = settings.proxies_count
        app.ctx.edge.metrics.connections = connections

    async def close_context(_: Sanic[Any, Any]) -> None:
        await opened.aclose()

    app.register_listener(open_context, "before_server_start")
    app.register_listener(close_context, "after_server_stop")
    _answer_errors(app)
    return app


def add_operation(
    app: Sanic[Any, Any],
    operation: Operation,
    handler: Handler,
    *,
    head: bool = False,
    direct: bool = False,
    before_body: Check | None = None,
) -> None:
    """
    Adds the operation's route and its preflight.

    *head*: HEAD is answered as GET, without the body. *direct*: bypasses Sanic's router, for the most frequent
    operations; see `common.http.direct_routes`. *before_body*: a check that runs before the body is received.
    """
    methods: list[str] = [*READING] if head else [operation.method]
    if operation.announces:
        handler = _announcing(operation, handler)
        before_body = before_body and _announcing_check(operation, before_body)
    handler = _measured(app, operation, handler)
    if app.config.IS_TRACED:
        handler = traced(app, operation, handler)
    app.add_route(
        handler,
        operation.sanic_path,
        methods=methods,
        name=operation.id,
        ctx_body_bytes=operation.max_body_bytes,
        ctx_before_body=before_body,
        ctx_is_counted=operation.is_rate_limited,
    )
    if direct:
        app.config.DIRECT.add(operation.method, operation.path, handler)
    _answer_preflights(app, operation.sanic_path, methods, name=operation.id)


def _announcing(operation: Operation, handler: Handler) -> Handler:
    """Adds the operation's announcement of its removal to every response, errors too."""

    async def announce(request: Request, **path: str) -> HTTPResponse:
        announced = operation.announcement(request.args)
        try:
            answer = await handler(request, **path)
        except ApiError as error:
            error.headers = announced | error.headers
            raise
        return _with_headers(answer, announced)

    return announce


def _announcing_check(operation: Operation, check: Check) -> Check:
    def announce(request: Request[Any, Any]) -> None:
        try:
            check(request)
        except ApiError as error:
            error.headers = operation.announcement(request.args) | error.headers
            raise

    return announce


def _with_headers(answer: HTTPResponse, headers: Mapping[str, str]) -> HTTPResponse:
    """*answer*, or a copy with *headers* where its head is encoded already."""
    if not isinstance(answer, EncodedResponse):
        answer.headers.extend(headers)
        return answer
    ready = answer.ready
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("ascii")
    return EncodedResponse(
        RawResponse(
            ready.head + lines,
            ready.body,
            status=ready.status,
            headers={**ready.headers, **headers},
        )
    )


def _measured(app: Sanic[Any, Any], operation: Operation, handler: Handler) -> Handler:
    """Reports how long *handler* took; nothing where the client disconnected."""
    name = operation.id

    async def measured(request: Request, **path: str) -> HTTPResponse:
        begun_s = monotonic()
        try:
            response = await handler(request, **path)
        except Exception as error:
            status = error.status if isinstance(error, ApiError) else _FAULT
            app.ctx.edge.metrics.latencies.observe(name, status, monotonic() - begun_s)
            raise
        app.ctx.edge.metrics.latencies.observe(name, response.status, monotonic() - begun_s)
        return response

    return measured


def add_plain(
    app: Sanic[Any, Any],
    path: str,
    handler: Handler,
    *,
    name: str | None = None,
    is_counted: bool = True,
) -> None:
    """
    Adds a route outside the public API description, with its preflight. *is_counted*: its calls count as in progress
    for their address, behind trusted proxies.
    """
    methods, name = list(READING), name or path.strip("/")
    app.add_route(
        _unless_sent(handler), path, methods=methods, name=name, ctx_is_counted=is_counted
    )
    _answer_preflights(app, path, methods, name=name)


def _unless_sent(handler: Handler) -> Callable[..., Coroutine[Any, Any, HTTPResponse | None]]:
    """Returns no response after `Request.respond`: Sanic logs an error for one that it cannot send."""

    async def handle(request: Request, **path: str) -> HTTPResponse | None:
        answer = await handler(request, **path)
        return None if request.responded else answer

    return handle


def _answer_preflights(app: Sanic[Any, Any], path: str, methods: list[str], *, name: str) -> None:
    headers = {
        **_PREFLIGHT_HEADERS,
        "Access-Control-Allow-Methods": ", ".join([*methods, "OPTIONS"]),
    }

    async def preflight(_: Request, **_path: str) -> HTTPResponse:
        return no_content(headers)

    app.add_route(
        preflight, path, methods=["OPTIONS"], name=f"{name}-preflight", ctx_is_counted=False
    )


def _answer_errors(app: Sanic[Any, Any]) -> None:
    handler = app.error_handler
    if not isinstance(handler, EnvelopeErrorHandler):
        raise TypeError("bare_app comes with the envelope's error handler")
    handler.translate(
        SnapshotMissing,
        Unavailable(
            Message("This edge has no snapshot yet and cannot serve. Try again in a moment.")
        ),
    )

    def count(error: ApiError) -> None:
        app.ctx.edge.metrics.count_refusal(error.code)

    handler.observe = count
