"""What is committed reaches the channel in order, whatever goes away and comes back meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry
from sqlalchemy import delete, update

from common.snapshot.messages import Delta, Heartbeat
from common.values.clock import SystemClock
from common.values.environment import Environment
from control.delivery.snapshot_publishing import publisher as publisher_module
from control.delivery.snapshot_publishing.metrics import PublishMetrics
from control.delivery.snapshot_publishing.publisher import Publisher
from control.outbox.outbox_reader import beat_of, find_edges_ahead, read_head
from control.outbox.state import load_full
from control.storage.database import Database
from control.storage.tables.edges import EdgeWorkerRow
from control.storage.tables.outbox import OutboxRow, SnapshotHeadRow, SnapshotObjectRow
from tests.control.delivery.snapshot_publishing.rows import a_campaign_row
from tests.control.delivery.snapshot_publishing.waiting import until_async
from tests.control.delivery.snapshot_publishing.world import World
from tests.support.memory_channel import MemorySnapshotChannel

TEST, LIVE = Environment.TEST, Environment.LIVE
RING = 6


@asynccontextmanager
async def publishing(
    database: Database, channel: MemorySnapshotChannel
) -> AsyncIterator[Publisher]:
    metrics = PublishMetrics(CollectorRegistry())
    publisher = Publisher(database, channel, SystemClock(), metrics, beat_s=0.02, ring=RING)
    task = asyncio.ensure_future(publisher.run())
    try:
        yield publisher
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.wait({task})


async def caught_up(database: Database, channel: MemorySnapshotChannel) -> None:
    """Waits until both heads are the database's, and a full state with deltas leads there."""

    async def is_so() -> bool:
        head = await read_head(database)
        for environment in Environment:
            there = channel.heads.get(environment)
            version = await channel.has_full(environment, head.epoch)
            if there is None or version is None:
                return False
            if there != beat_of(head, environment, there.at_ms):
                return False
            if not await channel.has_deltas(environment, version, head.version):
                return False
        return True

    await until_async(is_so)


async def left(database: Database, epoch: str) -> None:
    """Waits until a new epoch has begun."""

    async def is_so() -> bool:
        return (await read_head(database)).epoch != epoch

    await until_async(is_so)


async def change(world: World, times: int = 1) -> None:
    for _ in range(times):
        world.slot.floor_cents += 1
        await world.save(world.slot)


def deltas_of(channel: MemorySnapshotChannel, environment: Environment) -> list[int]:
    """The versions of the deltas that were rung, in that order."""
    return [
        message.version
        for to, message in channel.rung
        if to is environment and isinstance(message, Delta)
    ]


async def test_a_fresh_channel_gets_a_full_state_first(database: Database) -> None:
    await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    assert channel.fulls[TEST] == await load_full(database, TEST)
    assert channel.fulls[LIVE] == await load_full(database, LIVE)


