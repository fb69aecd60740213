"""Changing a password with the current one."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.errors import Refused
from common.values.messages import Message
from control.api.call import Call, PreTransactionCall
from control.api.mail.kinds import MailKind
from control.foundation.password_hashing import Passwords
from control.foundation.rate_limit import Rate
from control.identity.passwords.rules import check_password
from control.identity.passwords.schemas import PasswordChange
from control.identity.sessions.grant_errors import refused
from control.identity.sessions.queries import revoke_sessions
from control.identity.users.current_user import current_user
from control.identity.users.email_tokens import TokenPurpose, void_mailed_tokens
from control.identity.users.mails import password_changed_letter, queue_letter_to_user, recipient_of
from control.storage.db_rate_limit import Throttle
from control.storage.tables.accounts import UserRow

_CHECKS = Throttle("password-check", Rate(10, 300.0, burst=10))
"""Limit of checks of one user's password under their own session: a stolen token must not allow guessing."""


@dataclass(frozen=True, slots=True)
class Change:
    """``stored``: the hash that the current password was checked against."""

    stored: str
    new: str


async def check_own_password(call: PreTransactionCall, given: str, param: str) -> UserRow:
    """Check that *given* is the caller's password. Returns a detached copy of their row. Raises `Refused`."""
    return await check_password_of(call, current_user(call.principal).user_id, given, param)


async def check_password_of(
    call: PreTransactionCall, user_id: str, given: str, param: str
) -> UserRow:
    """As `check_own_password`, for *user_id*. The caller is authenticated as that user."""
    database = call.control.database
    async with database.service() as session:
        user = await session.get_one(UserRow, user_id)
        await _CHECKS.check(session, call.now, user_id)
    if not await call.control.get(Passwords).verify(user.password_hash, given):
        raise refused(
            Message("This is not your password. Check it, or reset it by email."), param=param
        )
    async with database.service() as session:
        await _CHECKS.reset(session, user_id)
    return user


async def prepare_change(call: PreTransactionCall) -> Change:
    body: PasswordChange = call.body
    user = await check_own_password(call, body.current_password, "current_password")
    check_password("new_password", body.new_password, user.email, user.name)
    return Change(user.password_hash, await call.control.get(Passwords).hash(body.new_password))


async def change(call: Call) -> None:
    """Raises `Refused` if the password was changed since it was checked."""
    prepared: Change = call.prepared
    me = current_user(call.principal)
    user = await get_user(call.session, me.user_id)
    if user.password_hash != prepared.stored:
        raise _changed_meanwhile()
    user.password_hash = prepared.new
    await revoke_sessions(call.session, user.id, call.now, but=me.session_id)
    await void_mailed_tokens(call.session, user.id, call.now, TokenPurpose.PASSWORD_RESET)
    queue_letter_to_user(
        call.session,
        password_changed_letter(),
        recipient_of(user),
        kind=MailKind.PASSWORD_CHANGED,
        keys=call.control.keys,
        now=call.now,
    )
    call.object_id = user.id


async def get_user(session: AsyncSession, user_id: str) -> UserRow:
    """Lock the user until the transaction ends, so that no sign-in with the old password runs meanwhile."""
    return await session.get_one(UserRow, user_id, with_for_update={"key_share": True})


def _changed_meanwhile() -> Refused:
    return refused(
        Message("The password was changed a moment ago. Try again."), param="current_password"
    )
