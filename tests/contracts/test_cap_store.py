"""What every cap store must do, and how the real one behaves when its server does not."""

import asyncio
from collections.abc import AsyncIterator, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import FixedClock, SystemClock
from common.values.environment import Environment
from edge.adapters.redis_batcher import BACKOFF_S, RedisBatcher
from edge.adapters.redis_caps import RedisCapStore
from edge.ports import CapStore, CapStoreUnavailable, Seen
from tests.support.builders import NOW_MS
from tests.support.memory_caps import MemoryCapStore
from tests.support.redis_servers import ClusterOfRedis, redis_url_of
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S, until

ANNA, BEN = b"annaanna", b"benbenbe"
HOUR, WEEK = "c1:impression:3600", "c1:click:604800"
HOUR_MS = 3_600_000


@pytest.fixture(params=["memory", "redis", "cluster"])
async def store(request: pytest.FixtureRequest, namespace: str) -> AsyncIterator[CapStore]:
    made: CapStore = MemoryCapStore()
    if request.param != "memory":
        made = _redis_store(redis_url_of(request), namespace)
    yield made
    await made.close()


def _redis_store(
    url: str, namespace: str, environment: Environment = Environment.LIVE
) -> RedisCapStore:
    return RedisCapStore(
        patient_redis(url, connect_s=PATIENCE_S),
        Channels(namespace).on(url),
        environment,
        SystemClock(),
        call_s=PATIENCE_S,
        wait_s=PATIENCE_S,
    )


def seen(*keys: str, person: bytes = ANNA, at_ms: int = NOW_MS) -> Seen:
    return Seen(person, keys or (HOUR,), at_ms)


async def count(store: CapStore, key: str, now_ms: int = NOW_MS, person: bytes = ANNA) -> int:
    return (await store.counts(person, now_ms)).get(key, 0)


async def test_a_person_without_events_has_no_counts(store: CapStore) -> None:
    assert dict(await store.counts(ANNA, NOW_MS)) == {}


async def test_every_event_counts_for_all_its_keys(store: CapStore) -> None:
    await store.add([seen(HOUR, WEEK), seen(HOUR)])
    assert dict(await store.counts(ANNA, NOW_MS)) == {HOUR: 2, WEEK: 1}


async def test_events_that_are_added_again_count_once(store: CapStore) -> None:
    events = [Seen(person, (HOUR,), NOW_MS, number) for number, person in enumerate((ANNA, BEN), 1)]
    await store.add(events)
    await store.add([*events, Seen(BEN, (HOUR,), NOW_MS, 3)])
    assert [await count(store, HOUR), await count(store, HOUR, person=BEN)] == [1, 2]


async def test_people_are_counted_separately(store: CapStore) -> None:
    await store.add([seen(), seen(person=BEN), seen(person=BEN)])
    assert [await count(store, HOUR), await count(store, HOUR, person=BEN)] == [1, 2]


async def test_counts_that_come_too_late_go_to_their_callback(
    own_redis: RedisServer, namespace: str
) -> None:
    store, late = _redis_store(own_redis.url, namespace), list[Mapping[str, int]]()
    await store.add([seen()])
    own_redis.freeze()
    with pytest.raises(CapStoreUnavailable):
        await store.counts(ANNA, NOW_MS, late=late.append, wait_s=0)
    assert late == []
    own_redis.thaw()

    assert await count(store, HOUR) == 1
    assert late == [{HOUR: 1}]
    await store.close()


