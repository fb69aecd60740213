"""What every exchange of rates must do."""

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
import redis.asyncio

from common.service.channels import Channels
from control.adapters.memory_rates import MemoryRateLimitSync
from control.adapters.redis_rates import RedisRateLimitSync
from control.ports.rates import RateLimitSync, RatesUnavailable, Spend
from tests.support.servers import RedisServer

ONE, TWO = Spend(0.1, 3.0), Spend(2.5, 30.0)


@pytest_asyncio.fixture(params=["memory", "redis"])
async def two(
    request: pytest.FixtureRequest, redis_server: RedisServer, namespace: str
) -> AsyncIterator[tuple[RateLimitSync, RateLimitSync]]:
    """Two processes that have begun to hear each other."""
    make: Callable[[], RateLimitSync]
    if request.param == "redis":

        def make() -> RateLimitSync:
            return RedisRateLimitSync(redis_server.url, Channels(namespace))

    else:
        told: list[tuple[MemoryRateLimitSync, dict[str, Spend]]] = []

        def make() -> RateLimitSync:
            return MemoryRateLimitSync(told)

    here, there = make(), make()
    await here.hear()
    await there.hear()
    yield here, there
    await here.close()
    await there.close()


async def test_what_one_tells_the_other_hears_once(
    two: tuple[RateLimitSync, RateLimitSync],
) -> None:
    here, there = two
    await here.tell({"a": ONE, "b": TWO})

    assert await there.hear() == [{"a": ONE, "b": TWO}]
    assert list(await there.hear()) == []


async def test_nobody_hears_themselves(two: tuple[RateLimitSync, RateLimitSync]) -> None:
    here, there = two
    await here.tell({"a": ONE})
    await there.tell({"a": TWO})

    assert await here.hear() == [{"a": TWO}]


async def test_all_is_heard_in_the_order_it_was_told(
    two: tuple[RateLimitSync, RateLimitSync],
) -> None:
    here, there = two
    for number in range(1, 6):
        await here.tell({"a": Spend(float(number), 9.0)})

    assert [told["a"].seconds for told in await there.hear()] == [1.0, 2.0, 3.0, 4.0, 5.0]


async def test_nothing_spent_is_nothing_told(two: tuple[RateLimitSync, RateLimitSync]) -> None:
    here, there = two
    await here.tell({})

    assert list(await there.hear()) == []


async def test_what_was_told_before_is_not_heard(redis_server: RedisServer, namespace: str) -> None:
    here = RedisRateLimitSync(redis_server.url, Channels(namespace))
    late = RedisRateLimitSync(redis_server.url, Channels(namespace))
    await here.tell({"a": ONE})

    assert list(await late.hear()) == []
    await here.tell({"b": TWO})
    assert await late.hear() == [{"b": TWO}]
    await here.close()
    await late.close()


async def test_the_stream_stays_short(redis_server: RedisServer, namespace: str) -> None:
    here = RedisRateLimitSync(redis_server.url, Channels(namespace))
    for _ in range(2500):
        await here.tell({"a": ONE})
    await here.close()

    async with redis.asyncio.Redis.from_url(redis_server.url) as plain:
        assert await plain.xlen(Channels(namespace).rates) <= 1200


async def test_redis_away_is_told(namespace: str) -> None:
    away = RedisRateLimitSync("redis://127.0.0.1:1/0", Channels(namespace))
    with pytest.raises(RatesUnavailable):
        await away.tell({"a": ONE})
    with pytest.raises(RatesUnavailable):
        await away.hear()
    await away.close()
