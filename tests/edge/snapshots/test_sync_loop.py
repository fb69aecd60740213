"""The receiver with a real Redis that loses messages, is killed, or sends what is wrong."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from common.service.channels import Channels
from common.values.clock import Clock, FixedClock, SystemClock
from common.values.environment import Environment
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.snapshots.sync_loop import SnapshotSync
from edge.snapshots.sync_state import SyncState
from tests.edge.snapshots.published import Published, RedisChannel
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S

SILENCE_S = 0.4


@asynccontextmanager
async def receiving(
    url: str,
    namespace: str,
    receiver: SyncState | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[SnapshotSync]:
    source = RedisSnapshotSource(url, Channels(namespace), Environment.LIVE)
    receive = SnapshotSync(
        source,
        receiver or SyncState(),
        clock=clock or SystemClock(),
        rng=random.Random(1),
        silence_s=SILENCE_S,
        changed=lambda: None,
    )
    task = asyncio.create_task(receive.run())
    try:
        yield receive
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await source.close()


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not done():  # noqa: ASYNC110 - what is awaited comes over a connection
            await asyncio.sleep(0.01)


def holds(receive: SnapshotSync, published: Published) -> Callable[[], bool]:
    def check() -> bool:
        state = receive.receiver.state
        return state is not None and (state.epoch, state.version, state.digest) == (
            published.epoch,
            published.version,
            published.digest,
        )

    return check


@pytest.fixture
async def channel(redis_server: RedisServer, namespace: str) -> AsyncIterator[RedisChannel]:
    opened = RedisChannel(redis_server.url, namespace, Environment.LIVE)
    yield opened
    await opened.close()


async def start(published: Published, channel: RedisChannel) -> None:
    published.put("home", "sports")
    await channel.put_full(published.full())
    await channel.put_head(published.beat())


async def test_the_full_state_is_loaded_at_the_start(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))


async def test_the_first_snapshot_is_received_after_an_empty_start(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    async with receiving(redis_server.url, namespace) as receive:
        await until(lambda: receive.counts.pulls_failed > 0)
        await start(published, channel)
        await until(holds(receive, published))


async def test_lost_messages_are_pulled(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    rng = random.Random(7)
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(lambda: receive.counts.subscribed or receive.receiver.state is not None)
        for number in range(60):
            delta = published.put(f"slot-{number % 9}", refresh_seconds=number + 1)
            await channel.publish(delta, published.beat(), notify=rng.randrange(2) == 0)
        await channel.ring(published.beat())
        await until(holds(receive, published))


async def test_only_the_last_message_lost_is_revealed_by_the_heartbeat(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        await channel.publish(published.put("lost"), published.beat(), notify=False)
        await channel.ring(published.beat())
        await until(holds(receive, published))


async def test_a_silent_subscription_is_not_trusted(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        await channel.publish(published.put("lost"), published.beat(), notify=False)
        await until(holds(receive, published))


class WatchedClock(FixedClock):
    """Time passes where the test says so; ``reads`` counts how often it was asked for."""

    reads = 0

    def monotonic_s(self) -> float:
        self.reads += 1
        return super().monotonic_s()


async def test_a_subscription_that_delivers_is_not_pulled(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    clock = WatchedClock(1_000_000)
    await start(published, channel)
    async with receiving(redis_server.url, namespace, clock=clock) as receive:
        await until(holds(receive, published))
        while not receive.counts.subscribed:
            await channel.ring(published.beat())
            await asyncio.sleep(0.01)
        pulls = receive.counts.pulls
        for _ in range(3):
            clock.advance(ms=round(SILENCE_S * 900))
            await channel.ring(published.beat())
            await until(lambda: receive.receiver.head_at_ms == published.at_ms)
        reads = clock.reads
        await until(lambda: clock.reads > reads + 1)
        assert receive.counts.pulls == pulls


async def test_repeated_and_reordered_messages_lead_to_the_published_state(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    rng = random.Random(3)
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        deltas = []
        for number in range(20):
            delta = published.put(f"slot-{number % 5}", refresh_seconds=number + 1)
            await channel.publish(delta, published.beat(), notify=False)
            deltas.append(delta)
        shuffled = [*deltas, *deltas]
        rng.shuffle(shuffled)
        for delta in shuffled:
            await channel.ring(delta)
        await until(holds(receive, published))


async def test_a_notification_with_a_wrong_digest_is_corrected_by_a_pull(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        delta = published.put("news")
        await channel.publish(delta, published.beat(), notify=False)
        await channel.ring(replace(delta, digest="0" * 64))
        await until(holds(receive, published))


async def test_a_broken_delta_in_the_ring_is_replaced_by_the_full_state(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        delta = published.put("news")
        await channel.put_full(published.full())
        await channel.publish(replace(delta, digest="0" * 64), published.beat())
        await until(holds(receive, published))
        assert receive.counts.refused > 0


async def test_a_broken_full_state_leaves_the_last_good_one(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        good = published.version, published.digest
        published.put("news")
        await channel.put_full(replace(published.full(), digest="0" * 64))
        await channel.put_head(published.beat())
        await until(lambda: receive.counts.refused > 0)
        state = receive.receiver.state
        assert state is not None
        assert (state.version, state.digest) == good
        assert receive.receiver.refusal is not None


async def test_a_ring_that_no_longer_reaches_back_means_the_full_state(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        for number in range(5):
            published.put(f"slot-{number}")
        await channel.put_full(published.full())
        newest = published.put("newest")
        await channel.publish(newest, published.beat())
        await until(holds(receive, published))


async def test_a_restored_database_is_followed_into_its_new_epoch(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published()
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        published.put("later-lost-by-the-restore")
        published.restore("epoch-2")
        await channel.put_full(published.full())
        await channel.put_head(published.beat())
        await channel.ring(published.beat())
        await until(holds(receive, published))


@pytest.fixture
async def own_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RedisServer]:
    """A Redis of this test's own, to be killed."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    await asyncio.to_thread(server.start)
    yield server
    await asyncio.to_thread(server.stop)


async def test_a_redis_that_comes_back_empty_changes_nothing_and_is_followed_again(
    own_server: RedisServer,
) -> None:
    published = Published()
    channel = RedisChannel(own_server.url, "t", Environment.LIVE)
    await start(published, channel)
    async with receiving(own_server.url, "t") as receive:
        await until(holds(receive, published))
        await channel.close()
        await asyncio.to_thread(own_server.kill)
        await asyncio.to_thread(own_server.wipe)
        await until(lambda: not receive.counts.subscribed and receive.counts.pulls_failed > 1)
        assert holds(receive, published)()
        await asyncio.to_thread(own_server.start)
        channel = RedisChannel(own_server.url, "t", Environment.LIVE)
        published.put("while-it-was-away")
        await channel.put_full(published.full())
        await channel.put_head(published.beat())
        await until(holds(receive, published))
        await channel.close()


async def test_the_age_keeps_growing_while_the_control_plane_is_down(
    redis_server: RedisServer, namespace: str, channel: RedisChannel
) -> None:
    published = Published(at_ms=5_000)
    await start(published, channel)
    async with receiving(redis_server.url, namespace) as receive:
        await until(holds(receive, published))
        pulls = receive.counts.pulls
        await until(lambda: receive.counts.pulls > pulls + 2)
        assert receive.receiver.confirmed_ms == published.at_ms
