"""
Finds missing sequences of each writer. Stored as one row a writer, so that a second pass distinguishes late records
from lost ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.tracking.reconcile import MAX_RANGES, Retained
from common.values.clock import from_ms

LOOKED_BACK = timedelta(days=2)
"""Writers silent for longer were checked often enough, and their spool segments are deleted."""
REPORTED_FOR = timedelta(days=8)

_COMPARE = text("""
with reported as (
    select * from unnest(cast(:writers as varchar[]), cast(:lasts as bigint[])) as n(writer, last)
), every as (
    select writer from writer_marks where updated_at > :since union select writer from reported
), missing as (
    select e.writer,
        int8multirange(int8range(1, greatest(coalesce(upper(m.ranges) - 1, 0), coalesce(r.last, 0)) + 1))
            - coalesce(m.ranges, '{}') as missing
    from every e left join writer_marks m on m.writer = e.writer left join reported r on r.writer = e.writer
), closed as (
    update writer_gaps g set missing = '{}', standing = '{}', closed_at = :now from missing m
    where m.writer = g.writer and isempty(m.missing) and g.closed_at is null
)
insert into writer_gaps as g (writer, missing, standing, since)
select writer, missing, '{}', :now from missing where not isempty(missing) order by writer
on conflict (writer) do update set missing = excluded.missing, standing = g.missing * excluded.missing,
    since = case when g.missing && excluded.missing then g.since else excluded.since end, closed_at = null
""")
_OPEN_GAPS = text("""
select g.writer, g.since, g.asked_at is null as is_new,
    (select sum(upper(r) - lower(r)) from unnest(g.standing) r) as lost,
    array(select lower(r) from unnest(g.standing) r order by 1 limit :most) as firsts,
    array(select upper(r) - 1 from unnest(g.standing) r order by 1 limit :most) as lasts
from writer_gaps g where not isempty(g.standing) order by g.writer
""")
_REQUESTED = text(
    "update writer_gaps set asked_at = :now where writer = any(:writers) and not isempty(standing)"
)
_ANSWERED = text(
    "update writer_gaps g set sent = greatest(g.sent, n.sent), told_at = n.at "
    "from unnest(cast(:writers as varchar[]), cast(:sent as bigint[]), cast(:at as timestamptz[])) "
    "as n(writer, sent, at) where g.writer = n.writer and (g.told_at is null or g.told_at < n.at)"
)
_PURGE = (
    text("delete from writer_gaps where closed_at < :before or since < :before"),
    text("delete from writer_hours where hour < :before"),
    text(
        "delete from writer_lanes l where not exists (select from writer_marks m where m.writer = l.writer)"
    ),
)


@dataclass(frozen=True, slots=True)
class Gap:
    """What one writer has been missing for at least two passes."""

    writer: str
    since: datetime
    is_new: bool
    """It was not requested from an edge yet."""
    count: int
    ranges: tuple[tuple[int, int], ...]
    """The first missing ranges, as many as one request may name."""


async def compare(session: AsyncSession, kept: Mapping[str, Retained], now: datetime) -> list[Gap]:
    """
    Updates the rows and returns the lost records: those missing in this pass and in the one before.

    Records missing only once may still be in transit, because partitions are read at different speeds.
    """
    answers = {writer: one for writer, one in kept.items() if one.asked_ms}
    await session.execute(
        _ANSWERED,
        {
            "writers": list(answers),
            "sent": [one.sent for one in answers.values()],
            "at": [from_ms(one.at_ms) for one in answers.values()],
        },
    )
    await session.execute(
        _COMPARE,
        {
            "writers": list(kept),
            "lasts": [one.last for one in kept.values()],
            "since": now - LOOKED_BACK,
            "now": now,
        },
    )
    rows = await session.execute(_OPEN_GAPS, {"most": MAX_RANGES})
    return [
        Gap(
            row.writer,
            row.since,
            row.is_new,
            int(row.lost),
            tuple(zip(row.firsts, row.lasts, strict=True)),
        )
        for row in rows
    ]


async def mark_requested(session: AsyncSession, writers: Sequence[str], now: datetime) -> None:
    await session.execute(_REQUESTED, {"writers": writers, "now": now})


async def purge(session: AsyncSession, now: datetime) -> None:
    """Closed gaps and hours are kept for eight days; lanes are deleted with their writers' marks."""
    for statement in _PURGE:
        values: dict[str, Any] = (
            {"before": now - REPORTED_FOR} if ":before" in statement.text else {}
        )
        await session.execute(statement, values)
