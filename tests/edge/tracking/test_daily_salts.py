"""The salt of a day is the same for all edges, random, and deleted when the day is over."""

from common.privacy.anonymize import hash_client
from common.values.clock import FixedClock
from edge.state.daily_salts import DAY_MS, KEPT_BEYOND_MS, DailySalts
from tests.support.memory_salts import MemorySaltStore

NOON_MS = 20_000 * DAY_MS + DAY_MS // 2


async def test_workers_that_share_a_store_share_the_salt() -> None:
    clock = FixedClock(NOON_MS)
    store = MemorySaltStore(clock)
    one, other = DailySalts(store, clock), DailySalts(store, clock)
    await one.refresh()
    await other.refresh()

    assert one.of_day(NOON_MS) == other.of_day(NOON_MS)
    assert len(one.of_day(NOON_MS)) == 32


async def test_without_a_store_a_worker_uses_a_salt_of_its_own() -> None:
    clock = FixedClock(NOON_MS)
    store = MemorySaltStore(clock)
    store.is_unavailable = True
    alone = DailySalts(store, clock)
    await alone.refresh()
    first = alone.of_day(NOON_MS)

    assert (alone.of_day(NOON_MS), alone.skipped) == (first, 1)
    assert DailySalts(store, clock).of_day(NOON_MS) != first
    store.is_unavailable = False
    await alone.refresh()
    other = DailySalts(store, clock)
    await other.refresh()
    assert alone.of_day(NOON_MS) == other.of_day(NOON_MS)


async def test_tomorrows_salt_is_known_before_midnight() -> None:
    clock = FixedClock(20_001 * DAY_MS - 60_000)
    store = MemorySaltStore(clock)
    one, other = DailySalts(store, clock), DailySalts(store, clock)
    await one.refresh()
    await other.refresh()
    tomorrow_ms = 20_001 * DAY_MS + 5

    assert one.of_day(tomorrow_ms) == other.of_day(tomorrow_ms)
    assert one.of_day(tomorrow_ms) != one.of_day(clock.now_ms())


async def test_an_expired_salt_cannot_be_read_again() -> None:
    clock = FixedClock(NOON_MS)
    store = MemorySaltStore(clock)
    salts = DailySalts(store, clock)
    await salts.refresh()
    reader = ("shop", "203.0.113.9", "Firefox")
    kept = hash_client(salts.of_day(NOON_MS), *reader)
    clock.advance(ms=DAY_MS // 2 + KEPT_BEYOND_MS)
    await salts.refresh()

    everything = [salts.of_day(NOON_MS), await store.agree(20_000, bytes(32), NOON_MS + 2 * DAY_MS)]
    assert kept not in [hash_client(salt, *reader) for salt in everything]
