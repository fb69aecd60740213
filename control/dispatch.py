"""
The way of every management call, in one place: the door, what did they send, then the handler in its transaction,
the outbox, the commit, the answer. The order is that of the promised refusals.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from sanic import Request, Sanic
from sanic.response import HTTPResponse
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from common.contract.operation import Operation
from common.errors import ErrorCode, Refused, not_found
from common.http.errors import api_error
from common.http.request_id import request_id
from common.http.responses import JSON
from control.admission import admit
from control.call import Call, Endpoint, Reply
from control.context import ControlContext
from control.database import sql_state
from control.http.inputs import find_idempotency_key, parse_body, parse_query, parse_version
from control.idempotency import Answer, Claim, answer_once, new_claim
from control.principal import Principal
from control.publishing.changes import Changes
from control.publishing.outbox import flush

_UNIQUE_VIOLATION = "23505"


def add_endpoint(app: Sanic[Any, Any], control: ControlContext, endpoint: Endpoint) -> None:
    """Serve *endpoint* at its operation's path."""
    operation = endpoint.operation

    async def handle(request: Request, **path: str) -> HTTPResponse:
        started_s = control.clock.monotonic_s()
        code = "ok"
        try:
            answer = await _answer(control, endpoint, request, path)
        except Exception as error:
            code = api_error(error).code
            raise
        finally:
            control.metrics.requests.labels(operation.id, code).inc()
            seconds = control.clock.monotonic_s() - started_s
            control.metrics.seconds.labels(operation.id).observe(seconds)
        return HTTPResponse(
            answer.body or None,
            status=answer.status,
            headers=answer.headers,
            content_type=JSON if answer.body else None,
        )

    app.add_route(handle, operation.sanic_path, methods=[operation.method], name=operation.id)


async def _answer(
    control: ControlContext, endpoint: Endpoint, request: Request, path: dict[str, str]
) -> Answer:
    operation = endpoint.operation
    principal = await admit(control, operation, request)
    if any("\0" in value for value in path.values()):
        raise not_found()
    now = control.clock.now()
    query = parse_query(operation, request)
    claim = _find_claim(operation, request, principal, query)
    async with _transaction(control, principal) as session:
        call = Call(
            operation=operation,
            control=control,
            session=session,
            now=now,
            request_id=request_id(request),
            client_ip=request.ip,
            path=path,
            query=query,
            parsed_body=_or_refusal(parse_body, operation, request),
            parsed_version=_or_refusal(parse_version, operation, request),
            changes=Changes(),
            caller=principal,
        )
        if claim is None:
            answer = await _work(endpoint, call)
        else:
            answer = await answer_once(
                session, claim, control.keys, now, lambda: _work(endpoint, call)
            )
        if call.changes:  # last, for it holds the head of the outbox until the commit
            await flush(session, call.changes, keys=control.keys, now=now)
        return answer


def _transaction(
    control: ControlContext, principal: Principal | None
) -> AbstractAsyncContextManager[AsyncSession]:
    if principal is None:
        return control.database.service()
    return control.database.tenant(principal.account_id)


async def _work(endpoint: Endpoint, call: Call) -> Answer:
    """The handler and its writes, not committed yet."""
    try:
        reply = await endpoint.handler(call)
        _ = call.body, call.if_match  # wrong input is refused though the handler never asked for it
        await call.session.flush()
    except IntegrityError as error:
        if sql_state(error) != _UNIQUE_VIOLATION:
            raise
        raise Refused(
            ErrorCode.ALREADY_EXISTS,
            "An object with this unique value was made a moment ago. Choose another value.",
        ) from error
    return _encode(reply)


def _encode(reply: Reply) -> Answer:
    body = b"" if reply.body is None else reply.body.model_dump_json().encode()
    return Answer(reply.status, dict(reply.headers), body, reply.secret)


def _find_claim(
    operation: Operation, request: Request, principal: Principal | None, query: Any
) -> Claim | None:
    key = find_idempotency_key(operation, request)
    if key is None:
        return None
    environment = principal.environment if principal else None
    return new_claim(
        key,
        principal=principal.identity if principal else "public",
        account_id=principal.account_id if principal else None,
        environment=environment or getattr(query, "environment", None) or "",
        route=f"{operation.method} {operation.path}",
        path=request.path,
        query=request.query_string,
        body=request.body,
    )


def _or_refusal(
    parse: Callable[[Operation, Request], Any], operation: Operation, request: Request
) -> Any:
    """The refusal as a value: it is raised when the handler asks, after it found its object."""
    try:
        return parse(operation, request)
    except Refused as refusal:
        return refusal
