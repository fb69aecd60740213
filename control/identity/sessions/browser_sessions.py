"""
Sessions of a browser: started by a password, then the code of a second factor, or from another account's session.

The password is requested once. If a code is needed too, a sealed ticket (`tickets`) replaces the password between the
two forms. A user without an account has no session: another ticket gives them access to their own data.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession

from common.contract.models import WireIn
from common.contract.operation import Operation
from common.http.client_address import network_of
from common.user_agent.user_agent import parse_user_agent
from common.values.errors import ErrorCode, Refused
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.session_limits import limits_of
from control.identity.sessions import operations, queries
from control.identity.sessions.endpoints import prove
from control.identity.sessions.schemas import PasswordGrant, TokenRequest
from control.identity.sessions.sign_in import (
    Proven,
    check_user,
    finish_sign_in,
    open_session_of,
)
from control.identity.sessions.sign_in_throttle import Attempt
from control.identity.sessions.tickets import TicketFor, open_ticket, seal_ticket
from control.identity.users.memberships import account_ids_of
from control.identity.users.trusted_networks import is_known_network
from control.storage.tables.accounts import UserRow
from control.storage.tables.sessions import SessionRow


class SecondStep(WireIn):
    ticket: str = Field(max_length=2000)
    otp: str = Field(max_length=64)


def new_cookie(call: Call, started: SessionRow) -> Reply:
    token = queries.add_cookie(call.session, started, limits_of(call.control.settings), call.now)
    return Reply({"cookie": token}, secret=True)


def read_cookie(body: bytes) -> str:
    """The token in a response of `new_cookie`."""
    return str(orjson.loads(body)["cookie"])


async def _open(call: Call) -> Reply:
    """The cookie's token, the ticket for the second step, or the one for the data of a user without an account."""
    request: TokenRequest = call.body
    grant = request.root
    if not isinstance(grant, PasswordGrant):
        raise TypeError("the form of a sign-in sends a password")
    try:
        return await _enter(call, grant)
    except Refused as error:
        if not any(detail.code == "otp_required" for detail in error.details):
            raise
    return Reply({"ticket": await _ticket(call)}, secret=True)


async def _open_by_code(call: Call) -> Reply:
    step: SecondStep = call.body
    proven: Proven = call.prepared
    grant = PasswordGrant(
        grant_type="password", email=proven.attempt.email, password="", otp=step.otp
    )
    return await _enter(call, grant)


async def _enter(call: Call, grant: PasswordGrant) -> Reply:
    user = await check_user(call, grant.otp)
    if await account_ids_of(call.session, user.id):
        return new_cookie(call, await open_session_of(call, user, grant, even_suspended=True))
    await finish_sign_in(call, user)
    return Reply({"own_data_ticket": seal_ticket(call, user, TicketFor.OWN_DATA)}, secret=True)


@asynccontextmanager
async def _read_ticket(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    step: SecondStep = call.body
    async with call.control.database.service() as session:
        user = await open_ticket(session, call, step.ticket, TicketFor.SECOND_STEP)
        attempt = await _attempt(session, user, call)
    agent = parse_user_agent(call.request.headers.getone("user-agent", "")).family or ""
    yield PreparedInput(Proven(user.id, user.password_hash, None, agent, attempt))


OPEN = Endpoint(operations.GET_TOKEN, _open, prepare=prove)
"""As ``POST /v1/auth/token``, with a cookie's token instead of a pair of tokens for programs."""

OPEN_BY_CODE = Endpoint(
    Operation(
        id="signInByCode",
        method="POST",
        path="/sign-in",
        tag="Sign-in",
        summary="Sign in a browser, second step",
        body=SecondStep,
        answers=(),
        errors=(ErrorCode.INVALID_GRANT,),
    ),
    _open_by_code,
    prepare=_read_ticket,
)


async def _ticket(call: Call) -> str:
    """A password hashed at an old cost is hashed again here, because the second step does not have it."""
    proven: Proven = call.prepared
    user = await call.session.get_one(UserRow, proven.user_id)
    if proven.fresh is not None:
        user.password_hash = proven.fresh
    return seal_ticket(call, user, TicketFor.SECOND_STEP)


async def _attempt(session: AsyncSession, user: UserRow, call: PreTransactionCall) -> Attempt:
    """Counted as failed until the code is correct. Raises `Refused` (429)."""
    known = await is_known_network(session, user.id, call.client_ip)
    attempt = Attempt(user.email, network_of(call.client_ip), known)
    await attempt.begin(session, call.now)
    return attempt
