"""One edge worker as a process, and more of everything than it can bear: who is honest is answered all the same."""

import asyncio
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from common.http.connections import MAX_CONNECTIONS, MAX_PER_ADDRESS
from common.snapshot.model import RateLimits
from loadtests.bench.wire import write_requests
from tests.edge.http.hostile import BEHIND_A_PROXY, NO_LIMITS, SLOW_BODY, SLOW_HEAD, Caller, drip
from tests.edge.runtime.machine import get
from tests.support.builders import a_key, a_property, a_stock, an_account
from tests.support.lone_edge import LoneEdge, lone_edge
from tests.support.paced import Timed, paced, report
from tests.support.printing import say
from tests.support.raw_http import connection, neighbour, read_answer
from tests.support.servers import RedisServer
from tests.support.waiting import until

NAMESPACE = "crowds"
HONEST_PER_S = 100
VISITORS = 250
"""Honest ones come back often enough to be distinguished from attackers, and never near their limit."""
LIMITS = RateLimits(10**6, 50, 10**6, 50)
MANY = 10_000
GREEDY = 30
"""Addresses that ask for as much as they can."""
REFUSED = {"429", "503"}


@dataclass(frozen=True, slots=True)
class World:
    edge: LoneEdge
    caller: Caller
    folder: Path

    def honest(self, seconds: float) -> list[bytes]:
        return [
            self.caller.serve(f"198.51.100.{number % VISITORS}")
            for number in range(round(seconds * HONEST_PER_S))
        ]

    async def metric(self, name: str) -> float:
        """Waits for a scrape that has the worker: one that does not respond within a second is missing."""
        while True:
            _, text = await asyncio.to_thread(get, self.edge.machine.internal, "/metrics")
            lines = [one for one in text.splitlines() if one.startswith(f"placard_edge_{name}{{")]
            if lines:
                return sum(float(line.rpartition(" ")[2]) for line in lines)

    async def flood(self, seconds: float, connections: int, rate: float | None = None) -> Any:
        """What a generator in a process of its own saw; without a *rate* it asks as fast as it is answered."""
        file = self.folder / "greedy"
        calls = [self.caller.serve(f"203.0.113.{number}") for number in range(GREEDY)]
        write_requests(file, calls)
        arguments = [str(self.caller.port), str(seconds), str(connections), str(file)]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "loadtests.bench.generator", *arguments),
            *(() if rate is None else (str(rate),)),
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
        return orjson.loads(out)


@asynccontextmanager
async def a_world(
    redis_server: RedisServer, folder: Path, limits: RateLimits, proxies_count: int
) -> AsyncIterator[World]:
    text, key = a_key()
    objects = (an_account(), a_property(rate_limits=limits), key, *a_stock().objects)
    settings: dict[str, Any] = {"edge_workers": 1, "proxies_count": proxies_count}
    namespace = f"{NAMESPACE}-{proxies_count}"
    async with lone_edge(redis_server.url, namespace, folder, *objects, **settings) as edge:
        yield World(edge, Caller(edge.port, text.text), folder)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(redis_server: RedisServer, own_folder: Path) -> AsyncIterator[World]:
    async with a_world(redis_server, own_folder, LIMITS, BEHIND_A_PROXY) as made:
        yield made


