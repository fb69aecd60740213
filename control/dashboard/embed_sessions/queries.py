"""Queries of embed sessions by the holder of a secret: the account is not known before."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from control.api.context import ControlContext
from control.storage.tables.embed import EmbedSessionRow

_KEPT = timedelta(days=1)
"""Finished sessions are kept this long, reported to their origin as used or ended; after that they are unknown."""


async def open_session(
    session: AsyncSession,
    secret_hash: bytes,
    *,
    bearer_hash: bytes,
    now: datetime,
    lasts: timedelta,
) -> EmbedSessionRow | None:
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
        .returning(row)
        .execution_options(synchronize_session=False)
    )
    found: EmbedSessionRow | None = await session.scalar(taken)
    return found


@dataclass(frozen=True, slots=True)
class Known:
    """A session whose secret is no longer valid."""

    origin: str
    context: dict[str, Any]


async def find_known(session: AsyncSession, secret_hash: bytes) -> Known | None:
    row = EmbedSessionRow
    found = await session.execute(
        select(col(row.origin), col(row.context)).where(col(row.secret_hash) == secret_hash)
    )
    one = found.one_or_none()
    return None if one is None else Known(one.origin, one.context)


async def sweep_embed_sessions(control: ControlContext) -> None:
    """Deletes sessions that ended more than a day ago."""
    before = control.clock.now() - _KEPT
    row = EmbedSessionRow
    over = (col(row.expires_at) < before) & (
        col(row.ends_at).is_(None) | (col(row.ends_at) < before)
    )
    async with control.database.service() as session:
        await session.execute(delete(row).where(over))
