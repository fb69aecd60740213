"""What every store of the day's salt must do."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import SystemClock
from common.values.environment import Environment
from edge.adapters.redis_salts import RedisSaltStore
from edge.ports import SaltStore, SaltStoreUnavailable
from tests.support.memory_salts import MemorySaltStore
from tests.support.redis_servers import redis_url_of
from tests.support.servers import RedisServer

FIRST, SECOND = bytes(32), b"\x01" * 32
SOON_MS = 3_600_000


@pytest.fixture(params=["memory", "redis", "cluster"])
async def store(request: pytest.FixtureRequest, namespace: str) -> AsyncIterator[SaltStore]:
    made: SaltStore = MemorySaltStore(SystemClock())
    if request.param != "memory":
        redis = patient_redis(redis_url_of(request), connect_s=30)
        made = RedisSaltStore(redis, Channels(namespace), Environment.LIVE, call_s=30)
    yield made
    await made.close()


async def test_the_first_proposed_salt_is_kept(store: SaltStore) -> None:
    until_ms = SystemClock().now_ms() + SOON_MS
    assert await store.agree(1, FIRST, until_ms) == FIRST
    assert await store.agree(1, SECOND, until_ms) == FIRST
    assert await store.agree(2, SECOND, until_ms) == SECOND


async def test_concurrent_callers_get_the_same_salt(store: SaltStore) -> None:
    until_ms = SystemClock().now_ms() + SOON_MS
    requested = (store.agree(3, bytes([number]) * 32, until_ms) for number in range(20))
    assert len(set(await asyncio.gather(*requested))) == 1


async def test_an_expired_salt_is_not_kept(store: SaltStore) -> None:
    over_ms = SystemClock().now_ms() - 1
    assert await store.agree(4, FIRST, over_ms) == FIRST
    assert await store.agree(4, SECOND, over_ms) == SECOND


async def test_redis_expires_a_salt_by_itself(redis_server: RedisServer, namespace: str) -> None:
    channels = Channels(namespace)
    redis = patient_redis(redis_server.url, connect_s=30)
    store = RedisSaltStore(redis, channels, Environment.LIVE, call_s=30)
    until_ms = SystemClock().now_ms() + SOON_MS
    await store.agree(5, FIRST, until_ms)

    left_ms = await redis.pttl(channels.day_salt(Environment.LIVE, 5))
    assert 0 < left_ms <= SOON_MS
    await store.close()


async def test_an_unavailable_store_raises() -> None:
    redis = patient_redis("redis://127.0.0.1:1/0", connect_s=1)
    store = RedisSaltStore(redis, Channels("nobody"), Environment.LIVE)
    with pytest.raises(SaltStoreUnavailable):
        await store.agree(1, FIRST, SystemClock().now_ms() + SOON_MS)
    await store.close()
