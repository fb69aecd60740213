"""
Hourly counts of each writer's records by outcome, by the records' own times, and of what its edge appended.

`control.events.reconciliation` compares the two: appended = stored + duplicates + dead.
"""

from collections import Counter as Tally
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms
from control.events.ingest.parsed_records import HOUR_MS, Arrival, Counter, DeadLetter

Hour = tuple[str, int]
"""A writer's name and an hour since the epoch."""

_ADD = text(
    "insert into writer_hours as h (writer, hour, appended, stored, duplicates, dead) "
    "select * from unnest(cast(:writers as varchar[]), cast(:hours as timestamptz[]), "
    "cast(:appended as bigint[]), cast(:stored as bigint[]), cast(:duplicates as bigint[]), "
    "cast(:dead as bigint[])) as n(w, h, a, s, u, d) order by w, h on conflict (writer, hour) "
    "do update set appended = greatest(h.appended, excluded.appended), "
    "stored = h.stored + excluded.stored, duplicates = h.duplicates + excluded.duplicates, "
    "dead = h.dead + excluded.dead"
)
_SHIPPED = text(
    "update writer_marks m set shipped = greatest(coalesce(m.shipped, 0), n.shipped) "
    "from (select writer, max(shipped) as shipped from unnest(cast(:writers as varchar[]), "
    "cast(:shipped as bigint[])) as n(writer, shipped) group by writer order by writer) n "
    "where m.writer = n.writer"
)


@dataclass(frozen=True, slots=True)
class Hours:
    """The counts to add, as arrays of one length, and the shipped counts that edges reported."""

    added: dict[str, list[Any]]
    shipped: dict[str, list[Any]]


def count(
    fresh: Sequence[Arrival], duplicates: Iterable[Arrival], dead: Iterable[DeadLetter]
) -> Hours:
    """
    *fresh*: records not seen before; *duplicates*: those of *fresh* that add no row and no sum.

    A dead letter counts if its writer and its instant could still be read.
    """
    came = Tally([(one.writer.name, one.at_ms // HOUR_MS) for one in fresh])
    surplus = Tally([(one.writer.name, one.at_ms // HOUR_MS) for one in duplicates])
    lost = Tally(
        [
            (one.writer, one.at_ms // HOUR_MS)
            for one in dead
            if one.writer is not None and one.at_ms is not None
        ]
    )
    reports = [one for one in fresh if isinstance(one, Counter) and one.body.appended]
    reported = _reported(reports)
    every = list(came | lost | reported)
    return Hours(
        {
            "writers": [writer for writer, _ in every],
            "hours": [from_ms(hour * HOUR_MS) for _, hour in every],
            "appended": [reported.get(one) for one in every],
            "stored": [came[one] - surplus[one] for one in every],
            "duplicates": [surplus[one] for one in every],
            "dead": [lost[one] for one in every],
        },
        {
            "writers": [one.writer.name for one in reports],
            "shipped": [one.body.shipped for one in reports],
        },
    )


async def add(session: AsyncSession, hours: Hours) -> None:
    """Call after `positions.mark_writers`."""
    if hours.added["writers"]:
        await session.execute(_ADD, hours.added)
    if hours.shipped["writers"]:
        await session.execute(_SHIPPED, hours.shipped)


def _reported(reports: Iterable[Counter]) -> Tally[Hour]:
    """The highest reported count of each hour: reports are sums since the writer began."""
    reported: Tally[Hour] = Tally()
    for one in reports:
        reported |= Tally({(one.writer.name, hour): count for hour, count in one.body.appended})
    return reported
