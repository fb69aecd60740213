"""Hourly sums of each writer: records appended as its edge reports, and stored + duplicates + dead as ingest counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

_SETTLED = timedelta(minutes=10)
"""Time after the end of an hour: by then its appended count was reported, and its records should have arrived."""
_UNCOUNTED = text(
    "select h.writer, h.hour, h.appended - h.stored - h.duplicates - h.dead as count "
    "from writer_hours h where h.hour between :since and :until "
    "and h.appended > h.stored + h.duplicates + h.dead and not exists "
    "(select from writer_gaps g where g.writer = h.writer and g.closed_at is null) order by 1, 2"
)
_SHOWN = text(
    "select writer, hour, appended, stored, duplicates, dead from writer_hours "
    "where hour >= :since and (cast(:writer as varchar) is null or writer = :writer) order by hour, writer"
)


@dataclass(frozen=True, slots=True)
class Uncounted:
    """Records of an hour that arrived (no sequence is missing) but are in none of its sums."""

    writer: str
    hour: datetime
    count: int


@dataclass(frozen=True, slots=True)
class HourSums:
    """``appended`` is None until the edge has reported it."""

    writer: str
    hour: datetime
    appended: int | None
    stored: int
    duplicates: int
    dead: int

    @property
    def came(self) -> int:
        return self.stored + self.duplicates + self.dead


async def list_uncounted(
    session: AsyncSession, now: datetime, *, back: timedelta
) -> Sequence[Uncounted]:
    until = now - timedelta(hours=1) - _SETTLED
    rows = await session.execute(_UNCOUNTED, {"since": now - back, "until": until})
    return [Uncounted(*row) for row in rows]


async def list_hours(
    session: AsyncSession, since: datetime, writer: str | None
) -> Sequence[HourSums]:
    rows = await session.execute(_SHOWN, {"since": since, "writer": writer})
    return [HourSums(*row) for row in rows]
