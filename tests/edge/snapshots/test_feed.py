"""A worker's feed, both ends of it, over a real pair of sockets."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from common.decision.index import indexes_of
from common.snapshot.messages import encode_full
from common.snapshot.snapshot import Snapshot
from common.snapshot.status import WorkerStatus, encode_status
from common.values.clock import FixedClock
from common.values.environment import Environment
from edge.snapshots.feed_client import FeedClient
from edge.snapshots.frames import FrameKind, pack, read_frame
from edge.snapshots.state import parse_state
from edge.snapshots.sync_state import KEPT_DELTAS, SyncState
from edge.snapshots.worker_feed import WorkerFeed
from tests.edge.snapshots.published import Published
from tests.support.builders import a_snapshot, a_stock
from tests.support.waiting import PATIENCE_S

NOW_MS = 1_000_000


@dataclass
class Fed:
    """A receiver, its feed, and the worker at the other end."""

    published: Published
    receiver: SyncState
    feed: WorkerFeed
    link: FeedClient
    statuses: list[WorkerStatus] = field(default_factory=list)

    def publish(self, *keys: str) -> None:
        self.receiver.take(self.published.put(*keys), NOW_MS)
        self.feed.changed()

    def has_adopted(self) -> bool:
        current = self.link.handle.find_current()
        return (
            self.feed.current
            and current is not None
            and (sorted(current.slots) == self.published.slot_ids)
        )


@asynccontextmanager
async def fed(
    published: Published,
    receiver: SyncState | None = None,
    feed: WorkerFeed | None = None,
    *,
    max_wait_s: float = 1.0,
) -> AsyncIterator[Fed]:
    ours, theirs = socket.socketpair()
    receiver = receiver or SyncState(parse_state(published.full()), confirmed_ms=NOW_MS - 5_000)
    reported: list[WorkerStatus] = []
    feed = feed or WorkerFeed(receiver, on_status=reported.append)
    link = FeedClient("edge-1/0", Environment.TEST, FixedClock(NOW_MS), max_wait_s=max_wait_s)
    pair = Fed(published, receiver, feed, link, reported)
    tasks = [
        asyncio.create_task(feed.run(*await asyncio.open_connection(sock=ours))),
        asyncio.create_task(link.run(*await asyncio.open_connection(sock=theirs))),
    ]
    yield pair
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@dataclass
class Relay:
    """A worker, and the frames of a full state that a test sends it."""

    link: FeedClient
    writer: asyncio.StreamWriter
    full_state: list[bytes]

    @property
    def is_being_read(self) -> bool:
        return not self.link._no_full_state.is_set()


@asynccontextmanager
async def relayed(feed: WorkerFeed) -> AsyncIterator[Relay]:
    """*feed* sends its full state to the test, which sends it to the worker frame by frame."""
    ours, from_feed = socket.socketpair()
    to_link, theirs = socket.socketpair()
    feeding = asyncio.create_task(feed.run(*await asyncio.open_connection(sock=ours)))
    reader, feed_writer = await asyncio.open_connection(sock=from_feed)
    frames, kind = [], None
    async with asyncio.timeout(PATIENCE_S):
        while kind is not FrameKind.BEAT:
            kind, payload = await read_frame(reader)
            frames.append(pack(kind, payload))
    link = FeedClient("edge-1/0", Environment.TEST, FixedClock(NOW_MS))
    linking = asyncio.create_task(link.run(*await asyncio.open_connection(sock=theirs)))
    _, writer = await asyncio.open_connection(sock=to_link)
    yield Relay(link, writer, frames)
    for each in (writer, feed_writer):
        each.close()
    for task in (feeding, linking):
        task.cancel()
    await asyncio.gather(feeding, linking, return_exceptions=True)


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not done():  # noqa: ASYNC110 - what is awaited comes over a connection
            await asyncio.sleep(0.005)


@pytest.fixture
def published() -> Published:
    world = Published()
    world.put("home")
    return world


async def test_a_worker_gets_the_full_state_at_once_with_its_age(published: Published) -> None:
    async with fed(published) as pair:
        await until(pair.has_adopted)
        assert pair.link.handle.age_s(NOW_MS) == 5.0
        assert pair.feed.fulls_count == 1
        assert await pair.link.wait_adopted(0.0)


async def test_flights_are_prepared_before_adoption_not_by_the_first_request(
    published: Published,
) -> None:
    stock, end_ms = a_stock(end_at_ms=NOW_MS + 60_000), NOW_MS + 60_000
    published.put_objects(*a_snapshot(*stock.objects).properties.values(), *stock.objects)
    async with fed(published) as pair:
        await until(lambda: pair.feed.current)
        index = indexes_of(pair.link.handle.current()).find(stock.slot.property_id)
        assert index is not None
        assert [block.until_ms for block in index.leaves] == [end_ms]


async def test_a_worker_waits_while_there_is_no_snapshot(published: Published) -> None:
    async with fed(published, SyncState()) as pair:
        assert not await pair.link.wait_adopted(0.05)
        pair.receiver.replace(parse_state(published.full()))
        pair.feed.changed()
        await until(pair.has_adopted)


async def test_a_worker_that_adopted_the_empty_state_of_a_new_database_is_serving() -> None:
    async with fed(Published()) as pair:
        await until(lambda: pair.feed.current)
        pair.link.report_listening()
        await until(lambda: pair.feed.serving)
        assert [status.version for status in pair.statuses] == [0]


async def test_a_worker_that_listens_without_a_snapshot_is_not_serving() -> None:
    ours, theirs = socket.socketpair()
    feed = WorkerFeed(SyncState(), on_status=lambda _: None)
    running = asyncio.create_task(feed.run(*await asyncio.open_connection(sock=ours)))
    _, writer = await asyncio.open_connection(sock=theirs)
    nothing = WorkerStatus("edge-1/0", "", 0, "", ok=True, reason=None, age_s=0.0, at_ms=1)
    writer.write(pack(FrameKind.LISTENING) + pack(FrameKind.STATUS, encode_status(nothing)))
    await until(lambda: feed.status == nothing)
    assert feed.listening
    assert not feed.serving
    writer.close()
    await running


async def test_a_worker_waits_for_the_end_of_a_state_that_it_is_reading(
    published: Published,
) -> None:
    receiver = SyncState(parse_state(published.full()), confirmed_ms=NOW_MS)
    async with relayed(WorkerFeed(receiver, on_status=lambda _: None)) as relay:
        for frame in relay.full_state[:-1]:
            relay.writer.write(frame)
        await until(lambda: relay.is_being_read)
        adopted = asyncio.create_task(relay.link.wait_adopted(0.0))
        assert not (await asyncio.wait([adopted], timeout=0.05))[0]
        relay.writer.write(relay.full_state[-1])
        assert await adopted


async def test_a_worker_stops_waiting_for_a_state_whose_rest_never_comes(
    published: Published,
) -> None:
    receiver = SyncState(parse_state(published.full()), confirmed_ms=NOW_MS)
    async with relayed(WorkerFeed(receiver, on_status=lambda _: None)) as relay:
        relay.writer.write(relay.full_state[0])
        await until(lambda: relay.is_being_read)
        relay.writer.close()
        assert not await relay.link.wait_adopted(0.0)


async def test_changes_travel_as_deltas_and_are_acknowledged(published: Published) -> None:
    async with fed(published) as pair:
        await until(pair.has_adopted)
        pair.publish("sports")
        pair.publish("news")
        await until(pair.has_adopted)
        assert pair.feed.fulls_count == 1
        last = pair.statuses[-1]
        assert (last.version, last.digest, last.ok) == (3, published.digest, True)
        assert pair.link.handle.age_s(NOW_MS) == 0.0


async def test_changes_are_adopted_while_a_request_still_uses_an_earlier_snapshot(
    published: Published,
) -> None:
    async with fed(published, max_wait_s=100 * PATIENCE_S) as pair:
        await until(pair.has_adopted)
        used_by_request = pair.link.handle.current()
        for key in ("sports", "news"):
            pair.publish(key)
            await until(pair.has_adopted)
        assert used_by_request.version == 1
        assert pair.link.handle.current().version == 3


class LeasesUnderWay:
    """Whatever changes is expected, until the test says that it came."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.came.set()

    @property
    def is_settled(self) -> bool:
        return self.came.is_set()

    def expect(self, snapshot: Snapshot, campaign_ids: Iterable[str]) -> None:
        del snapshot, campaign_ids
        self.came.clear()

    async def settle(self) -> None:
        await self.came.wait()


