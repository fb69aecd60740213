"""Password reset by mail. The request does the same for every address: a job finds out later whether a user has it."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.http.client_address import network_of
from common.values.ids import new_id
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.api.mail.kinds import MailKind
from control.foundation.password_hashing import Passwords
from control.foundation.rate_limit import Rate
from control.identity.accounts.proofs import record_proof
from control.identity.accounts.queries import find_user_by_email
from control.identity.passwords.change import get_user
from control.identity.passwords.rules import check_password
from control.identity.sessions.queries import revoke_sessions
from control.identity.users.email_tokens import TokenPurpose, add_mailed_token, get_mailed_token
from control.identity.users.mails import (
    password_changed_letter,
    queue_letter_to_user,
    recipient_of,
    reset_letter,
)
from control.identity.users.memberships import record_in_accounts
from control.identity.users.trusted_networks import remember_network
from control.outbox.changes import Changes
from control.storage.db_rate_limit import Throttle
from control.storage.tables.accounts import UserRow
from control.storage.tables.people import ResetRequestRow

_NETWORK = Throttle("password-reset:network", Rate(20, 3600.0, burst=20))
_EMAIL = Throttle("password-reset:email", Rate(3, 3600.0, burst=3))
_AT_ONCE = 100


async def request_reset(session: AsyncSession, email: str, origin: str, now: datetime) -> None:
    """
    Store a reset request. Raises `Refused` (429) for too many from one network.

    Too many requests for one address are accepted and dropped: its mailbox has the newest three and must not be
    flooded.
    """
    await _NETWORK.check(session, now, network_of(origin))
    if await _EMAIL.take(session, now, email) == 0:
        session.add(ResetRequestRow(id=new_id(), email=email, created_at=now))


async def answer_reset_requests(control: ControlContext) -> None:
    """
    Queue a mail for every request, or drop the request if no user has the address; each in its own transaction. A
    request that fails stays until the next run.
    """
    failed = FailedItems()
    while True:
        async with control.database.service() as session:
            found = await session.scalars(
                select(col(ResetRequestRow.id))
                .where(col(ResetRequestRow.id).not_in(failed.ids))
                .order_by(col(ResetRequestRow.id))
                .limit(_AT_ONCE)
            )
            ids = found.all()
        for request_id in ids:
            with failed.catching(request_id):
                await _answer_one(control, request_id)
        if len(ids) < _AT_ONCE:
            failed.raise_first()
            return


async def prepare_reset(
    control: ControlContext, token: str, new_password: str, now: datetime
) -> str:
    """The hash of a password that may be set with *token*. The token stays unused. Raises `Refused`."""
    async with control.database.service() as session:
        proof = await get_mailed_token(session, TokenPurpose.PASSWORD_RESET, token, now)
        user = await session.get_one(UserRow, proof.user_id)
    check_password("new_password", new_password, user.email, user.name)
    return await control.get(Passwords).hash(new_password)


async def confirm_reset(
    session: AsyncSession,
    control: ControlContext,
    *,
    token: str,
    password_hash: str,
    origin: str,
    changes: Changes,
    now: datetime,
) -> None:
    """Redeem *token*, set the password, and end every session of the user. Raises `Refused`."""
    proof = await get_mailed_token(session, TokenPurpose.PASSWORD_RESET, token, now, locked=True)
    user = await get_user(session, proof.user_id)
    proof.used_at = now
    user.password_hash = password_hash
    if proof.email == user.email:
        await record_proof(session, user, changes=changes, now=now)
    await revoke_sessions(session, user.id, now)
    await remember_network(session, user.id, origin, now)
    queue_letter_to_user(
        session,
        password_changed_letter(),
        recipient_of(user),
        kind=MailKind.PASSWORD_CHANGED,
        keys=control.keys,
        now=now,
    )
    await record_in_accounts(session, user.id, "password.reset", origin=origin, now=now)


async def _answer_one(control: ControlContext, request_id: str) -> None:
    """Does nothing where another job answers the request."""
    async with control.database.service() as session:
        request = await session.scalar(
            select(ResetRequestRow)
            .where(col(ResetRequestRow.id) == request_id)
            .with_for_update(skip_locked=True)
        )
        if request is not None:
            await _answer(session, control, request.email)
            await session.delete(request)


async def _answer(session: AsyncSession, control: ControlContext, email: str) -> None:
    user = await find_user_by_email(session, email)
    if user is None:
        return
    now = control.clock.now()
    token = await add_mailed_token(
        session, TokenPurpose.PASSWORD_RESET, user_id=user.id, email=email, now=now
    )
    queue_letter_to_user(
        session,
        reset_letter(token, control.settings.control_url),
        recipient_of(user),
        kind=MailKind.PASSWORD_RESET,
        keys=control.keys,
        now=now,
    )