async def test_changes_travel_in_order_to_both_environments(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        await change(world, 20)
        await world.save(a_campaign_row(world.account, environment="live"))
        await caught_up(database, channel)
    assert deltas_of(channel, TEST) == deltas_of(channel, LIVE) == list(range(2, 23))
    last = channel.deltas[(TEST, 22)], channel.deltas[(LIVE, 22)]
    assert [len(delta.entries) for delta in last] == [0, 1]


async def test_a_notification_wakes_the_publisher(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel) as publisher:
        await caught_up(database, channel)
        await change(world)
        publisher.wakeup.set()
        await caught_up(database, channel)
    assert deltas_of(channel, TEST) == [2]


async def test_heartbeats_repeat_the_head(database: Database) -> None:
    await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        channel.rung.clear()

        async def three_beats() -> bool:
            return len(channel.rung) >= 6

        await until_async(three_beats)
    head = await read_head(database)
    for environment, beat in channel.rung:
        assert isinstance(beat, Heartbeat)
        assert beat == beat_of(head, environment, beat.at_ms)


class FaultyChannel(MemorySnapshotChannel):
    is_faulty = False

    async def put_delta(self, environment: Environment, delta: Delta) -> None:
        if self.is_faulty:
            raise RuntimeError("a fault")
        await super().put_delta(environment, delta)


async def test_a_head_is_not_confirmed_while_a_step_after_it_cannot_be_published(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "_CONFIRMED_S", 0.5)
    world = await World.make(database)
    channel = FaultyChannel(ring=RING)
    async with publishing(database, channel) as publisher:
        await caught_up(database, channel)
        channel.is_faulty = True
        await change(world)

        async def has_failed() -> bool:
            return publisher.error is not None

        await until_async(has_failed)
        await asyncio.sleep(0.6)
        channel.rung.clear()
        await asyncio.sleep(1)
        assert channel.rung == []
        channel.is_faulty = False
        await caught_up(database, channel)


async def test_the_next_leader_continues_where_the_last_one_stopped(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    fulls = dict(channel.fulls)
    await change(world, 3)
    async with publishing(database, channel):
        await caught_up(database, channel)
    assert deltas_of(channel, TEST) == [2, 3, 4]
    assert channel.fulls == fulls


async def test_a_lost_channel_is_caught_up_with(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        channel.is_unavailable = True
        await change(world, 3)
        channel.is_unavailable = False
        await caught_up(database, channel)
    assert deltas_of(channel, TEST) == [2, 3, 4]


async def test_a_channel_that_came_back_empty_is_filled_again(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        await change(world, 2)
        await caught_up(database, channel)
        channel.forget()
        await caught_up(database, channel)
    assert channel.fulls[TEST].version == 3


async def test_a_hole_in_the_ring_is_covered_by_a_full_state(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        await change(world, 2)
        await caught_up(database, channel)
        del channel.deltas[(LIVE, 2)]
        await caught_up(database, channel)
    assert channel.fulls[LIVE].version == 3
    assert channel.fulls[TEST].version == 1


async def test_a_full_state_older_than_half_the_ring_is_replaced(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        await change(world, RING)

        async def replaced() -> bool:
            return all(full.version > RING // 2 for full in channel.fulls.values())

        await until_async(replaced)


async def test_a_full_state_replaces_steps_that_were_deleted(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    await change(world, 4)
    async with database.service() as session:
        await session.execute(delete(OutboxRow).where(OutboxRow.version < 4))  # type: ignore[arg-type]  # SQLModel types fields as values
    async with publishing(database, channel):
        await caught_up(database, channel)
    assert channel.fulls[TEST].version == 5


async def test_a_database_that_went_back_begins_a_new_epoch(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    before = await read_head(database)
    for environment in Environment:
        beat = beat_of(before, environment, 1)
        channel.heads[environment] = Heartbeat(beat.epoch, 7, beat.digest, 1)
    async with publishing(database, channel):
        await caught_up(database, channel)
        await change(world)
        await caught_up(database, channel)
    assert channel.heads[TEST].epoch != before.epoch
    assert channel.heads[TEST].version == 2


async def test_an_empty_redis_begins_a_new_epoch(database: Database) -> None:
    """A restored database uses versions again that edges may know with other content."""
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    before = await read_head(database)
    empty = MemorySnapshotChannel(ring=RING)
    async with publishing(database, empty):
        await caught_up(database, empty)
        await change(world)
        await caught_up(database, empty)
    assert empty.heads[TEST].epoch == empty.heads[LIVE].epoch != before.epoch
    assert empty.heads[LIVE].version == before.version + 1


async def test_a_new_leader_continues_the_epoch_of_its_redis(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    before = await read_head(database)
    await change(world)
    async with publishing(database, channel):
        await caught_up(database, channel)
    assert (await read_head(database)).epoch == before.epoch == channel.heads[LIVE].epoch


async def test_edges_of_a_later_version_begin_a_new_epoch(database: Database) -> None:
    await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        before = await read_head(database)
        async with database.service() as session:
            session.add(a_worker_row(before.epoch, before.version + 1))
        await left(database, before.epoch)
        await caught_up(database, channel)
        begun = await read_head(database)
    assert channel.heads[LIVE].epoch == begun.epoch
    assert channel.heads[LIVE].version == before.version


async def test_edges_at_the_head_begin_no_epoch(database: Database) -> None:
    world = await World.make(database)
    before = await read_head(database)
    async with database.service() as session:
        session.add(a_worker_row(before.epoch, before.version))
        session.add(a_worker_row("an epoch that is over", before.version + 9, worker="edge-2/0"))
    assert await find_edges_ahead(database) is None
    await change(world)
    assert await find_edges_ahead(database) is None


def a_worker_row(epoch: str, version: int, *, worker: str = "edge-1/0") -> EdgeWorkerRow:
    return EdgeWorkerRow(
        environment=LIVE.value,
        worker=worker,
        boot="b1",
        epoch=epoch,
        version=version,
        ok=True,
        age_s=0.0,
        seen_at=SystemClock().now(),
    )


async def test_a_history_with_other_content_begins_a_new_epoch(database: Database) -> None:
    world = await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    epoch = (await read_head(database)).epoch
    channel.heads[LIVE] = Heartbeat(epoch, 1, "0" * 64, 1)
    await change(world)
    async with publishing(database, channel):
        await caught_up(database, channel)
    assert channel.heads[LIVE].epoch != epoch


async def test_a_torn_state_is_mended_by_a_new_epoch(database: Database) -> None:
    await World.make(database)
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
        before = await read_head(database)
        async with database.service() as session:
            await session.execute(update(SnapshotHeadRow).values(digest_live=5))
        channel.fulls.clear()
        await left(database, before.epoch)
        await caught_up(database, channel)
    assert channel.fulls[LIVE] == await load_full(database, LIVE)


async def test_a_full_state_holds_the_stored_objects_only(database: Database) -> None:
    await World.make(database)
    async with database.service() as session:
        await session.execute(delete(SnapshotObjectRow))
    channel = MemorySnapshotChannel(ring=RING)
    async with publishing(database, channel):
        await caught_up(database, channel)
    assert channel.fulls[TEST].entries == ()
