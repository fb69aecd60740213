"""What every token store must do, and how the real one behaves when its server does not."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

import pytest

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import FixedClock, SystemClock
from common.values.environment import Environment
from edge.adapters.redis_batcher import BACKOFF_S
from edge.adapters.redis_tokens import CALL_S, RedisTokenStore
from edge.ports import TokenStoreUnavailable, token_key_of
from tests.support.memory_tokens import MemoryTokenStore
from tests.support.moved_clock import MovedClock
from tests.support.redis_servers import redis_url_of, redis_urls_of_nodes
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S

Store = MemoryTokenStore | RedisTokenStore
Pass = Callable[[], Awaitable[None]]
_MEMORY_CLOCK = MovedClock()


@pytest.fixture(params=["memory", "redis", "cluster"])
async def store(request: pytest.FixtureRequest, namespace: str) -> AsyncIterator[Store]:
    made: Store = MemoryTokenStore(_MEMORY_CLOCK)
    if request.param != "memory":
        made = _redis_store(redis_url_of(request), namespace, call_s=PATIENCE_S)
    yield made
    await made.close()


@pytest.fixture
def pass_a_second(request: pytest.FixtureRequest, store: Store, namespace: str) -> Pass:
    """Takes a second off the life of every claim, where a test would have to wait for it."""

    async def pass_in_redis() -> None:
        kind = request.node.callspec.params["store"]
        for url in redis_urls_of_nodes(request, kind):
            async with patient_redis(url, connect_s=PATIENCE_S) as redis:
                async for key in redis.scan_iter(f"*{namespace}*"):
                    await redis.pexpire(key, await redis.pttl(key) - 1000)

    async def pass_in_memory() -> None:
        _MEMORY_CLOCK.advance(timedelta(seconds=1))

    return pass_in_memory if isinstance(store, MemoryTokenStore) else pass_in_redis


def _redis_store(
    url: str,
    namespace: str,
    *,
    environment: Environment = Environment.LIVE,
    call_s: float = CALL_S,
) -> RedisTokenStore:
    channels = Channels(namespace)
    return RedisTokenStore.open(url, channels, environment, SystemClock(), call_s=call_s)


async def test_a_fresh_token_was_not_seen(store: Store) -> None:
    assert await store.seen([token_key_of(uuid.uuid4(), "impression")]) == [False]


async def test_a_claimed_token_is_seen(store: Store) -> None:
    token_id = uuid.uuid4()
    await store.claim([(token_key_of(token_id, "impression"), 60)])
    assert await store.seen([token_key_of(token_id, "impression")]) == [True]


async def test_a_claim_of_one_kind_leaves_the_others(store: Store) -> None:
    token_id = uuid.uuid4()
    await store.claim([(token_key_of(token_id, "impression"), 60)])
    assert await store.seen([token_key_of(token_id, "click")]) == [False]


async def test_a_token_claimed_twice_is_fresh_once(store: Store) -> None:
    token_id, other = uuid.uuid4(), uuid.uuid4()
    first = await store.claim([(token_key_of(token_id, "click"), 60)])
    again = await store.claim(
        [(token_key_of(token_id, "click"), 60), (token_key_of(other, "click"), 60)]
    )
    assert (first, again) == ([True], [False, True])
    assert await store.seen([token_key_of(token_id, "click")]) == [True]


async def test_a_claim_expires_after_its_life(store: Store, pass_a_second: Pass) -> None:
    token_id = uuid.uuid4()
    await store.claim([(token_key_of(token_id, "click"), 1)])
    await pass_a_second()
    assert await store.seen([token_key_of(token_id, "click")]) == [False]


async def test_one_of_several_concurrent_claims_is_fresh(store: Store) -> None:
    token_key = token_key_of(uuid.uuid4(), "click")
    reported = await asyncio.gather(*(store.claim([(token_key, 60)]) for _ in range(50)))
    assert sorted(reported) == [[False]] * 49 + [[True]]


async def test_concurrent_calls_each_get_their_own_answer(store: Store) -> None:
    claimed = [uuid.uuid4() for _ in range(300)]
    fresh = [uuid.uuid4() for _ in range(300)]
    await asyncio.gather(
        *(store.claim([(token_key_of(token_id, "click"), 60)]) for token_id in claimed)
    )
    mixed = [token_id for pair in zip(claimed, fresh, strict=True) for token_id in pair]
    answers = await asyncio.gather(
        *(store.seen([token_key_of(token_id, "click")]) for token_id in mixed)
    )
    assert answers == [[True], [False]] * 300


async def test_many_are_looked_for_and_claimed_in_one_call(store: Store) -> None:
    token_keys = [token_key_of(uuid.uuid4(), "click") for _ in range(300)]
    await store.claim([(token_key, 60) for token_key in token_keys[::2]])
    assert await store.seen(token_keys) == [True, False] * 150


async def test_an_empty_call_is_no_error(store: Store) -> None:
    await store.claim([])
    assert await store.seen([]) == []


async def test_each_claim_of_a_call_has_its_own_life(store: Store, pass_a_second: Pass) -> None:
    short, long = token_key_of(uuid.uuid4(), "click"), token_key_of(uuid.uuid4(), "click")
    await store.claim([(short, 1), (long, 60)])
    await pass_a_second()
    assert await store.seen([short, long]) == [False, True]


async def test_a_claim_in_one_environment_does_not_count_in_the_other(
    redis_server: RedisServer, namespace: str
) -> None:
    live = _redis_store(redis_server.url, namespace, call_s=PATIENCE_S)
    test = _redis_store(
        redis_server.url, namespace, environment=Environment.TEST, call_s=PATIENCE_S
    )
    token_id = uuid.uuid4()
    await live.claim([(token_key_of(token_id, "click"), 60)])
    assert await test.seen([token_key_of(token_id, "click")]) == [False]
    await live.close()
    await test.close()


async def test_a_claim_expires_in_redis_too(redis_server: RedisServer, namespace: str) -> None:
    store = _redis_store(redis_server.url, namespace, call_s=PATIENCE_S)
    redis = patient_redis(redis_server.url, connect_s=2)
    token_id = uuid.uuid4()
    await store.claim([(token_key_of(token_id, "click"), 77)])
    key = Channels(namespace).token_claim(Environment.LIVE, token_key_of(token_id, "click"))
    assert 70 <= await redis.ttl(key) <= 77
    await redis.aclose()
    await store.close()


async def test_a_frozen_redis_is_unavailable_in_bounded_time(
    own_redis: RedisServer, namespace: str
) -> None:
    store = _redis_store(own_redis.url, namespace)
    await _claim_when_available(store, uuid.uuid4())
    own_redis.freeze()
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(TokenStoreUnavailable):
            await store.seen([token_key_of(uuid.uuid4(), "click")])
    own_redis.thaw()
    await store.close()


async def test_after_a_failure_calls_fail_for_a_while_without_a_request(
    own_redis: RedisServer, namespace: str
) -> None:
    clock = FixedClock(1_800_000_000_000)
    redis = patient_redis(own_redis.url, connect_s=PATIENCE_S)
    store = RedisTokenStore(redis, Channels(namespace), Environment.LIVE, clock, call_s=1.0)
    own_redis.freeze()
    with pytest.raises(TokenStoreUnavailable):
        await store.seen([token_key_of(uuid.uuid4(), "click")])
    own_redis.thaw()
    await redis.ping()
    with pytest.raises(TokenStoreUnavailable, match="resting"):
        await store.seen([token_key_of(uuid.uuid4(), "click")])
    clock.advance(ms=round(BACKOFF_S * 1000))
    assert await store.seen([token_key_of(uuid.uuid4(), "click")]) == [False]
    await store.close()


async def test_a_redis_that_was_away_is_used_again(own_redis: RedisServer, namespace: str) -> None:
    store = _redis_store(own_redis.url, namespace, call_s=PATIENCE_S)
    token_id = uuid.uuid4()
    own_redis.kill()
    with pytest.raises(TokenStoreUnavailable):
        await store.claim([(token_key_of(token_id, "click"), 60)])
    own_redis.start()
    await _claim_when_available(store, token_id)
    assert await store.seen([token_key_of(token_id, "click")]) == [True]
    await store.close()


async def _claim_when_available(store: RedisTokenStore, token_id: uuid.UUID) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                await store.claim([(token_key_of(token_id, "click"), 60)])
            except TokenStoreUnavailable:
                await asyncio.sleep(0.05)
            else:
                return