@contextmanager
def silent(port: int, count: int, source: str | None = None) -> Iterator[list[socket.socket]]:
    """Connections on which nothing is ever sent, from many addresses or from *source*."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                socket.create_connection(
                    ("127.0.0.1", port), timeout=30, source_address=(source or neighbour(number), 0)
                )
            )
            for number in range(count)
        ]


@asynccontextmanager
async def deaf(caller: Caller, count: int) -> AsyncIterator[None]:
    """Callers that ask for far more than sockets hold, and read nothing."""
    async with AsyncExitStack() as stack:
        for number in range(count):
            _, writer = await stack.enter_async_context(connection(caller.port))
            stack.callback(writer.transport.abort)
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # of the reading side, too
            writer.write(caller.serve(f"203.0.113.{number}") * 5_000)
        yield


def answered(calls: list[Timed]) -> float:
    """The share of them that got what they asked for."""
    return sum(one.status == 200 for one in calls) / len(calls)


async def overload(
    world: World,
    capsys: pytest.CaptureFixture[str],
    *,
    most: float,
    seconds: float,
    beside: str = "",
) -> None:
    """
    Three generators, each of which alone asks for all that the worker can answer, *most* calls a second; what it owes
    them after a third of the time keeps it busy for the rest.
    """
    floods = [asyncio.create_task(world.flood(seconds / 3, 60, rate=most)) for _ in range(3)]
    honest = await paced(world.caller.port, world.honest(seconds), rate=HONEST_PER_S)
    statuses = Counter[str]()
    for flood in floods:
        statuses.update((await flood)["statuses"])
    report(capsys, f"honest, beside 3 × {most:.0f} calls/s{beside}", honest)
    say(capsys, f"honest answered: {answered(honest):.4%}; greedy: {dict(statuses)}")
    assert answered(honest) >= 0.999
    assert statuses["200"] > 0
    assert set(statuses) <= {"200", *REFUSED}


async def most_of(world: World) -> float:
    """Calls a second that it answers while nobody else asks."""
    alone = await world.flood(1.0, 30)
    return float(alone["requests"] / alone["seconds"])


async def test_honest_clients_are_served_under_three_times_the_capacity_of_a_worker(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    await overload(world, capsys, most=await most_of(world), seconds=3)


@pytest.mark.long
async def test_honest_clients_are_served_in_a_long_overload_with_slow_and_silent_clients(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    most, others = await most_of(world), ", 2000 silent, 400 slow, 20 deaf"
    starts = [SLOW_HEAD] * 200 + [SLOW_BODY.format(world.caller.key).encode()] * 200
    with silent(world.caller.port, 2_000):
        async with deaf(world.caller, 20):
            slow = asyncio.gather(*(drip(world.caller.port, one, every_s=0.5) for one in starts))
            await overload(world, capsys, most=most, seconds=30, beside=others)
            cut = Counter(await slow)
    assert cut == {408: 400}


async def test_ten_thousand_silent_connections_cost_no_client_an_answer(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    with silent(world.caller.port, MANY):

        async def held() -> bool:
            return await world.metric("connections_open") >= MANY

        await until(held)
        honest = await paced(world.caller.port, world.honest(3), rate=HONEST_PER_S)
    report(capsys, f"honest, beside {MANY} silent connections", honest)
    assert {one.status for one in honest} == {200}


async def test_without_a_proxy_a_greedy_address_and_a_crowd_cost_no_client_an_answer(
    redis_server: RedisServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Connections count for the address that they come from."""
    async with a_world(redis_server, tmp_path, NO_LIMITS, proxies_count=0) as world:
        with silent(world.caller.port, MANY), silent(world.caller.port, 600, "127.0.0.9") as greedy:

            async def held() -> bool:
                return await world.metric("connections_open") >= MANY + MAX_PER_ADDRESS

            await until(held)
            closed = await asyncio.to_thread(
                lambda: [one.recv(1) for one in greedy[MAX_PER_ADDRESS:]]
            )
            honest = await paced(world.caller.port, world.honest(3), rate=HONEST_PER_S)
            refused = await world.metric("connections_refused_total")
    report(capsys, f"honest, beside {MANY} silent connections and a greedy address", honest)
    assert closed == [b""] * (600 - MAX_PER_ADDRESS)
    assert refused == len(closed)
    assert {one.status for one in honest} == {200}


async def test_a_worker_at_its_bound_closes_new_connections_and_keeps_the_others(
    world: World,
) -> None:
    async def empty() -> bool:
        return await world.metric("connections_open") == 0

    await until(empty)
    async with connection(world.caller.port) as (reader, writer):
        with silent(world.caller.port, MAX_CONNECTIONS - 1):
            with silent(world.caller.port, 50) as beyond:
                closed = await asyncio.to_thread(lambda: [one.recv(1) for one in beyond])
            writer.write(world.caller.serve())
            assert (await read_answer(reader)).status == 200
        assert closed == [b""] * 50
        assert await world.metric("connections_refused_total") == 50
