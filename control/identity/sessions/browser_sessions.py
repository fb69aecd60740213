"""
Sessions of a browser: started by a password, then the code of a second factor, or from another account's session.

The password is requested once. If a code is needed too, a sealed ticket replaces the password between the two forms. It
is valid for ten minutes, for this user, and only while the password is unchanged.
"""

import hashlib
import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import orjson
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession

from common.contract.models import WireIn
from common.contract.operation import Operation
from common.http.client_address import network_of
from common.service.secrets import Purpose, SealBroken
from common.user_agent.user_agent import parse_user_agent
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.api.session_limits import limits_of
from control.identity.sessions import operations, queries
from control.identity.sessions.endpoints import prove
from control.identity.sessions.grant_errors import refused
from control.identity.sessions.schemas import PasswordGrant, TokenRequest
from control.identity.sessions.sign_in import Proven, open_session
from control.identity.sessions.sign_in_throttle import Attempt
from control.identity.users.trusted_networks import is_known_network
from control.storage.tables.accounts import UserRow
from control.storage.tables.sessions import SessionRow

_TICKET_GOOD_FOR = timedelta(minutes=10)
_BOUND_TO = "second step of a sign-in"


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
    """The cookie's token, or the ticket for the second step."""
    request: TokenRequest = call.body
    grant = request.root
    if not isinstance(grant, PasswordGrant):
        raise TypeError("the form of a sign-in sends a password")
    try:
        return new_cookie(call, await open_session(call, grant, even_suspended=True))
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
    return new_cookie(call, await open_session(call, grant, even_suspended=True))


@asynccontextmanager
async def _read_ticket(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    step: SecondStep = call.body
    control = call.control
    try:
        opened = control.keys.unseal(Purpose.SIGN_INS, step.ticket, bound_to=_BOUND_TO)
    except SealBroken:
        raise _too_late() from None
    ticket = orjson.loads(opened)
    if ticket["until"] <= call.now.timestamp():
        raise _too_late()
    async with control.database.service() as session:
        user = await session.get(UserRow, ticket["user_id"])
        if user is None or not hmac.compare_digest(_mark(user.password_hash), ticket["mark"]):
            raise _too_late()
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
    stored = proven.stored
    if proven.fresh is not None:
        stored = proven.fresh
        user = await call.session.get_one(UserRow, proven.user_id)
        user.password_hash = stored
    content = {
        "user_id": proven.user_id,
        "mark": _mark(stored),
        "until": (call.now + _TICKET_GOOD_FOR).timestamp(),
    }
    sealed = orjson.dumps(content)
    return call.control.keys.seal(Purpose.SIGN_INS, sealed, bound_to=_BOUND_TO)


async def _attempt(session: AsyncSession, user: UserRow, call: PreTransactionCall) -> Attempt:
    """Counted as failed until the code is correct. Raises `Refused` (429)."""
    known = await is_known_network(session, user.id, call.client_ip)
    attempt = Attempt(user.email, network_of(call.client_ip), known)
    await attempt.begin(session, call.now)
    return attempt


def _mark(password_hash: str) -> str:
    """A mark that changes with the password."""
    return hashlib.sha256(password_hash.encode()).hexdigest()


def _too_late() -> Refused:
    return refused(
        Message(
            "The sign-in took too long, or your password was changed in the meantime. Sign in "
            "again."
        )
    )
