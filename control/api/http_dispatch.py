"""
Dispatches management requests over HTTP: admission, parsing, then `control.api.execute`. The order is the documented
order of refusals.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse

from common.contract.operation import Operation
from common.contract.validation_errors import with_faults_of
from common.http.errors import api_error
from common.http.responses import JSON
from common.http.router import READING
from common.values.errors import ApiError, Refused
from control.api.admission import Admission, admit, receive_body
from control.api.call import Endpoint
from control.api.context import ControlContext
from control.api.execute import IdempotentRequest, OperationInput, check_permission, execute
from control.api.idempotency import StoredResponse
from control.api.tracing import HEADER, ApiSpan
from control.foundation.http.inputs import (
    ON_LOOP_BYTES,
    find_idempotency_key,
    parse_body,
    parse_query,
    parse_version,
)


def add_endpoint(app: Sanic[Any, Any], control: ControlContext, endpoint: Endpoint) -> None:
    """Serves *endpoint* at its operation's path."""
    operation = endpoint.operation

    async def handle(request: Request, **path: str) -> HTTPResponse:
        started_s = control.clock.monotonic_s()
        code, status = "ok", 0
        span = _begin_span(control, operation, request)
        static_headers = operation.announcement(request.args) if operation.announces else {}
        try:
            admission = await admit(control, operation, request)
            static_headers = static_headers | admission.rate.headers
            answer = await _answer(control, endpoint, request, path, admission)
            status = answer.status
        except Exception as error:
            wire = api_error(error)
            code, status = wire.code, wire.status
            if isinstance(error, ApiError):
                error.headers = static_headers | error.headers
            raise
        finally:
            control.metrics.requests.labels(operation.id, code).inc()
            seconds = control.clock.monotonic_s() - started_s
            exemplar = None if span is None else span.exemplar
            control.metrics.seconds.labels(operation.id).observe(seconds, exemplar)
            if span is not None and status:  # 0: the client disconnected
                span.finish(status, code)
        return HTTPResponse(
            answer.body or None,
            status=answer.status,
            headers=static_headers | answer.headers,
            content_type=JSON if answer.body else None,
        )

    app.add_route(
        handle,
        operation.sanic_path,
        methods=READING if operation.method == "GET" else (operation.method,),
        name=operation.id,
        stream=True,  # the body is read after authentication
    )


def _begin_span(control: ControlContext, operation: Operation, request: Request) -> ApiSpan | None:
    if control.tracing is None:
        return None
    return control.tracing.begin(operation, request.headers.getall(HEADER, ()))


async def _answer(
    control: ControlContext,
    endpoint: Endpoint,
    request: Request,
    path: dict[str, str],
    admission: Admission,
) -> StoredResponse:
    check_permission(endpoint, admission.principal, path)
    if not endpoint.streams:
        max_bytes = endpoint.operation.max_body_bytes
        await receive_body(control, request, admission.client_ip, max_bytes=max_bytes)
    return await execute(control, endpoint, await _parse_input(endpoint, request, path), admission)


async def _parse_input(
    endpoint: Endpoint, request: Request, path: dict[str, str]
) -> OperationInput:
    operation = endpoint.operation
    body = None if endpoint.streams else await _parsed_body(operation, request)
    try:
        query = parse_query(operation, request)
    except Refused as refused:
        raise with_faults_of(refused, body) from None
    return OperationInput(
        request=request,
        path=path,
        query=query,
        body=body,
        version=_or_refusal(parse_version, operation, request),
        once=_once(operation, request),
    )


def _once(operation: Operation, request: Request) -> IdempotentRequest | None:
    key = find_idempotency_key(operation, request)
    if key is None:
        return None
    return IdempotentRequest(key, request.path, request.query_string, request.body)


async def _parsed_body(operation: Operation, request: Request) -> Any:
    """Parses a long body outside the event loop."""
    if len(request.body) <= ON_LOOP_BYTES:
        return _or_refusal(parse_body, operation, request)
    return await asyncio.to_thread(_or_refusal, parse_body, operation, request)


def _or_refusal(
    parse: Callable[[Operation, Request], Any], operation: Operation, request: Request
) -> Any:
    """Returns a refusal as a value; it is raised when the handler reads the input, after it found its object."""
    try:
        return parse(operation, request)
    except Refused as refusal:
        return refusal
