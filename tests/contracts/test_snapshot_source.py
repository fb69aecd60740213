"""What every snapshot source keeps to, on a real Redis and in memory; then what only a server can do to it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

import pytest

from common.service.channels import Channels
from common.snapshot.codec import SnapshotInvalid
from common.snapshot.messages import Delta, FullState, Heartbeat
from common.values.environment import Environment
from control.adapters.redis_channel import RedisSnapshotChannel
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.ports import SnapshotSource, SnapshotSourceUnavailable
from tests.edge.snapshots.published import Published, RedisChannel
from tests.support.memory_snapshots import MemorySnapshotSource
from tests.support.redis_servers import ClusterOfRedis
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S


class ControlSide(Protocol):
    """Plays the control plane for one adapter."""

    async def put_full(self, full: FullState) -> None: ...
    async def put_delta(self, delta: Delta) -> None: ...
    async def put_head(self, head: Heartbeat) -> None: ...
    async def ring(self, message: Heartbeat | Delta) -> None: ...
    async def listeners_count(self) -> int: ...
    async def report(self, worker: str) -> bytes | None: ...


class MemorySide:
    def __init__(self, source: MemorySnapshotSource) -> None:
        self._source = source

    async def put_full(self, full: FullState) -> None:
        self._source.put_full(full)

    async def put_delta(self, delta: Delta) -> None:
        self._source.put_delta(delta)

    async def put_head(self, head: Heartbeat) -> None:
        self._source.put_head(head)

    async def ring(self, message: Heartbeat | Delta) -> None:
        self._source.notify(message)

    async def listeners_count(self) -> int:
        return self._source.listeners_count

    async def report(self, worker: str) -> bytes | None:
        return self._source.reports.get(worker)


Pair = tuple[SnapshotSource, ControlSide]


@pytest.fixture
async def redis_pair(
    redis_server: RedisServer, namespace: str
) -> AsyncIterator[tuple[RedisSnapshotSource, RedisChannel]]:
    source = RedisSnapshotSource(redis_server.url, Channels(namespace), Environment.LIVE)
    channel = RedisChannel(redis_server.url, namespace, Environment.LIVE)
    yield source, channel
    await source.close()
    await channel.close()


@pytest.fixture
async def cluster_pair(
    redis_cluster: ClusterOfRedis, namespace: str
) -> AsyncIterator[tuple[RedisSnapshotSource, RedisChannel]]:
    source = RedisSnapshotSource(redis_cluster.url, Channels(namespace), Environment.LIVE)
    channel = RedisChannel(redis_cluster.url, namespace, Environment.LIVE)
    yield source, channel
    await source.close()
    await channel.close()


@pytest.fixture(params=["redis_pair", "cluster_pair", "memory"])
def pair(request: pytest.FixtureRequest) -> Pair:
    if request.param == "memory":
        source = MemorySnapshotSource()
        return source, MemorySide(source)
    pair: Pair = request.getfixturevalue(request.param)
    return pair


async def until(done: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await done():  # noqa: ASYNC110 - what is awaited happens in another process
            await asyncio.sleep(0.01)


async def receive_messages(
    source: SnapshotSource, count: int, send: Callable[[], Awaitable[None]]
) -> list[Heartbeat | Delta]:
    """The first *count* messages of a subscription that began before *send* was called."""
    messages: list[Heartbeat | Delta] = []

    async def listen() -> None:
        async with aclosing(source.subscribe()) as subscription:
            async for message in subscription:
                messages.append(message)
                if len(messages) == count:
                    return

    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        tasks.create_task(listen())
        await send()
    return messages


async def test_without_a_publication_every_read_returns_none(pair: Pair) -> None:
    source, _ = pair
    assert await source.head() is None
    assert await source.full() is None
    assert await source.deltas(0, 1) is None


async def test_the_head_is_read_as_it_was_put(pair: Pair) -> None:
    source, control = pair
    beat = Published(version=7).beat()
    await control.put_head(beat)
    assert await source.head() == beat


async def test_a_full_state_is_read_as_it_was_put(pair: Pair) -> None:
    source, control = pair
    published = Published()
    published.put(*(f"slot-{number}" for number in range(50)))
    await control.put_full(published.full())
    assert await source.full() == published.full()


async def test_deltas_are_read_in_order_without_a_gap(pair: Pair) -> None:
    source, control = pair
    published = Published()
    deltas = [published.put(f"slot-{number}") for number in range(5)]
    for delta in reversed(deltas):
        await control.put_delta(delta)
    assert list(await source.deltas(1, 4) or ()) == deltas[1:4]


async def test_an_empty_range_of_deltas_returns_none_of_them(pair: Pair) -> None:
    source, _ = pair
    assert list(await source.deltas(3, 3) or ()) == []


async def test_deltas_with_a_gap_return_none(pair: Pair) -> None:
    source, control = pair
    published = Published()
    deltas = [published.put(f"slot-{number}") for number in range(3)]
    await control.put_delta(deltas[0])
    await control.put_delta(deltas[2])
    assert await source.deltas(0, 3) is None


async def test_notifications_carry_deltas_and_heartbeats(pair: Pair) -> None:
    source, control = pair
    published = Published()
    delta, beat = published.put("home"), published.beat()

    async def send() -> None:
        await until(lambda: listening(control))
        await control.ring(delta)
        await control.ring(beat)

    assert await receive_messages(source, 2, send) == [delta, beat]


async def test_a_report_is_stored_where_the_control_plane_reads_it(pair: Pair) -> None:
    source, control = pair
    assert await source.report({"edge-1/0": b'{"version":3}', "edge-1/1": b"{}"})
    assert await source.report({"edge-1/0": b'{"version":4}'})
    assert await control.report("edge-1/0") == b'{"version":4}'
    assert await control.report("edge-1/1") == b"{}"


async def listening(control: ControlSide) -> bool:
    return await control.listeners_count() > 0


RedisPair = tuple[RedisSnapshotSource, RedisChannel]


async def test_an_unreadable_notification_is_skipped(redis_pair: RedisPair) -> None:
    source, channel = redis_pair
    beat = Published().beat()

    async def send() -> None:
        await until(lambda: listening(channel))
        await channel.ring_raw(b"\xff not ours")
        await channel.ring(beat)

    assert await receive_messages(source, 1, send) == [beat]


async def test_a_large_full_state_travels_in_several_chunks(redis_pair: RedisPair) -> None:
    source, channel = redis_pair
    published = Published()
    published.put(*(f"slot-{number}" for number in range(8_000)))
    await channel.put_full(published.full())
    found = await source.full()
    assert found == published.full()


async def test_a_full_state_whose_chunks_are_gone_is_unavailable(
    redis_pair: RedisPair, namespace: str
) -> None:
    source, channel = redis_pair
    published = Published()
    published.put("home")
    await channel.put_full(published.full())
    await channel.redis.delete(Channels(namespace).snapshot_chunk(Environment.LIVE, 1, 0))
    with pytest.raises(SnapshotSourceUnavailable, match="chunks"):
        await source.full()


async def test_a_delta_kept_under_another_version_is_invalid(
    redis_pair: RedisPair, namespace: str
) -> None:
    source, channel = redis_pair
    await channel.put_delta(replace(Published().put("home"), version=2))
    name = Channels(namespace).snapshot_delta
    await channel.redis.rename(name(Environment.LIVE, 2), name(Environment.LIVE, 1))
    with pytest.raises(SnapshotInvalid, match="delta 1"):
        await source.deltas(0, 1)


@pytest.fixture
async def own_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RedisServer]:
    """A Redis of this test's own, to be killed and frozen."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    await asyncio.to_thread(server.start)
    yield server
    server.thaw()
    await asyncio.to_thread(server.stop)


