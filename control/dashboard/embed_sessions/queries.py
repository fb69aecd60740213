"""
Queries of embed sessions, a table of this package alone.

The holder of a secret is no caller of the API: the account is not known before the session is read.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Result, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from common.values.ids import new_id
from control.api.context import ControlContext
from control.api.job_items import delete_where
from control.storage.tables.embed import EmbedSessionRow

_KEPT = timedelta(days=1)
"""Finished sessions are kept this long, reported to their origin as used or ended; after that they are unknown."""
_SHOWN = (
    col(EmbedSessionRow.component),
    col(EmbedSessionRow.origin),
    col(EmbedSessionRow.context),
)


@dataclass(frozen=True, slots=True)
class EmbedSession:
    """What the window of a session shows (``component``, ``context``), and to which origin it reports."""

    component: str
    origin: str
    context: dict[str, Any]


def add_session(session: AsyncSession, columns: dict[str, Any]) -> EmbedSessionRow:
    row = EmbedSessionRow(id=new_id(), **columns)
    session.add(row)
    return row


async def open_session(
    session: AsyncSession,
    secret_hash: bytes,
    *,
    bearer_hash: bytes,
    now: datetime,
    lasts: timedelta,
) -> EmbedSession | None:
    """
    One statement uses up the secret and stores the window's bearer: of concurrent requests only one gets the row.

    None: the secret is used, expired or unknown.
    """
    row = EmbedSessionRow
    taken = (
        update(row)
        .where(
            col(row.secret_hash) == secret_hash,
            col(row.opened_at).is_(None),
            col(row.expires_at) > now,
        )
        .values(opened_at=now, ends_at=now + lasts, bearer_hash=bearer_hash)
        .returning(*_SHOWN)
        .execution_options(synchronize_session=False)
    )
    return _session_of(await session.execute(taken))


async def find_session(session: AsyncSession, secret_hash: bytes) -> EmbedSession | None:
    """Also one whose secret is used or expired; None after it was swept."""
    wanted = select(*_SHOWN).where(col(EmbedSessionRow.secret_hash) == secret_hash)
    return _session_of(await session.execute(wanted))


def _session_of(found: Result[Any]) -> EmbedSession | None:
    one = found.one_or_none()
    return None if one is None else EmbedSession(one.component, one.origin, one.context)


async def sweep_embed_sessions(control: ControlContext) -> None:
    """Deletes sessions that ended more than a day ago."""
    before = control.clock.now() - _KEPT
    row = EmbedSessionRow
    over = (col(row.expires_at) < before) & (
        col(row.ends_at).is_(None) | (col(row.ends_at) < before)
    )
    await delete_where(control.database, row, over)
