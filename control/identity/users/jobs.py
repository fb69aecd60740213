"""Scheduler jobs that delete outdated data of users."""

from datetime import timedelta

from sqlalchemy import or_
from sqlmodel import col

from control.api.context import ControlContext
from control.api.job_items import delete_where
from control.api.session_limits import limits_of
from control.storage.tables.people import KnownOriginRow, MailedTokenRow, ThrottleRow
from control.storage.tables.sessions import AccessTokenRow, SessionRow

ENDED_KEPT = timedelta(days=30)
"""How long ended sessions are kept, so that a late use of a stolen refresh token still finds its ended session."""
ORIGINS_KEPT = timedelta(days=90)
PROOFS_KEPT = timedelta(days=1)
"""How long expired mail tokens are kept: they are reported as expired until then, and as unknown after."""


async def sweep_sessions(control: ControlContext) -> None:
    """Delete expired tokens, and sessions that ended longer than `ENDED_KEPT` ago with their remaining rows."""
    now = control.clock.now()
    limits = limits_of(control.settings)
    ended = or_(
        col(SessionRow.revoked_at) < now - ENDED_KEPT,
        col(SessionRow.last_used_at) < now - limits.idle - ENDED_KEPT,
        col(SessionRow.created_at) < now - limits.absolute - ENDED_KEPT,
    )
    await delete_where(control.database, AccessTokenRow, col(AccessTokenRow.expires_at) < now)
    await delete_where(control.database, SessionRow, ended)


async def sweep_people(control: ControlContext) -> None:
    """Delete outdated throttle counts, networks not seen for `ORIGINS_KEPT`, and tokens of old mails."""
    now = control.clock.now()
    for table, old in (
        (ThrottleRow, col(ThrottleRow.due_at) < now),
        (KnownOriginRow, col(KnownOriginRow.seen_at) < now - ORIGINS_KEPT),
        (MailedTokenRow, col(MailedTokenRow.expires_at) < now - PROOFS_KEPT),
    ):
        await delete_where(control.database, table, old)
