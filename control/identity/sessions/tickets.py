"""
Sealed tickets of a sign-in: they replace the password in the forms that follow.

A ticket is valid for ten minutes, for one user and one purpose, and only while the password is unchanged.
"""

import hashlib
import hmac
from datetime import timedelta
from enum import StrEnum

import orjson
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import Purpose, SealBroken
from common.values.errors import Refused
from common.values.messages import Message
from control.api.call import Call, PreTransactionCall
from control.identity.sessions.grant_errors import refused
from control.storage.tables.accounts import UserRow

_GOOD_FOR = timedelta(minutes=10)


class TicketFor(StrEnum):
    """What a ticket admits its user to; the seal is bound to it."""

    SECOND_STEP = "second step of a sign-in"
    OWN_DATA = "own data of a user without an account"


def seal_ticket(call: Call, user: UserRow, purpose: TicketFor) -> str:
    content = {
        "user_id": user.id,
        "mark": _mark(user.password_hash),
        "until": (call.now + _GOOD_FOR).timestamp(),
    }
    return call.control.keys.seal(Purpose.SIGN_INS, orjson.dumps(content), bound_to=purpose)


async def open_ticket(
    session: AsyncSession, call: PreTransactionCall, ticket: str, purpose: TicketFor
) -> UserRow:
    """The ticket's user. Raises `Refused`. Runs as the service."""
    try:
        opened = call.control.keys.unseal(Purpose.SIGN_INS, ticket, bound_to=purpose)
    except SealBroken:
        raise _too_late() from None
    content = orjson.loads(opened)
    if content["until"] <= call.now.timestamp():
        raise _too_late()
    user = await session.get(UserRow, content["user_id"])
    if user is None or not hmac.compare_digest(_mark(user.password_hash), content["mark"]):
        raise _too_late()
    return user


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
