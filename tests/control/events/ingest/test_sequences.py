"""A record is identified by its writer and number: sent again it counts once, and after a loss it counts."""

import asyncio
import random

from common.values.enums import Reason
from tests.control.events.ingest.world import Edge, World, an_event


async def test_a_lost_record_is_stored_if_it_arrives_after_its_successors(
    world: World, edge: Edge
) -> None:
    records = [edge.event(reason=Reason.PREFETCH) for _ in range(6)]
    await world.ingest([*records[:2], *records[4:]])
    again = await world.ingest(records)
    assert (again.events, again.duplicates) == (2, 4)
    assert again.written == {str(edge.writer): 6}


async def test_a_record_twice_in_one_poll_is_one(world: World, edge: Edge) -> None:
    first, second = edge.event(reason=Reason.PREFETCH), edge.event(reason=Reason.PREFETCH)
    stored = await world.ingest([second, first, second, first])
    assert (stored.events, stored.duplicates) == (2, 2)


async def test_partitions_have_independent_sequences(world: World, edge: Edge) -> None:
    """They are read at their own speeds: what comes late here is not what came early there."""
    records = [edge.event(reason=Reason.PREFETCH) for _ in range(9)]
    early = await world.ingest(records[1::2], partition=1)
    late = await world.ingest(records[0::2], partition=0)
    assert (early.events, late.events) == (4, 5)


async def test_readers_of_two_logs_with_the_same_records_take_each_once(
    world: World, edge: Edge
) -> None:
    slot = (world.property_id, world.slot_id, None, None, "no_candidates", 1)
    records = [edge.counter([slot]) for _ in range(120)]

    async def read(seed: int) -> None:
        mine, source = list(records), world.another_log()
        random.Random(seed).shuffle(mine)
        for start in range(0, len(mine), 15):
            await world.ingest(mine[start : start + 15], source=source)

    await asyncio.gather(*(read(seed) for seed in range(3)))
    (row,) = await world.rows(
        "select sum(count) as count from serve_hourly where account_id = :account",
        account=world.account_id,
    )
    assert row.count == 120


async def test_each_hour_counts_the_outcomes_of_its_records(world: World, edge: Edge) -> None:
    body = an_event(world)
    first = edge.wrap(body)
    records = [first, edge.wrap(body), edge.counter([]), edge.event(order_id="a\0b")]
    await world.ingest([*records, first])
    rows = await world.rows(
        "select stored, duplicates, dead, appended from writer_hours where writer = :writer",
        writer=str(edge.writer),
    )
    assert [tuple(row) for row in rows] == [(2, 1, 1, None)]
