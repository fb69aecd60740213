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
        reported: list[tuple[MemoryRateLimitSync, dict[str, Spend]]] = []

        def make() -> RateLimitSync:
            return MemoryRateLimitSync(reported)

    here, there = make(), make()
    await here.receive()
    await there.receive()
    yield here, there
    await here.close()
    await there.close()


async def test_what_one_tells_the_other_hears_once(
    two: tuple[RateLimitSync, RateLimitSync],
) -> None:
    here, there = two
    await here.report({"a": ONE, "b": TWO})

    assert await there.receive() == [{"a": ONE, "b": TWO}]
    assert list(await there.receive()) == []


async def test_nobody_hears_themselves(two: tuple[RateLimitSync, RateLimitSync]) -> None:
    here, there = two
    await here.report({"a": ONE})
    await there.report({"a": TWO})

    assert await here.receive() == [{"a": TWO}]


async def test_all_is_heard_in_the_order_it_was_told(
    two: tuple[RateLimitSync, RateLimitSync],
) -> None:
    here, there = two
    for number in range(1, 6):
        await here.report({"a": Spend(float(number), 9.0)})

    assert [reported["a"].seconds for reported in await there.receive()] == [
        1.0,
        2.0,
        3.0,
        4.0,
        5.0,
    ]


async def test_nothing_spent_is_nothing_told(two: tuple[RateLimitSync, RateLimitSync]) -> None:
    here, there = two
    await here.report({})

    assert list(await there.receive()) == []


async def test_what_was_told_before_is_not_heard(redis_server: RedisServer, namespace: str) -> None:
    here = RedisRateLimitSync(redis_server.url, Channels(namespace))
    late = RedisRateLimitSync(redis_server.url, Channels(namespace))
    await here.report({"a": ONE})

    assert list(await late.receive()) == []
    await here.report({"b": TWO})
    assert await late.receive() == [{"b": TWO}]
    await here.close()
    await late.close()


async def test_the_stream_stays_short(redis_server: RedisServer, namespace: str) -> None:
    here = RedisRateLimitSync(redis_server.url, Channels(namespace))
    for _ in range(2500):
        await here.report({"a": ONE})
    await here.close()

    async with redis.asyncio.Redis.from_url(redis_server.url) as plain:
        assert await plain.xlen(Channels(namespace).rates) <= 1200


async def test_redis_away_is_told(namespace: str) -> None:
    away = RedisRateLimitSync("redis://127.0.0.1:1/0", Channels(namespace))
    with pytest.raises(RatesUnavailable):
        await away.report({"a": ONE})
    with pytest.raises(RatesUnavailable):
        await away.receive()
    await away.close()
