"""The receiver when its first source fails: what it asks the second for, and which of the two it follows."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from common.snapshot.messages import Heartbeat
from common.values.clock import FixedClock, SystemClock
from edge.snapshots.fallback import Fallback
from edge.snapshots.sync_loop import SnapshotSync
from edge.snapshots.sync_state import SyncState
from tests.edge.snapshots.published import Published
from tests.support.memory_snapshots import MemorySnapshotSource
from tests.support.waiting import PATIENCE_S


@asynccontextmanager
async def receiving(
    source: MemorySnapshotSource, aside: MemorySnapshotSource, *, silence_s: float = 0.3
) -> AsyncIterator[SnapshotSync]:
    clock, rng = SystemClock(), random.Random(1)
    receive = SnapshotSync(
        source,
        SyncState(),
        clock=clock,
        rng=rng,
        silence_s=silence_s,
        changed=lambda: None,
        fallback=Fallback(aside, clock, rng),
    )
    task = asyncio.create_task(receive.run())
    yield receive
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not done():  # noqa: ASYNC110 - several tasks bring it about
            await asyncio.sleep(0.01)


def holds(receive: SnapshotSync, published: Published) -> Callable[[], bool]:
    def check() -> bool:
        state = receive.receiver.state
        wanted = published.epoch, published.version, published.digest
        return state is not None and (state.epoch, state.version, state.digest) == wanted

    return check


def now_beat(published: Published) -> Heartbeat:
    published.at_ms = SystemClock().now_ms()
    return published.beat()


def put_all(source: MemorySnapshotSource, published: Published) -> None:
    source.put_full(published.full())
    for delta in published.deltas:
        source.put_delta(delta)
    source.put_head(now_beat(published))


def a_world() -> tuple[Published, MemorySnapshotSource, MemorySnapshotSource]:
    published = Published()
    published.put("home")
    source, aside = MemorySnapshotSource(), MemorySnapshotSource()
    put_all(source, published)
    put_all(aside, published)
    return published, source, aside


async def test_the_second_source_replaces_an_unavailable_one() -> None:
    published, source, aside = a_world()
    source.is_unavailable = True
    async with receiving(source, aside) as receive:
        await until(holds(receive, published))
        published.put("revoked")
        put_all(aside, published)
        await until(holds(receive, published))
        assert receive.by_fallback


async def test_the_second_source_replaces_one_that_is_no_longer_written() -> None:
    published, source, aside = a_world()
    async with receiving(source, aside) as receive:
        await until(holds(receive, published))
        published.put("revoked")
        put_all(aside, published)
        await until(holds(receive, published))


async def test_a_source_that_recovers_is_used_again() -> None:
    published, source, aside = a_world()
    source.is_unavailable = True
    async with receiving(source, aside) as receive:
        await until(lambda: receive.by_fallback)
        source.is_unavailable = False
        put_all(source, published)

        def beat() -> bool:
            source.notify(now_beat(published))
            source.put_head(published.beat())
            return not receive.by_fallback and receive.counts.subscribed

        await until(beat)
        published.put("later")
        source.notify(published.deltas[-1])
        await until(holds(receive, published))


async def test_a_working_source_sends_no_requests_to_the_second() -> None:
    published, source, aside = a_world()
    async with receiving(source, aside, silence_s=5.0) as receive:
        await until(lambda: source.listeners_count > 0 and holds(receive, published)())
        for number in range(20):
            source.notify(published.put(f"slot-{number}"))
        await until(holds(receive, published))
        assert receive.counts.fallback_pulls == 0


async def test_what_the_source_cannot_provide_is_requested_from_the_second() -> None:
    published, source, aside = a_world()
    async with receiving(source, aside, silence_s=30.0) as receive:
        await until(holds(receive, published))
        published.put("lost", "from", "the", "ring")
        put_all(aside, published)
        source.put_head(now_beat(published))
        await until(lambda: source.listeners_count > 0)
        source.notify(published.beat())
        await until(holds(receive, published))


async def test_an_old_source_does_not_lead_back_out_of_a_new_epoch() -> None:
    published, source, aside = a_world()
    async with receiving(source, aside) as receive:
        await until(holds(receive, published))
        published.restore("epoch-2")
        put_all(aside, published)
        await until(holds(receive, published))
        pulls = receive.counts.pulls
        await until(lambda: receive.counts.pulls > pulls + 4)
        assert holds(receive, published)()


async def test_both_sources_unavailable_is_reported_and_survived() -> None:
    published, source, aside = a_world()
    source.is_unavailable = aside.is_unavailable = True
    async with receiving(source, aside) as receive:
        await until(lambda: receive.counts.fallback_pulls > 0)
        await until(receive.checked.is_set)
        aside.is_unavailable = False
        put_all(aside, published)
        await until(holds(receive, published))


def pauses(clock: FixedClock, fallback: Fallback, *, well: bool, count: int) -> list[int]:
    """Milliseconds between askings, wanted all the time."""
    found: list[int] = []
    last_ms = clock.now_ms()
    while len(found) < count:
        clock.advance(ms=10)
        if fallback.due():
            found.append(clock.now_ms() - last_ms)
            last_ms = clock.now_ms()
            fallback.done(well=well)
    return found


def test_requests_to_a_failing_second_source_back_off() -> None:
    clock = FixedClock(1_000)
    fallback = Fallback(MemorySnapshotSource(), clock, random.Random(4))
    found = pauses(clock, fallback, well=False, count=40)
    assert found[0] <= 510
    assert all(pause <= 5_010 for pause in found)
    assert sum(found[20:]) > 20 * 2_500


def test_a_working_second_source_gets_about_one_request_a_second() -> None:
    clock = FixedClock(1_000)
    fallback = Fallback(MemorySnapshotSource(), clock, random.Random(4))
    found = pauses(clock, fallback, well=True, count=40)
    assert all(pause <= 1_010 for pause in found)
    assert all(pause >= 500 for pause in found[1:])


def test_edges_send_their_requests_at_different_times() -> None:
    first = set()
    for seed in range(20):
        clock = FixedClock(1_000)
        fallback = Fallback(MemorySnapshotSource(), clock, random.Random(seed))
        first.update(pauses(clock, fallback, well=True, count=1))
    assert len(first) > 10