async def test_a_change_is_acknowledged_once_its_leases_came(published: Published) -> None:
    async with fed(published) as pair:
        await until(pair.has_adopted)
        leases = pair.link.leases = LeasesUnderWay()
        pair.publish("sports")
        await until(lambda: len(pair.link.handle.current().slots) == len(published.slot_ids))
        pair.receiver.confirmed_ms += 1
        pair.feed.changed()
        await until(lambda: pair.link.handle.age_s(NOW_MS + 1) == 0.0)
        assert {status.version for status in pair.statuses} == {1}
        leases.came.set()
        await until(pair.has_adopted)
        assert pair.statuses[-1].version == 2


async def test_a_confirmed_head_resets_the_age_of_the_snapshot(published: Published) -> None:
    async with fed(published) as pair:
        await until(pair.has_adopted)
        pair.receiver.take(published.beat(), NOW_MS)
        pair.feed.changed()
        await until(lambda: pair.link.handle.age_s(NOW_MS) == 0.0)


async def test_a_worker_behind_the_kept_deltas_gets_the_full_state(
    published: Published,
) -> None:
    async with fed(published) as pair:
        await until(pair.has_adopted)
        for number in range(KEPT_DELTAS + 5):
            pair.receiver.take(published.put("home", refresh_seconds=number + 1), NOW_MS)
        pair.feed.changed()
        await until(pair.has_adopted)
        assert pair.feed.fulls_count == 2


