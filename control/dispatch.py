"""
The way of every management call, in one place: the door, what did they send, what must be waited for outside, then
the handler in its transaction with its line in the audit log, the outbox, the commit, the answer. The order is that
of the promised refusals.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import Any

import orjson
from pydantic import BaseModel
from sanic import Request, Sanic
from sanic.response import HTTPResponse
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from common.contract.operation import Operation
from common.errors import ApiError, ErrorCode, Refused, not_found
from common.http.errors import api_error
from common.http.request_id import request_id
from common.http.responses import JSON
from control.accounts.audit import record_act
from control.accounts.moves import watch_moves
from control.admission import Admission, admit
from control.authorization import authorize
from control.call import Approach, Call, Endpoint, Prepared, Reply
from control.context import ControlContext
from control.database import sql_state
from control.http.inputs import find_idempotency_key, parse_body, parse_query, parse_version
from control.idempotency import Answer, Claim, answer_once, new_claim
from control.principal import Principal
from control.publishing.changes import Changes
from control.publishing.outbox import flush
from control.second_factors.enrolment import check_enrolled

SNAPSHOT_VERSION = "X-Snapshot-Version"
_UNIQUE_VIOLATION = "23505"


def add_endpoint(app: Sanic[Any, Any], control: ControlContext, endpoint: Endpoint) -> None:
    """Serve *endpoint* at its operation's path."""
    operation = endpoint.operation

    async def handle(request: Request, **path: str) -> HTTPResponse:
        started_s = control.clock.monotonic_s()
        code = "ok"
        standing: dict[str, str] = {}
        try:
            admission = await admit(control, operation, request)
            standing = admission.rate.headers
            answer = await _answer(control, endpoint, request, path, admission)
        except Exception as error:
            code = api_error(error).code
            if isinstance(error, ApiError):
                error.headers = standing | error.headers
            raise
        finally:
            control.metrics.requests.labels(operation.id, code).inc()
            seconds = control.clock.monotonic_s() - started_s
            control.metrics.seconds.labels(operation.id).observe(seconds)
        return HTTPResponse(
            answer.body or None,
            status=answer.status,
            headers=standing | answer.headers,
            content_type=JSON if answer.body else None,
        )

    app.add_route(
        handle,
        operation.sanic_path,
        methods=[operation.method],
        name=operation.id,
        stream=endpoint.streams,
    )


async def _answer(
    control: ControlContext,
    endpoint: Endpoint,
    request: Request,
    path: dict[str, str],
    admission: Admission,
) -> Answer:
    operation, principal = endpoint.operation, admission.principal
    if principal is not None:
        authorize(operation, principal)
        check_enrolled(operation, principal)
    if any("\0" in value for value in path.values()):
        raise not_found()
    approach = Approach(
        operation=operation,
        control=control,
        request=request,
        now=control.clock.now(),
        client_ip=admission.client_ip,
        path=path,
        query=parse_query(operation, request),
        parsed_body=None if endpoint.streams else _or_refusal(parse_body, operation, request),
        caller=principal,
    )
    idempotency_key = find_idempotency_key(operation, request)
    async with _prepared(endpoint, approach) as prepared:
        claim = _find_claim(idempotency_key, approach, prepared)
        async with _transaction(control, endpoint, principal) as session:
            call = _call(approach, admission, prepared, session)
            if claim is None:
                return await _work_and_tell(endpoint, call)
            return await answer_once(
                session, claim, control.keys, call.now, lambda: _work_and_tell(endpoint, call)
            )


def _prepared(endpoint: Endpoint, approach: Approach) -> AbstractAsyncContextManager[Prepared]:
    if endpoint.prepare is None:
        return nullcontext(Prepared(None))
    return endpoint.prepare(approach)


def _call(
    approach: Approach, admission: Admission, prepared: Prepared, session: AsyncSession
) -> Call:
    request = approach.request
    return Call(
        operation=approach.operation,
        control=approach.control,
        session=session,
        now=approach.now,
        request_id=request_id(request),
        client_ip=approach.client_ip,
        path=approach.path,
        query=approach.query,
        parsed_body=approach.parsed_body,
        parsed_version=_or_refusal(parse_version, approach.operation, request),
        changes=Changes(),
        caller=approach.caller,
        rate=admission.rate,
        prepared=prepared.value,
    )


def _transaction(
    control: ControlContext, endpoint: Endpoint, principal: Principal | None
) -> AbstractAsyncContextManager[AsyncSession]:
    if principal is None or endpoint.of_person:
        return control.database.service()
    return control.database.tenant(principal.account_id)


async def _work_and_tell(endpoint: Endpoint, call: Call) -> Answer:
    """
    The answer names the snapshot version that will hold the change. Writing that version comes last, for it holds the
    head of the outbox until the commit; only an answer that is stored for replays is written after it.
    """
    answer = await _work(endpoint, call)
    version = await flush(call.session, call.changes, keys=call.control.keys, now=call.now)
    if version is None:
        return answer
    return replace(answer, headers={**answer.headers, SNAPSHOT_VERSION: str(version)})


async def _work(endpoint: Endpoint, call: Call) -> Answer:
    """The handler and its writes, not committed yet."""
    watch_moves(call.session)
    try:
        reply = await endpoint.handler(call)
        _ = call.body, call.if_match  # wrong input is refused though the handler never asked for it
        if call.operation.method != "GET":
            await call.session.flush()
            record_act(call, reply)
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
    return Answer(reply.status, dict(reply.headers), _json(reply.body), reply.secret)


def _json(body: BaseModel | dict[str, Any] | None) -> bytes:
    match body:
        case None:
            return b""
        case dict():
            return orjson.dumps(body)
        case _:
            return body.model_dump_json().encode()


def _find_claim(key: str | None, approach: Approach, prepared: Prepared) -> Claim | None:
    if key is None:
        return None
    request, principal = approach.request, approach.caller
    environment = principal.environment if principal else None
    return new_claim(
        key,
        principal=principal.identity if principal else "public",
        account_id=principal.account_id if principal else None,
        environment=environment or getattr(approach.query, "environment", None) or "",
        route=f"{approach.operation.method} {approach.operation.path}",
        path=request.path,
        query=request.query_string,
        body=request.body if prepared.fingerprint is None else prepared.fingerprint,
    )


def _or_refusal(
    parse: Callable[[Operation, Request], Any], operation: Operation, request: Request
) -> Any:
    """The refusal as a value: it is raised when the handler asks, after it found its object."""
    try:
        return parse(operation, request)
    except Refused as refusal:
        return refusal
