"""
Executes every admitted management call, in one place: preparation with outside I/O, then the handler in its
transaction, its audit record, the outbox, the commit and the response.

HTTP calls arrive by `control.api.http_dispatch`, those of dashboard pages by `control.dashboard.page_request`. So a
page can do only what the API can, in the same way.
"""

from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import BaseModel
from sanic import Request
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from common.http.client_address import network_of
from common.http.request_id import request_id
from common.values.errors import ErrorCode, Refused, not_found
from common.values.ids import canonical_id
from common.values.messages import Message
from control.api.admission import Admission
from control.api.audit import record_act
from control.api.audit_changes import track_state_changes
from control.api.authorization import authorize
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.context import ControlContext
from control.api.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    find_stored_response,
    new_claim,
    run_once,
)
from control.api.two_factor_enrolment import check_enrolled
from control.foundation.principal import Principal
from control.outbox.changes import Changes
from control.outbox.outbox import flush
from control.outbox.state import get_head
from control.storage.database import sql_state

SNAPSHOT_VERSION = "X-Snapshot-Version"
_UNIQUE_VIOLATION = "23505"


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """``Idempotency-Key`` *key*, and what must be equal in a repeated call."""

    key: str
    path: str
    query: str
    body: bytes


@dataclass(frozen=True, slots=True)
class OperationInput:
    """
    Input of a call. ``body`` and ``version`` hold a `Refused` where they are invalid. It is raised when the handler
    reads them, after it found its object.
    """

    request: Request
    """For streamed bodies, and for headers that describe the client."""
    path: dict[str, str]
    query: Any
    body: Any
    version: int | Refused | None
    once: IdempotentRequest | None = None


def check_permission(endpoint: Endpoint, caller: Principal | None, path: dict[str, str]) -> None:
    """Raises `Refused`. It runs before any input is examined."""
    if caller is not None:
        authorize(endpoint.operation, caller)
        check_enrolled(endpoint.operation, caller)
    if any("\0" in value for value in path.values()):
        raise not_found()


async def execute(
    control: ControlContext,
    endpoint: Endpoint,
    operation_input: OperationInput,
    admission: Admission,
) -> StoredResponse:
    """
    Returns the committed response. Call `check_permission` first.

    Raises `ApiError`, and then nothing was changed.
    """
    pre_call = PreTransactionCall(
        operation=endpoint.operation,
        control=control,
        request=operation_input.request,
        now=control.clock.now(),
        client_ip=admission.client_ip,
        path={name: canonical_id(text) for name, text in operation_input.path.items()},
        query=operation_input.query,
        parsed_body=operation_input.body,
        parsed_version=operation_input.version,
        caller=admission.principal,
    )
    stored = await _find_stored_response(endpoint, pre_call, operation_input.once)
    if stored is not None:
        return stored
    async with _prepared(endpoint, pre_call) as prepared:
        claim = _find_claim(operation_input.once, pre_call, prepared)
        async with _transaction(control, endpoint, admission.principal) as session:
            call = _call(pre_call, operation_input, admission, prepared, session)
            if claim is None:
                return await _run_and_version(endpoint, call)
            return await run_once(
                session, claim, control.keys, call.now, lambda: _run_and_version(endpoint, call)
            )


async def _find_stored_response(
    endpoint: Endpoint, call: PreTransactionCall, once: IdempotentRequest | None
) -> StoredResponse | None:
    """
    Looks for the response of a finished call before ``prepare``, which could refuse its repetition or count it as
    another attempt. A streamed body has no fingerprint before ``prepare`` has read it.
    """
    if endpoint.prepare is None or endpoint.streams:
        return None
    claim = _find_claim(once, call, PreparedInput(None))
    if claim is None:
        return None
    async with _transaction(call.control, endpoint, call.caller) as session:
        return await find_stored_response(session, claim, call.control.keys, call.now)


def _prepared(
    endpoint: Endpoint, call: PreTransactionCall
) -> AbstractAsyncContextManager[PreparedInput]:
    if endpoint.prepare is None:
        return nullcontext(PreparedInput(None))
    return endpoint.prepare(call)


def _call(
    call: PreTransactionCall,
    operation_input: OperationInput,
    admission: Admission,
    prepared: PreparedInput,
    session: AsyncSession,
) -> Call:
    return Call(
        operation=call.operation,
        control=call.control,
        session=session,
        now=call.now,
        request_id=request_id(operation_input.request),
        client_ip=call.client_ip,
        path=call.path,
        query=call.query,
        parsed_body=call.parsed_body,
        parsed_version=call.parsed_version,
        changes=Changes(),
        caller=call.caller,
        rate=admission.rate,
        prepared=prepared.value,
    )


def _transaction(
    control: ControlContext, endpoint: Endpoint, principal: Principal | None
) -> AbstractAsyncContextManager[AsyncSession]:
    if principal is None or endpoint.of_person:
        return control.database.service()
    return control.database.tenant(principal.account_id, is_steady=endpoint.is_steady)


async def _run_and_version(endpoint: Endpoint, call: Call) -> StoredResponse:
    """
    The response names the snapshot version that will hold the change. For a change that edges do not see, like a
    draft's, it names the current version. The version is written last, because it locks the head of the outbox until
    the commit;
    only a response that is stored for replays is written after it.
    """
    answer = await _work(endpoint, call)
    if not call.changes:
        return answer
    version = await flush(call.session, call.changes, keys=call.control.keys, now=call.now)
    if version is None:
        version = (await get_head(call.session)).version
    return replace(answer, headers={**answer.headers, SNAPSHOT_VERSION: str(version)})


async def _work(endpoint: Endpoint, call: Call) -> StoredResponse:
    """Runs the handler and its writes, uncommitted."""
    track_state_changes(call.session)
    try:
        reply = await endpoint.handler(call)
        _ = call.body, call.if_match  # refuses invalid input that the handler never read
        if call.operation.method != "GET":
            await call.session.flush()
            record_act(call, reply)
            await call.session.flush()
    except IntegrityError as error:
        if sql_state(error) != _UNIQUE_VIOLATION:
            raise
        raise Refused(
            ErrorCode.ALREADY_EXISTS,
            Message(
                "Another object with this unique value was created a moment ago. Choose another "
                "value."
            ),
        ) from error
    return _encode(reply)


def _encode(reply: Reply) -> StoredResponse:
    body = reply.body
    model = body if isinstance(body, BaseModel) else None
    return StoredResponse(reply.status, dict(reply.headers), _json(body), reply.secret, model)


def _json(body: BaseModel | dict[str, Any] | None) -> bytes:
    match body:
        case None:
            return b""
        case dict():
            return orjson.dumps(body)
        case _:
            return body.model_dump_json().encode()


def _find_claim(
    once: IdempotentRequest | None, call: PreTransactionCall, prepared: PreparedInput
) -> IdempotencyClaim | None:
    if once is None:
        return None
    principal = call.caller
    environment = principal.environment if principal else None
    return new_claim(
        once.key,
        # For unauthenticated callers: by network, so that no other network's key and response are reachable.
        principal=principal.identity if principal else f"public:{network_of(call.client_ip)}",
        account_id=principal.account_id if principal else None,
        environment=environment or getattr(call.query, "environment", None) or "",
        route=f"{call.operation.method} {call.operation.path}",
        path=once.path,
        query=once.query,
        body=once.body if prepared.fingerprint is None else prepared.fingerprint,
    )
