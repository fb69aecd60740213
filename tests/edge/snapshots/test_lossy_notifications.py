"""Notifications that are lost, repeated and delayed: in the end the receiver has the right snapshot every time."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from common.service.channels import Channels
from common.values.clock import SystemClock
from common.values.environment import Environment
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.snapshots.sync_loop import SnapshotSync
from edge.snapshots.sync_state import SyncState
from tests.edge.snapshots.published import Published, RedisChannel
from tests.support.lossy_redis import Fate, LossyRedis, passed_on
from tests.support.servers import RedisServer
from tests.support.waiting import until

SILENCE_S = 0.3
BEAT_S = 0.1


@dataclass
class Line:
    """Publish at one end, a receiver at the other, the lossy Redis between them."""

    proxy: LossyRedis
    published: Published
    channel: RedisChannel
    receive: SnapshotSync

    async def change(self, key: str) -> None:
        await self.channel.publish(self.published.put(key), self.published.beat())

    async def is_right(self) -> bool:
        state, wanted = self.receive.receiver.state, self.published
        return state is not None and (state.version, state.digest) == (
            wanted.version,
            wanted.digest,
        )

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            head = self.published.beat()
            await self.channel.put_head(head)
            await self.channel.ring(head)


@pytest.fixture
async def line(
    redis_server: RedisServer, namespace: str, servers_folder: Path
) -> AsyncIterator[Line]:
    folder = servers_folder / namespace
    folder.mkdir()
    published = Published(at_ms=SystemClock().now_ms())
    channel = RedisChannel(redis_server.url, namespace, Environment.LIVE)
    published.put("home")
    await channel.put_full(published.full())
    await channel.put_head(published.beat())
    async with (
        LossyRedis(redis_server.url, folder).running() as proxy,
        _receiving(proxy.url, namespace) as receive,
    ):
        line = Line(proxy, published, channel, receive)
        beating = asyncio.create_task(line.beat())
        await until(lambda: _heard(proxy))
        yield line
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
    await channel.close()


async def _heard(proxy: LossyRedis) -> bool:
    return proxy.seen > 0


@asynccontextmanager
async def _receiving(url: str, namespace: str) -> AsyncIterator[SnapshotSync]:
    source = RedisSnapshotSource(url, Channels(namespace), Environment.LIVE)
    receive = SnapshotSync(
        source,
        SyncState(),
        clock=SystemClock(),
        rng=random.Random(1),
        silence_s=SILENCE_S,
        changed=lambda: None,
    )
    task = asyncio.create_task(receive.run())
    yield receive
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await source.close()


def losing_half(rng: random.Random) -> Fate:
    return lambda frame: () if rng.randrange(2) else (frame,)


def repeating(rng: random.Random) -> Fate:
    return lambda frame: (frame,) * rng.randrange(1, 4)


def shuffling(rng: random.Random) -> Fate:
    """Holds each message back behind some that come later."""
    held: list[bytes] = []

    def fate(frame: bytes) -> Sequence[bytes]:
        held.append(frame)
        if len(held) < 4:
            return ()
        rng.shuffle(held)
        out = tuple(held)
        held.clear()
        return out

    return fate


def lagging(_rng: random.Random) -> Fate:
    """A slow subscriber's: nothing for long, then all of it at once."""
    held: list[bytes] = []

    def fate(frame: bytes) -> Sequence[bytes]:
        held.append(frame)
        if len(held) < 25:
            return ()
        out = tuple(held)
        held.clear()
        return out

    return fate


@pytest.mark.parametrize("make", [losing_half, repeating, shuffling, lagging])
async def test_the_snapshot_is_correct_during_and_after_lossy_notifications(
    line: Line, make: Callable[[random.Random], Fate]
) -> None:
    line.proxy.fate = make(random.Random(7))
    for number in range(40):
        await line.change(f"slot-{number % 9}-{number}")
    await until(line.is_right)
    await line.change("more")
    line.proxy.fate = passed_on
    await until(line.is_right)


async def test_only_the_last_message_lost_is_found_by_the_heartbeat(line: Line) -> None:
    line.proxy.fate = lambda frame: () if b'"t":"delta"' in frame else (frame,)
    await line.change("the-last")
    await until(line.is_right)


async def test_a_subscription_that_loses_everything_is_detected_by_its_silence(line: Line) -> None:
    line.proxy.fate = lambda _: ()
    await line.change("unheard")
    await until(line.is_right)
    pulls = line.receive.counts.pulls
    await line.change("unheard-too")
    await until(line.is_right)
    assert line.receive.counts.pulls > pulls


async def test_a_replaced_publisher_takes_no_edge_back(line: Line) -> None:
    stale = line.published.beat()
    held = []
    for number in range(20):
        await line.change(f"slot-{number}")
        await line.channel.put_head(stale)
        await line.channel.ring(stale)
        state = line.receive.receiver.state
        held.append(0 if state is None else state.version)
    await until(line.is_right)
    assert held == sorted(held)
