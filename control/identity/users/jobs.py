"""What the scheduler does about people: it forgets what is over."""

from datetime import timedelta

from sqlalchemy import delete, or_
from sqlmodel import col

from control.api.context import ControlContext
from control.api.session_limits import limits_of
from control.storage.tables.people import KnownOriginRow, MailedTokenRow
from control.storage.tables.sessions import AccessTokenRow, SessionRow
from control.storage.tables.throttles import ThrottleRow

ENDED_KEPT = timedelta(days=30)
"""Ended sessions, so that a stolen refresh token shown late still finds its session ended."""
ORIGINS_KEPT = timedelta(days=90)
PROOFS_KEPT = timedelta(days=1)
"""Expired tokens of mails: so long they are told as expired, then as unknown."""


async def sweep_sessions(control: ControlContext) -> None:
    """Tokens that expired, and sessions that ended long ago, with what is left of them."""
    now = control.clock.now()
    limits = limits_of(control.settings)
    ended = or_(
        col(SessionRow.revoked_at) < now - ENDED_KEPT,
        col(SessionRow.last_used_at) < now - limits.idle - ENDED_KEPT,
        col(SessionRow.created_at) < now - limits.absolute - ENDED_KEPT,
    )
    async with control.database.service() as session:
        await session.execute(delete(AccessTokenRow).where(col(AccessTokenRow.expires_at) < now))
    async with control.database.service() as session:
        await session.execute(delete(SessionRow).where(ended))


async def sweep_people(control: ControlContext) -> None:
    """Counts that mean nothing any more, networks nobody came from for long, tokens of old mails."""
    now = control.clock.now()
    for statement in (
        delete(ThrottleRow).where(col(ThrottleRow.due_at) < now),
        delete(KnownOriginRow).where(col(KnownOriginRow.seen_at) < now - ORIGINS_KEPT),
        delete(MailedTokenRow).where(col(MailedTokenRow.expires_at) < now - PROOFS_KEPT),
    ):
        async with control.database.service() as session:
            await session.execute(statement)
