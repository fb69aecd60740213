"""What every snapshot channel must do; the real one is also read back by what edges read it with."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import redis.asyncio

from common.service.channels import Channels
from common.snapshot.digest import state_digest, to_text
from common.snapshot.messages import Delta, FullState, Heartbeat, ObjectChange
from common.snapshot.model import ObjectType
from common.values.environment import Environment
from control.adapters.redis_channel import RedisSnapshotChannel
from control.ports.snapshots import SnapshotChannel, SnapshotChannelUnavailable
from edge.adapters.redis_snapshots import RedisSnapshotSource
from tests.support.memory_channel import MemorySnapshotChannel
from tests.support.redis_servers import redis_url_of
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S

TEST, LIVE = Environment.TEST, Environment.LIVE
RING = 5


def a_delta(version: int, *entries: ObjectChange, epoch: str = "e1") -> Delta:
    return Delta(epoch, version, to_text(version), 1000 + version, entries)


def a_full(version: int, *, objects: int = 3, epoch: str = "e1") -> FullState:
    body = b'{"id":"' + b"x" * 1000 + b'"}'
    entries = tuple(ObjectChange(ObjectType.AD, str(number), body) for number in range(objects))
    return FullState(epoch, version, to_text(state_digest(entries)), entries)


@pytest_asyncio.fixture(params=["memory", "redis", "cluster"])
async def channel(request: pytest.FixtureRequest, namespace: str) -> AsyncIterator[SnapshotChannel]:
    made: SnapshotChannel = MemorySnapshotChannel(ring=RING)
    if request.param != "memory":
        made = RedisSnapshotChannel(redis_url_of(request), Channels(namespace), ring=RING)
    yield made
    await made.close()


@pytest_asyncio.fixture
async def written(redis_server: RedisServer, namespace: str) -> AsyncIterator[RedisSnapshotChannel]:
    made = RedisSnapshotChannel(redis_server.url, Channels(namespace), ring=RING)
    yield made
    await made.close()


@pytest_asyncio.fixture
async def read(redis_server: RedisServer, namespace: str) -> AsyncIterator[RedisSnapshotSource]:
    source = RedisSnapshotSource(redis_server.url, Channels(namespace), TEST)
    yield source
    await source.close()


async def test_an_empty_channel_has_nothing(channel: SnapshotChannel) -> None:
    assert await channel.find_head(TEST) is None
    assert await channel.has_full(TEST, "e1") is None
    assert await channel.has_deltas(TEST, 3, 3)
    assert not await channel.has_deltas(TEST, 3, 4)


async def test_a_delta_becomes_the_head_of_its_environment(channel: SnapshotChannel) -> None:
    await channel.put_delta(TEST, a_delta(1))
    assert await channel.find_head(TEST) == Heartbeat("e1", 1, to_text(1), 1001)
    assert await channel.find_head(LIVE) is None


async def test_a_heartbeat_becomes_the_head(channel: SnapshotChannel) -> None:
    beat = Heartbeat("e1", 9, to_text(9), 77)
    await channel.beat(LIVE, beat)
    assert await channel.find_head(LIVE) == beat


async def test_the_ring_keeps_the_last_deltas(channel: SnapshotChannel) -> None:
    for version in range(1, 9):
        await channel.put_delta(TEST, a_delta(version))
    assert await channel.has_deltas(TEST, 8 - RING, 8)
    assert not await channel.has_deltas(TEST, 8 - RING - 1, 8)


async def test_a_full_state_is_found_by_its_epoch(channel: SnapshotChannel) -> None:
    await channel.put_full(TEST, a_full(4))
    assert await channel.has_full(TEST, "e1") == 4
    assert await channel.has_full(TEST, "e2") is None
    assert await channel.has_full(LIVE, "e1") is None


async def test_the_newest_full_state_is_kept(channel: SnapshotChannel) -> None:
    await channel.put_full(TEST, a_full(4))
    await channel.put_full(TEST, a_full(5))
    assert await channel.has_full(TEST, "e1") == 5


async def test_putting_again_changes_nothing(channel: SnapshotChannel) -> None:
    for _ in range(2):
        await channel.put_full(TEST, a_full(1))
        await channel.put_delta(TEST, a_delta(2))
    assert await channel.has_full(TEST, "e1") == 1
    assert await channel.has_deltas(TEST, 1, 2)


async def test_an_empty_channel_has_no_worker_reports(channel: SnapshotChannel) -> None:
    assert await channel.find_workers(TEST) == {}
    await channel.remove_workers(TEST, ["edge-1/0"])
    await channel.remove_workers(TEST, [])
    assert await channel.find_workers(TEST) == {}


async def test_worker_reports_are_found_and_removed_by_name(
    written: RedisSnapshotChannel, read: RedisSnapshotSource
) -> None:
    await read.report({"edge-1/0": b"a", "edge-1/1": b"b"})
    assert await written.find_workers(TEST) == {"edge-1/0": b"a", "edge-1/1": b"b"}
    assert await written.find_workers(LIVE) == {}
    await written.remove_workers(TEST, ["edge-1/0", "edge-9/9"])
    assert await written.find_workers(TEST) == {"edge-1/1": b"b"}


async def test_edges_read_the_full_state_that_was_put(
    written: RedisSnapshotChannel, read: RedisSnapshotSource
) -> None:
    full = a_full(4, objects=3000)
    await written.put_full(TEST, a_full(3, objects=5000))
    await written.put_full(TEST, full)
    assert await read.full() == full


async def test_edges_read_the_deltas_and_the_head_that_were_put(
    written: RedisSnapshotChannel, read: RedisSnapshotSource
) -> None:
    deltas = [a_delta(1), a_delta(2, ObjectChange(ObjectType.SLOT, "s", None))]
    for delta in deltas:
        await written.put_delta(TEST, delta)
    assert await read.deltas(0, 2) == deltas
    assert await read.head() == Heartbeat("e1", 2, to_text(2), 1002)


async def test_notifications_carry_small_deltas_and_announce_large_ones(
    written: RedisSnapshotChannel, read: RedisSnapshotSource
) -> None:
    small = a_delta(1, ObjectChange(ObjectType.SLOT, "s", None))
    large = a_delta(2, *a_full(2, objects=100).entries)
    subscription = read.subscribe()
    first = asyncio.ensure_future(anext(subscription))
    while not first.done():  # subscribing takes a moment, and before it nothing is received
        await written.put_delta(TEST, small)
        await asyncio.sleep(0.01)
    assert await first == small
    await written.put_delta(TEST, large)
    received: Heartbeat | Delta = small
    while received == small:
        received = await anext(subscription)
    assert received == Heartbeat("e1", 2, to_text(2), 1002)
    await subscription.aclose()


async def test_a_full_state_that_lost_a_chunk_is_missing(
    written: RedisSnapshotChannel, redis_server: RedisServer, namespace: str
) -> None:
    await written.put_full(TEST, a_full(4, objects=3000))
    async with redis.asyncio.Redis.from_url(redis_server.url) as client:
        await client.delete(Channels(namespace).snapshot_chunk(TEST, 4, 1))
    assert await written.has_full(TEST, "e1") is None


async def test_no_chunk_of_a_replaced_full_state_stays_for_ever(
    written: RedisSnapshotChannel, redis_server: RedisServer, namespace: str
) -> None:
    await written.put_full(TEST, a_full(4, objects=3000))
    await written.put_full(TEST, a_full(5, objects=10))
    async with redis.asyncio.Redis.from_url(redis_server.url) as client:
        lasting = {
            name
            async for name in client.scan_iter(f"{namespace}:*")
            if await client.ttl(name) == -1
        }
    channels = Channels(namespace)
    kept = {channels.snapshot_full(TEST), channels.snapshot_chunk(TEST, 5, 0)}
    assert lasting == {name.encode() for name in kept}


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_a_lost_redis_is_unavailable_and_used_again_when_back(
    fault: str, tmp_path_factory: pytest.TempPathFactory, namespace: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("redis")
    server = RedisServer(folder)
    server.start()
    channel = RedisSnapshotChannel(server.url, Channels(namespace), ring=RING)
    try:
        await channel.put_delta(TEST, a_delta(1))
        getattr(server, fault)()
        for call in (
            channel.put_full(TEST, a_full(1)),
            channel.put_delta(TEST, a_delta(2)),
            channel.beat(TEST, Heartbeat("e1", 1, to_text(1), 1)),
            channel.find_head(TEST),
            channel.has_full(TEST, "e1"),
            channel.has_deltas(TEST, 0, 1),
        ):
            with pytest.raises(SnapshotChannelUnavailable):
                async with asyncio.timeout(PATIENCE_S):
                    await call
        if fault == "kill":
            server.start()
        else:
            server.thaw()
        await channel.put_delta(TEST, a_delta(3))
        assert await channel.has_deltas(TEST, 2, 3)
    finally:
        await channel.close()
        server.stop()


async def test_a_call_can_be_cancelled_at_every_step(
    written: RedisSnapshotChannel,
) -> None:
    await written.put_delta(TEST, a_delta(1))
    for steps in range(6):
        call = asyncio.ensure_future(written.put_delta(TEST, a_delta(2)))
        for _ in range(steps):
            await asyncio.sleep(0)
        if call.cancel():
            await asyncio.wait({call})
            assert call.cancelled()
