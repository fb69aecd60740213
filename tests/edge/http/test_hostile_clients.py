"""Slow, idle, deaf and greedy callers: they are cut or refused, and honest ones are answered meanwhile."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import pytest

from common.http.protocol import HEAD_DEADLINE_S
from common.snapshot.model import RateLimits
from tests.edge.http.hostile import (
    BEHIND_A_PROXY,
    SLOW_BODY,
    SLOW_HEAD,
    Place,
    a_place,
    drip,
    idle_connections,
)
from tests.support.raw_http import connection, read_answer

DEAF, MUCH = 2, 5_000
"""Callers that never read, and calls each makes: about 12 MB of answers, more than sockets hold."""
T = TypeVar("T")


async def beside(place: Place, hostile: Awaitable[T], *, calls: int = 200) -> tuple[T, list[int]]:
    """What *hostile* came to, and the statuses of honest calls that were made meanwhile."""
    hostility = asyncio.ensure_future(hostile)
    statuses = await place.honest(calls, pause_s=0.01)
    return await hostility, statuses


async def test_slow_heads_and_bodies_are_disconnected_and_delay_no_other_client() -> None:
    async with a_place() as place:
        starts = [SLOW_HEAD] * 100 + [SLOW_BODY.format(place.key).encode()] * 100
        slow = asyncio.gather(*(drip(place.port, start, every_s=0.5) for start in starts))
        cut, honest = await beside(place, slow)
    assert cut == [408] * 200
    assert honest == [200] * len(honest)
    assert HEAD_DEADLINE_S == 5.0


@pytest.mark.parametrize("proxies_count", [0, BEHIND_A_PROXY])
async def test_a_thousand_idle_connections_cost_no_other_client_an_answer(
    proxies_count: int,
) -> None:
    async with (
        a_place(proxies_count=proxies_count) as place,
        idle_connections(place.port, 1_000),
    ):
        assert await place.honest(500) == [200] * 500


async def test_clients_that_never_read_delay_no_other_client() -> None:
    async with a_place() as place:
        flood = place.serve() * MUCH

        async def never_read() -> None:
            async with connection(place.port) as (_, writer):
                writer.transport.pause_reading()  # type: ignore[attr-defined]  # of the reading side, too
                writer.write(flood)
                await asyncio.sleep(1.0)
                writer.transport.abort()

        _, honest = await beside(place, asyncio.gather(*(never_read() for _ in range(DEAF))))
        decided = sum(place.edge.counted().values()) - len(honest)
        after = await place.honest(10)
    assert honest == [200] * len(honest)
    assert after == [200] * 10
    assert decided < DEAF * MUCH, "a caller that does not read is not decided for without end"


async def test_a_caller_at_three_times_its_limit_takes_nothing_from_others() -> None:
    """The clock stands, so a limit is a number of calls: its burst."""
    limits = RateLimits(10_000, 100, 10_000, 10_000)
    async with a_place(limits) as place:

        async def greedy() -> list[int]:
            statuses = []
            async with connection(place.port) as (reader, writer):
                for _ in range(90):
                    writer.write(place.serve("203.0.113.9") * 10)
                    statuses += [(await read_answer(reader)).status for _ in range(10)]
            return statuses

        refused, honest = await beside(place, greedy(), calls=300)
    assert refused.count(200) == 300
    assert refused.count(429) == 600
    assert honest == [200] * 300
