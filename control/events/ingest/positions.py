"""
The progress of ingest in three measures: the log's positions, the spools' sequences, and time.

All of them move in the transaction of the rows they describe. A consumer that lost its partition finds the position
moved and aborts; nothing is counted twice, nothing is skipped.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.events.ingest.parsed_records import Arrival, Counter, DeadLetter

_OPEN = text(
    "insert into ingest_positions (source, partition) values (:source, :partition) "
    "on conflict do nothing"
)
_FIND = text(
    "select position, at_ms from ingest_positions where source = :source and partition = :partition"
)
_MOVE = text(
    "update ingest_positions p set position = n.after, at_ms = greatest(p.at_ms, n.at_ms) "
    "from unnest(cast(:partitions as integer[]), cast(:before as bigint[]), cast(:after as bigint[]), "
    "cast(:reached as bigint[])) as n(partition, before, after, at_ms) "
    "where p.source = :source and p.partition = n.partition "
    "and p.position is not distinct from n.before returning p.partition"
)
_MARK = text(
    "insert into writer_marks as m (writer, is_test, ranges, updated_at) "
    "select writer, is_test, cast(ranges as int8multirange), :now "
    "from unnest(cast(:writers as varchar[]), cast(:tests as boolean[]), cast(:ranges as text[])) "
    "as n(writer, is_test, ranges) order by writer on conflict (writer) do update set "
    "ranges = m.ranges + excluded.ranges, is_test = coalesce(m.is_test, excluded.is_test), "
    "updated_at = excluded.updated_at returning writer, "
    "coalesce((select upper(r) - 1 from unnest(ranges) r where r @> cast(1 as bigint)), 0)"
)
_RECENT = text(
    "select writer, "
    "coalesce((select upper(r) - 1 from unnest(ranges) r where r @> cast(1 as bigint)), 0) "
    "from writer_marks where updated_at >= :since"
)
_WATERMARK = text(
    "insert into watermarks (writer, sequence, through_ms) "
    "select * from unnest(cast(:writers as varchar[]), cast(:sequences as bigint[]), "
    "cast(:through as bigint[])) as n(w, s, t) order by w, s on conflict do nothing"
)
_REACH = text(
    "with reached as (delete from watermarks w using writer_marks m where w.writer = m.writer "
    "and m.writer = any(:writers) and m.ranges @> int8range(1, w.sequence, '[]') "
    "returning w.writer, w.through_ms) "
    "update writer_marks m set through_ms = greatest(m.through_ms, r.through_ms) "
    "from (select writer, max(through_ms) as through_ms from reached group by writer) r "
    "where m.writer = r.writer"
)


class PositionMoved(Exception):
    """Another consumer stored from this partition: it must be read again, from its stored position."""


async def find_position(session: AsyncSession, source: str, partition: int) -> int | None:
    """The last position stored, None before the first."""
    position, _ = await find_place(session, source, partition)
    return position


async def find_place(
    session: AsyncSession, source: str, partition: int
) -> tuple[int | None, int | None]:
    """The last position stored, and when the latest stored event happened (epoch ms)."""
    await session.execute(_OPEN, {"source": source, "partition": partition})
    row = (await session.execute(_FIND, {"source": source, "partition": partition})).one()
    return row.position, row.at_ms


async def move_positions(
    session: AsyncSession, source: str, moves: Mapping[int, tuple[int | None, int, int | None]]
) -> None:
    """
    *moves*: partition → its position before and after, and when the latest event between happened (epoch ms).

    Raises `PositionMoved`; locks the positions' rows.
    """
    partitions = sorted(moves)
    moved = await session.execute(
        _MOVE,
        {
            "source": source,
            "partitions": partitions,
            "before": [moves[partition][0] for partition in partitions],
            "after": [moves[partition][1] for partition in partitions],
            "reached": [moves[partition][2] for partition in partitions],
        },
    )
    if {row[0] for row in moved} != set(partitions):
        raise PositionMoved


@dataclass(frozen=True, slots=True)
class Sequences:
    """The sequences that arrived from each writer: arrays of one length."""

    writers: list[str]
    tests: list[bool | None]
    ranges: list[str]


def collect(arrivals: Iterable[Arrival], dead: Iterable[DeadLetter]) -> Sequences:
    """Returns the sequences that came, by writer: of *arrivals*, and of dead letters that name their writer."""
    sequences: dict[str, set[int]] = {}
    tests: dict[str, bool | None] = {}
    for one in arrivals:
        found = sequences.get(one.writer.name)
        if found is None:
            found = sequences[one.writer.name] = set()
            tests[one.writer.name] = one.is_test
        found.add(one.sequence)
    for letter in dead:
        if letter.writer is not None:
            sequences.setdefault(letter.writer, set()).add(letter.sequence)
    return Sequences(
        list(sequences),
        [tests.get(writer) for writer in sequences],
        [to_ranges(values) for values in sequences.values()],
    )


async def mark_writers(session: AsyncSession, came: Sequences, now: datetime) -> dict[str, int]:
    """Marks the sequences as committed; returns each writer's highest sequence without a gap."""
    if not came.writers:
        return {}
    values = {"writers": came.writers, "tests": came.tests, "ranges": came.ranges, "now": now}
    rows = await session.execute(_MARK, values)
    return {row[0]: row[1] for row in rows}


async def mark_time(
    session: AsyncSession, counters: Sequence[Counter], writers: Iterable[str]
) -> None:
    """Stores the watermarks of *counters*; applies those that *writers* have reached. Call after `mark_writers`."""
    if counters:
        await session.execute(
            _WATERMARK,
            {
                "writers": [one.writer.name for one in counters],
                "sequences": [one.sequence for one in counters],
                "through": [one.body.through_ms for one in counters],
            },
        )
    await session.execute(_REACH, {"writers": list(writers)})


async def recent_marks(session: AsyncSession, since: datetime) -> dict[str, int]:
    """Writers active since then, and each one's highest committed sequence without a gap."""
    return {row[0]: row[1] for row in await session.execute(_RECENT, {"since": since})}


def to_ranges(sequences: Iterable[int]) -> str:
    """PostgreSQL's text of a multirange: ``{[1,4),[7,8)}``."""
    runs: list[list[int]] = []
    for one in sorted(sequences):
        if runs and runs[-1][1] == one:
            runs[-1][1] = one + 1
        else:
            runs.append([one, one + 1])
    return "{" + ",".join([f"[{first},{behind})" for first, behind in runs]) + "}"
