"""The endpoints that sign in and out and manage sessions. Sessions belong to a user, across all accounts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import assert_never

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.listing import before_id, page_of
from control.api.session_limits import Limits, limits_of
from control.foundation.resource_models import from_row
from control.identity.sessions import operations, queries
from control.identity.sessions.refresh import refresh
from control.identity.sessions.schemas import (
    PasswordGrant,
    RefreshGrant,
    Revoked,
    SessionPublic,
    TokenAnswer,
    TokenRequest,
)
from control.identity.sessions.sign_in import prove_password, sign_in
from control.identity.users.current_user import current_user
from control.storage.tables.sessions import SessionRow


@asynccontextmanager
async def prove(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """Check the password before the transaction: hashing takes long, and a failed attempt must stay counted."""
    request: TokenRequest = call.body
    grant = request.root
    if isinstance(grant, PasswordGrant):
        yield PreparedInput(await prove_password(call, grant))
    else:
        yield PreparedInput(None)


async def get_token(call: Call) -> Reply:
    request: TokenRequest = call.body
    grant = request.root
    match grant:
        case PasswordGrant():
            tokens = await sign_in(call, grant)
        case RefreshGrant():
            tokens = await refresh(call, grant)
        case _:
            assert_never(grant)
    answer = TokenAnswer(
        access_token=tokens.access,
        expires_in=call.control.settings.access_token_s,
        refresh_token=tokens.refresh,
    )
    return Reply(answer, headers={"Cache-Control": "no-store", "Pragma": "no-cache"}, secret=True)


async def sign_out(call: Call) -> Reply:
    call.object_id = current_user(call.principal).session_id
    await queries.revoke_session(call.session, call.object_id, call.now)
    return Reply(status=204)


async def list_own(call: Call) -> Reply:
    me = current_user(call.principal)
    limits = limits_of(call.control.settings)
    found = await queries.list_sessions(
        call.session,
        me.user_id,
        limits=limits,
        now=call.now,
        limit=call.query.limit,
        before_id=before_id(call),
    )
    return Reply(page_of(call, found, lambda row: _public(row, limits, me.session_id)))


async def revoke(call: Call) -> Reply:
    me = current_user(call.principal)
    limits = limits_of(call.control.settings)
    row = await queries.get_session(call.session, me.user_id, call.path["id"])
    if row.revoked_at is not None or limits.ends_at(row.created_at, row.last_used_at) <= call.now:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The session has already ended. There is nothing to do."),
        )
    row.revoked_at = call.now
    return Reply(_public(row, limits, me.session_id))


async def revoke_others(call: Call) -> Reply:
    me = current_user(call.principal)
    ended = await queries.revoke_sessions(call.session, me.user_id, call.now, but=me.session_id)
    return Reply(Revoked(revoked=ended))


def _public(row: SessionRow, limits: Limits, current_id: str | None) -> SessionPublic:
    return from_row(
        SessionPublic,
        row,
        expires_at=limits.ends_at(row.created_at, row.last_used_at),
        agent=row.agent or None,
        is_current=row.id == current_id,
    )


ENDPOINTS = (
    Endpoint(operations.GET_TOKEN, get_token, prepare=prove),
    Endpoint(operations.SIGN_OUT, sign_out, of_person=True),
    Endpoint(operations.LIST, list_own, of_person=True),
    Endpoint(operations.REVOKE, revoke, of_person=True),
    Endpoint(operations.REVOKE_OTHERS, revoke_others, of_person=True),
)