async def test_a_window_drops_older_events(store: CapStore) -> None:
    await store.add([seen(at_ms=NOW_MS), seen(at_ms=NOW_MS + HOUR_MS // 2)])
    counts = [
        await count(store, HOUR, NOW_MS + parts * HOUR_MS // 10) for parts in (0, 9, 11, 15, 17)
    ]
    assert counts == [2, 2, 1, 1, 0]


STEPS = st.lists(st.tuples(st.integers(0, HOUR_MS // 3), st.booleans()), min_size=1, max_size=40)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(STEPS)
async def test_counts_lie_between_the_bounds_of_two_exact_logs(
    store: CapStore, steps: list[tuple[int, bool]]
) -> None:
    """Never less than what the window holds, never more than the window and a tenth of it."""
    person = abs(hash(tuple(steps))).to_bytes(8, "big")
    store_of_one = seen(person=person)
    log: list[int] = []
    now_ms = NOW_MS + await _counted_before(store, person)
    for pause_ms, shows in steps:
        now_ms += pause_ms
        if shows:
            await store.add([Seen(person, store_of_one.keys, now_ms)])
            log.append(now_ms)
        found = await count(store, HOUR, now_ms, person)
        within = sum(1 for at_ms in log if at_ms > now_ms - HOUR_MS)
        nearly = sum(1 for at_ms in log if at_ms > now_ms - HOUR_MS * 11 // 10)
        assert within <= found <= nearly


async def _counted_before(store: CapStore, person: bytes) -> int:
    """A shrinking example comes back to a person it has counted: far enough ahead nothing of it is left."""
    ahead_ms = 0
    while await count(store, HOUR, NOW_MS + ahead_ms, person):
        ahead_ms += 100 * HOUR_MS
    return ahead_ms


async def test_environments_are_counted_separately(
    redis_server: RedisServer, namespace: str
) -> None:
    live = _redis_store(redis_server.url, namespace)
    test = _redis_store(redis_server.url, namespace, Environment.TEST)
    await live.add([seen()])
    assert await count(test, HOUR) == 0
    await live.close()
    await test.close()


async def test_a_person_is_forgotten_with_their_longest_window(
    redis_server: RedisServer, namespace: str
) -> None:
    store, redis = (
        _redis_store(redis_server.url, namespace),
        patient_redis(redis_server.url, connect_s=2),
    )
    key = Channels(namespace).person_counts(Environment.LIVE, ANNA.hex())
    await store.add([seen(WEEK)])
    await store.add([seen(HOUR)])
    assert 604_800 * 1.09 < await redis.ttl(key) <= 604_800 * 1.1 + 1
    await redis.aclose()
    await store.close()


async def test_counts_of_campaigns_that_ended_long_ago_are_removed(
    redis_server: RedisServer, namespace: str
) -> None:
    store, redis = (
        _redis_store(redis_server.url, namespace),
        patient_redis(redis_server.url, connect_s=2),
    )
    old = [f"old{number}:impression:60" for number in range(100)]
    await store.add([seen(*old, WEEK)])
    await store.add([seen(at_ms=NOW_MS + HOUR_MS)])
    key = Channels(namespace).person_counts(Environment.LIVE, ANNA.hex())
    assert sorted(await redis.hkeys(key)) == sorted([WEEK.encode(), HOUR.encode()])
    await redis.aclose()
    await store.close()


async def test_a_frozen_redis_is_unavailable_and_gets_no_requests_for_a_while(
    own_redis: RedisServer, namespace: str
) -> None:
    clock = FixedClock(NOW_MS)
    redis = patient_redis(own_redis.url, connect_s=PATIENCE_S)
    store = RedisCapStore(
        redis, Channels(namespace), Environment.LIVE, clock, call_s=0.2, wait_s=0.05
    )
    own_redis.freeze()
    with pytest.raises(CapStoreUnavailable, match="no answer in time"):
        await store.counts(ANNA, NOW_MS)
    with pytest.raises(CapStoreUnavailable):
        await store.add([seen()])
    own_redis.thaw()
    await redis.ping()
    with pytest.raises(CapStoreUnavailable, match="resting"):
        await store.counts(ANNA, NOW_MS)
    clock.advance(ms=round(BACKOFF_S * 1000))
    async with asyncio.timeout(PATIENCE_S):
        await _until_counts(store, clock)
    await store.close()


class _TickingClock(FixedClock):
    """A second passes with each look at it."""

    def monotonic_s(self) -> float:
        self.advance(ms=1_000)
        return super().monotonic_s()


async def test_none_of_several_events_is_lost_where_a_backoff_ends_among_them(
    own_redis: RedisServer, namespace: str
) -> None:
    clock = _TickingClock(NOW_MS)
    redis = patient_redis(own_redis.url, connect_s=PATIENCE_S)
    store = RedisCapStore(
        redis, Channels(namespace), Environment.LIVE, clock, call_s=PATIENCE_S, wait_s=PATIENCE_S
    )
    assert isinstance(store._pipeline, RedisBatcher)
    store._pipeline._backoff_until_s = clock.monotonic_s() + 2.5
    events = [Seen(ANNA, (HOUR,), NOW_MS, number) for number in range(1, 6)]
    with pytest.raises(CapStoreUnavailable, match="resting"):
        await store.add(events)
    clock.advance(ms=3_000)
    await store.add(events)
    assert await count(store, HOUR) == 5
    await store.close()


async def test_a_redis_that_was_killed_is_used_again(
    own_redis: RedisServer, namespace: str
) -> None:
    store = _redis_store(own_redis.url, namespace)
    await store.add([seen()])
    own_redis.kill()
    with pytest.raises(CapStoreUnavailable):
        await store.counts(ANNA, NOW_MS)
    own_redis.start()
    async with asyncio.timeout(PATIENCE_S):
        await _until_counts(store, None)
    await store.close()


async def _until_counts(store: RedisCapStore, clock: FixedClock | None) -> None:
    while True:
        try:
            await store.counts(ANNA, NOW_MS)
        except CapStoreUnavailable:
            if clock is not None:
                clock.advance(ms=round(BACKOFF_S * 1000))
            await asyncio.sleep(0.05)
        else:
            return


async def test_a_frozen_node_of_a_cluster_leaves_the_people_of_the_others(
    redis_cluster: ClusterOfRedis, namespace: str
) -> None:
    """Its own people's events are named as uncounted, and count once when they are added again."""
    names = Channels(namespace)
    people = {
        redis_cluster.first_owner(names.person_counts(Environment.LIVE, person.hex())): person
        for person in (bytes([number] * 8) for number in range(60))
    }
    frozen, (frozen_person, *others) = (
        redis_cluster.primaries[0],
        [people[one] for one in redis_cluster.primaries],
    )
    redis = patient_redis(redis_cluster.url, connect_s=PATIENCE_S)
    store = RedisCapStore(
        redis,
        names.on(redis_cluster.url),
        Environment.LIVE,
        SystemClock(),
        call_s=1.0,
        wait_s=PATIENCE_S,
    )
    events = [
        Seen(person, (HOUR,), NOW_MS, number)
        for number, person in enumerate([frozen_person, *others] * 2, 1)
    ]
    await store.add(events[:3])
    frozen.freeze()
    try:
        assert await store.add(events[3:]) == [events[3]]
        assert [await count(store, HOUR, person=one) for one in others] == [2, 2]
        with pytest.raises(CapStoreUnavailable):
            await store.counts(frozen_person, NOW_MS, wait_s=0.05)
    finally:
        frozen.thaw()
        redis_cluster.wait_until_whole()

    async def is_added() -> bool:
        return not await store.add(events)

    await until(is_added)
    counts = [await count(store, HOUR, person=one) for one in (frozen_person, *others)]
    assert counts == [2, 2, 2]
    await store.close()


async def test_the_marks_of_workers_on_a_cluster_are_no_counts_and_stay_few(
    redis_cluster: ClusterOfRedis, namespace: str
) -> None:
    old = tuple(f"old{number}:impression:60" for number in range(70))
    for _ in range(3):
        store = _redis_store(redis_cluster.url, namespace)
        await store.add([Seen(ANNA, old, NOW_MS, 1)])
        assert set(await store.counts(ANNA, NOW_MS)) == set(old)
        await store.close()
    store = _redis_store(redis_cluster.url, namespace)
    await store.add([Seen(ANNA, (HOUR,), NOW_MS + HOUR_MS, 1)])
    assert await store.counts(ANNA, NOW_MS) == {HOUR: 1}
    redis = patient_redis(redis_cluster.url, connect_s=PATIENCE_S)
    key = Channels(namespace).person_counts(Environment.LIVE, ANNA.hex())
    assert sorted(field[:1] for field in await redis.hgetall(key)) == [b"@", b"c"]
    await redis.aclose()
    await store.close()