async def test_a_new_epoch_is_adopted_though_its_version_is_lower(published: Published) -> None:
    async with fed(published) as pair:
        pair.publish("sports")
        await until(pair.has_adopted)
        published.restore("epoch-2")
        pair.receiver.replace(parse_state(published.full()))
        pair.feed.changed()
        await until(lambda: pair.link.handle.current().epoch == "epoch-2")


async def test_a_worker_that_could_not_adopt_is_sent_the_full_state(published: Published) -> None:
    ours, theirs = socket.socketpair()
    receiver = SyncState(parse_state(published.full()))
    reported: list[WorkerStatus] = []
    feed = WorkerFeed(receiver, on_status=reported.append, full_again_s=0.0)
    running = asyncio.create_task(feed.run(*await asyncio.open_connection(sock=ours)))
    reader, writer = await asyncio.open_connection(sock=theirs)
    nack = WorkerStatus("edge-1/0", "", 0, "", ok=False, reason="no memory", age_s=0.0, at_ms=1)
    async with asyncio.timeout(PATIENCE_S):
        for _ in range(2):
            kinds = [(await read_frame(reader))[0] for _ in range(3)]
            assert kinds == [FrameKind.FULL, FrameKind.CHUNK, FrameKind.BEAT]
            writer.write(pack(FrameKind.STATUS, encode_status(nack)))
        await until(lambda: reported == [nack, nack])
        writer.close()
        await running


async def test_a_delta_that_does_not_follow_is_a_nack_and_changes_nothing(
    published: Published,
) -> None:
    async with fed(published) as pair:
        await until(pair.has_adopted)
        pair.link.handle.swap(replace(pair.link.handle.current(), version=99))
        pair.publish("sports")
        await until(lambda: any(not status.ok for status in pair.statuses))
        assert "follow" in str(pair.statuses[-1].reason)
        assert pair.link.handle.current().version == 99


async def test_metrics_are_collected_from_the_worker(published: Published) -> None:
    async def render_metrics() -> bytes:
        await asyncio.sleep(0)
        return b"up 1\n"

    async with fed(published) as pair:
        pair.link.render_metrics = render_metrics
        assert await pair.feed.collect_metrics(PATIENCE_S) == b"up 1\n"


async def test_metrics_are_collected_from_the_worker_that_follows_one_that_died_unanswering(
    published: Published,
) -> None:
    """Its supervisor tells by the answer that a worker lives, so one that is never asked would be killed for ever."""
    feed = WorkerFeed(SyncState(parse_state(published.full())), on_status=lambda _: None)
    ours, theirs = socket.socketpair()
    running = asyncio.create_task(feed.run(*await asyncio.open_connection(sock=ours)))
    hung, dying = await asyncio.open_connection(sock=theirs)
    collecting = asyncio.create_task(feed.collect_metrics(PATIENCE_S))
    while (await read_frame(hung))[0] is not FrameKind.COLLECT:
        pass
    dying.close()
    await running
    assert await collecting is None

    async with fed(published, feed=feed):
        assert await feed.collect_metrics(PATIENCE_S) == b""


async def test_metrics_are_collected_after_the_worker_could_not_render_them_once(
    published: Published,
) -> None:
    async def render_metrics() -> bytes:
        renders.append(b"up 1\n")
        if len(renders) == 1:
            raise ZeroDivisionError
        return renders[-1]

    renders: list[bytes] = []
    async with fed(published) as pair:
        pair.link.render_metrics = render_metrics
        assert await pair.feed.collect_metrics(0.05) is None
        assert await pair.feed.collect_metrics(PATIENCE_S) == b"up 1\n"


async def test_metrics_of_a_worker_that_ended_are_none(published: Published) -> None:
    feed = WorkerFeed(SyncState(parse_state(published.full())), on_status=lambda _: None)
    assert await feed.collect_metrics(PATIENCE_S) is None


async def test_a_worker_ends_when_its_supervisor_is_gone() -> None:
    ours, theirs = socket.socketpair()
    link = FeedClient("edge-1/0", Environment.TEST, FixedClock(NOW_MS))
    running = asyncio.create_task(link.run(*await asyncio.open_connection(sock=theirs)))
    ours.close()
    async with asyncio.timeout(PATIENCE_S):
        await running


async def test_a_worker_that_loads_a_large_state_reports_that_it_is_alive(
    published: Published,
) -> None:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    link = FeedClient("edge-1/0", Environment.TEST, FixedClock(NOW_MS), alive_s=0.001)
    working = asyncio.create_task(link.run(*await asyncio.open_connection(sock=theirs)))
    header, _ = encode_full(published.full())
    writer.write(pack(FrameKind.FULL, header))
    async with asyncio.timeout(PATIENCE_S):
        assert await read_frame(reader) == (FrameKind.ALIVE, b"")
        writer.close()
        await working
