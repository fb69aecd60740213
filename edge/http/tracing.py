"""Traces of operations that Sanic handles (ADR 111)."""

from collections.abc import Callable, Coroutine
from typing import Any

from sanic import HTTPResponse, Request, Sanic

from common.contract.operation import Operation
from edge.tracking.traced_request import begin_traced, finish_traced, status_of

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
            finish_traced(call, operation, request, path, status=status_of(error), body=None)
            raise
        finish_traced(call, operation, request, path, status=response.status, body=response.body)
        return response

    return trace