def a_source(server: RedisServer) -> RedisSnapshotSource:
    return RedisSnapshotSource(server.url, Channels("t"), Environment.LIVE)


async def test_a_lost_server_is_unavailable_and_used_again_when_back(
    own_server: RedisServer,
) -> None:
    source = a_source(own_server)
    assert await source.head() is None
    await asyncio.to_thread(own_server.kill)
    with pytest.raises(SnapshotSourceUnavailable):
        await source.head()
    assert not await source.report({"edge-1/0": b"{}"})
    assert source.reports_failed == 1
    await asyncio.to_thread(own_server.start)
    assert await source.head() is None
    await source.close()


async def test_a_hung_server_is_unavailable_within_bounds(own_server: RedisServer) -> None:
    source = a_source(own_server)
    assert await source.head() is None
    own_server.freeze()
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(SnapshotSourceUnavailable):
            await source.head()
    own_server.thaw()
    assert await source.head() is None
    await source.close()


async def test_notifications_of_a_hung_server_end(own_server: RedisServer) -> None:
    source = a_source(own_server)

    async def freeze() -> None:
        own_server.freeze()

    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(BaseExceptionGroup) as raised:
            await receive_messages(source, 1, freeze)
    assert raised.group_contains(SnapshotSourceUnavailable)
    await source.close()


async def test_a_quiet_subscription_continues(redis_server: RedisServer, namespace: str) -> None:
    channels = Channels(namespace)
    source = RedisSnapshotSource(redis_server.url, channels, Environment.LIVE, quiet_s=0.05)
    channel = RedisChannel(redis_server.url, namespace, Environment.LIVE)
    beat = Published().beat()

    async def send() -> None:
        await until(lambda: listening(channel))
        await asyncio.sleep(0.5)
        await channel.ring(beat)

    assert await receive_messages(source, 1, send) == [beat]
    await source.close()
    await channel.close()


async def test_an_edge_reads_what_the_control_plane_puts(
    redis_server: RedisServer, namespace: str
) -> None:
    channels = Channels(namespace)
    source = RedisSnapshotSource(redis_server.url, channels, Environment.LIVE)
    channel = RedisSnapshotChannel(redis_server.url, channels, ring=10)
    published = Published()
    published.put("home")
    await channel.put_full(Environment.LIVE, published.full())
    full = published.full()
    delta, beat = published.put("sports"), published.beat()
    await channel.put_delta(Environment.LIVE, delta)
    await channel.beat(Environment.LIVE, beat)
    assert await source.full() == full
    assert list(await source.deltas(1, 2) or ()) == [delta]
    assert await source.head() == beat
    await source.close()
    await channel.close()
