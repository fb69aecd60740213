"""
Finds records that were stored before, by their writer and sequence number: no key is kept for each record.

A writer's records of one partition arrive in the order of their sequences, so one above the highest seen there is new.
A lower one was shipped twice, or lost and sent again; it is compared with the writer's committed ranges. The lane's row
is locked until the transaction ends. A sequence always goes to the same partition, so no other consumer can be storing
it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.events.ingest.parsed_records import Arrival

Lane = tuple[str, int]
"""A writer's name and a partition of the log."""

_ENTER = text(
    "insert into writer_lanes as l (writer, partition, high, prior) "
    "select w, p, h, 0 from unnest(cast(:writers as varchar[]), cast(:partitions as integer[]), "
    "cast(:highs as bigint[])) as n(w, p, h) order by w, p on conflict (writer, partition) "
    "do update set prior = l.high, high = greatest(l.high, excluded.high) "
    "returning writer, partition, prior"
)
_MISSING = text(
    "select n.place from unnest(cast(:writers as varchar[]), cast(:sequences as bigint[])) "
    "with ordinality as n(writer, sequence, place) "
    "left join writer_marks m on m.writer = n.writer where not coalesce(m.ranges @> n.sequence, false)"
)


async def take_new(session: AsyncSession, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Returns *arrivals* without committed records and without repetitions among them, in their order."""
    if not arrivals:
        return []
    prior = await _enter(session, _highs(arrivals))
    numbers: dict[type[Arrival], dict[Lane, int]] = defaultdict(prior.copy)
    new: list[Arrival] = []
    doubtful: list[Arrival] = []
    for one in arrivals:
        # Each type separately: the types follow one another, and a repeated record has the same type.
        seen, lane = numbers[type(one)], (one.writer.name, one.partition)
        if one.sequence > seen[lane]:
            seen[lane] = one.sequence
            new.append(one)
        else:
            doubtful.append(one)
    if doubtful:
        new = await _add_missing(session, new, doubtful)
    return new


def _highs(arrivals: Iterable[Arrival]) -> dict[Lane, int]:
    highs: dict[Lane, int] = {}
    for one in arrivals:
        lane = (one.writer.name, one.partition)
        if one.sequence > highs.get(lane, 0):
            highs[lane] = one.sequence
    return highs


async def _enter(session: AsyncSession, highs: dict[Lane, int]) -> dict[Lane, int]:
    """The highest sequence seen before in each lane."""
    rows = await session.execute(
        _ENTER,
        {
            "writers": [writer for writer, _ in highs],
            "partitions": [partition for _, partition in highs],
            "highs": list(highs.values()),
        },
    )
    return {(row[0], row[1]): row[2] for row in rows}


async def _add_missing(
    session: AsyncSession, new: list[Arrival], doubtful: list[Arrival]
) -> list[Arrival]:
    rows = await session.execute(
        _MISSING,
        {
            "writers": [one.writer.name for one in doubtful],
            "sequences": [one.sequence for one in doubtful],
        },
    )
    taken = {(one.writer.name, one.sequence) for one in new}
    for one in (doubtful[row[0] - 1] for row in rows):
        number = (one.writer.name, one.sequence)
        if number not in taken:
            taken.add(number)
            new.append(one)
    return sorted(new, key=_place)


def _place(one: Arrival) -> tuple[int, int]:
    return one.partition, one.position
