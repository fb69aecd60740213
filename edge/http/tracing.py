"""Traces of operations that Sanic handles (ADR 111)."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from sanic import HTTPResponse, Request, Sanic

from common.contract.operation import Operation
from edge.tracking.traced_request import begin_traced, find_events, status_of

Handler = Callable[..., Coroutine[Any, Any, HTTPResponse]]
"""Takes the request, and the path's parameters by name."""


def traced(app: Sanic[Any, Any], operation: Operation, handler: Handler) -> Handler:
    """Returns *handler*, with spans for the calls that are traced."""

    async def trace(request: Request, **path: str) -> HTTPResponse:
        call = begin_traced(app.ctx.edge, operation, request, path)
        if call is None:
            return await handler(request, **path)
        request.ctx.edge = call.edge
        try:
            response = await handler(request, **path)
        except Exception as error:
            call.finish(status_of(error))
            raise
        now_ms = call.edge.clock.now_ms()
        call.finish(
            response.status,
            partial(find_events, operation, request, path, response, now_ms),
        )
        return response

    return trace
