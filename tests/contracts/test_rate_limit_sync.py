"""What every exchange of rates must do."""

from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
import redis.asyncio

from common.service.channels import Channels
from control.adapters.redis_rates import RedisRateLimitSync
from control.ports.rates import RateLimitSync, RatesUnavailable, Spend
from tests.support.memory_rates import MemoryRateLimitSync
from tests.support.redis_servers import redis_url_of
from tests.support.servers import RedisServer

ONE, TWO = Spend(0.1, 3.0), Spend(2.5, 30.0)


@pytest_asyncio.fixture(params=["memory", "redis", "cluster"])
async def two(
    request: pytest.FixtureRequest, namespace: str
) -> AsyncIterator[tuple[RateLimitSync, RateLimitSync]]:
    """Two processes that have begun to hear each other."""
    make: Callable[[], RateLimitSync]
    if request.param != "memory":

        def make() -> RateLimitSync:
            return RedisRateLimitSync(redis_url_of(request), Channels(namespace))

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


async def test_a_report_is_received_once(
    two: tuple[RateLimitSync, RateLimitSync],
) -> None:
    here, there = two
    await here.report({"a": ONE, "b": TWO})

    assert await there.receive() == [{"a": ONE, "b": TWO}]
    assert list(await there.receive()) == []


async def test_a_process_does_not_receive_its_own_reports(
    two: tuple[RateLimitSync, RateLimitSync],
) -> None:
    here, there = two
    await here.report({"a": ONE})
    await there.report({"a": TWO})

    assert await here.receive() == [{"a": TWO}]


async def test_reports_are_received_in_the_order_they_were_sent(
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


async def test_an_empty_report_sends_nothing(two: tuple[RateLimitSync, RateLimitSync]) -> None:
    here, there = two
    await here.report({})

    assert list(await there.receive()) == []


async def test_reports_from_before_the_start_are_not_received(
    redis_server: RedisServer, namespace: str
) -> None:
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


async def test_an_unavailable_redis_raises(namespace: str) -> None:
    away = RedisRateLimitSync("redis://127.0.0.1:1/0", Channels(namespace))
    with pytest.raises(RatesUnavailable):
        await away.report({"a": ONE})
    with pytest.raises(RatesUnavailable):
        await away.receive()
    await away.close()
