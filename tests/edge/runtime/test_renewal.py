"""Workers are replaced under load: no call fails, no event is lost."""

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.edge.http.hostile import Caller
from tests.edge.runtime.machine import alive, send
from tests.support.builders import a_key, a_property, a_stock, an_account
from tests.support.http_client import http_client
from tests.support.lone_edge import LoneEdge, lone_edge
from tests.support.raw_http import connection, read_answer
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0"


@dataclass(frozen=True, slots=True)
class World:
    edge: LoneEdge
    caller: Caller

    def pids(self) -> set[int]:
        return set(self.edge.machine.worker_pids())

    async def renew(self) -> set[int]:
        """Asks for it; the workers from before, when others have taken their places."""
        before = await asyncio.to_thread(self.pids)
        send(self.edge.machine.pid, signal.SIGHUP)
        await asyncio.to_thread(
            self.edge.machine.wait_until,
            lambda: not before & self.pids() and self.edge.machine.ready(),
        )
        return before


@pytest.fixture
async def world(redis_server: RedisServer, namespace: str, tmp_path: Path) -> AsyncIterator[World]:
    text, key = a_key()
    objects = (an_account(), a_property(), key, *a_stock().objects)
    async with lone_edge(redis_server.url, namespace, tmp_path, *objects) as edge:
        yield World(edge, Caller(edge.port, text.text))


class Load:
    """Callers that go on until told; what each of their calls came to."""

    def __init__(self, caller: Caller) -> None:
        self.outcomes: Counter[str] = Counter()
        self.enough = False
        self._caller = caller

    async def keep_alive(self) -> None:
        """One connection for as long as the server lets it, then the next."""
        while not self.enough:
            async with connection(self._caller.port) as (reader, writer):
                while not self.enough:
                    writer.write(self._caller.serve())
                    try:
                        answer = await read_answer(reader)
                    except (asyncio.IncompleteReadError, ConnectionError) as error:
                        self.outcomes[type(error).__name__] += 1
                        break
                    self.outcomes[str(answer.status)] += 1
                    if answer.headers["connection"] == "close":
                        break
                    await asyncio.sleep(0.005)

    async def afresh(self) -> None:
        """A connection for each call."""
        while not self.enough:
            try:
                async with connection(self._caller.port) as (reader, writer):
                    writer.write(self._caller.serve())
                    answer = await read_answer(reader)
                    self.outcomes[str(answer.status)] += 1
            except (asyncio.IncompleteReadError, OSError) as error:
                self.outcomes[type(error).__name__] += 1

    async def track(self, host: str) -> None:
        """Every ad that was shown is tracked."""
        headers = {"X-Service-Key": self._caller.key, "User-Agent": BROWSER}
        async with http_client(base_url=host, headers=headers, timeout=PATIENCE_S) as http:
            while not self.enough:
                shown = (await http.get("/v1/serve", params={"slot": "top"})).json()
                body = {"token": shown["track_token"], "event": "impression"}
                reported = await http.post("/v1/track", json=body)
                self.outcomes[str(reported.status_code)] += 1


async def test_no_call_fails_while_every_worker_is_replaced_twice(world: World) -> None:
    load = Load(world.caller)
    host = f"http://{world.edge.machine.address}"
    async with asyncio.TaskGroup() as callers:
        for _ in range(8):
            callers.create_task(load.keep_alive())
        for _ in range(4):
            callers.create_task(load.afresh())
        callers.create_task(load.track(host))
        try:
            first = await world.renew()
            second = await world.renew()
        finally:
            load.enough = True
    assert len(first) == len(second) == 2
    assert set(load.outcomes) == {"200", "204"}
    assert load.outcomes["204"] > 0


async def test_a_replaced_worker_answers_its_connected_clients_and_ends(world: World) -> None:
    async with connection(world.caller.port) as (reader, writer), asyncio.timeout(PATIENCE_S):
        writer.write(world.caller.serve())
        assert (await read_answer(reader)).status == 200
        renewing = asyncio.create_task(world.renew())
        # Its worker keeps an open connection for `HAND_OVER_S`. On a slow machine the start of the next worker takes
        # longer, so the connection is used until it is closed, and is idle in between.
        answer = None
        while answer is None or answer.headers["connection"] != "close":
            await asyncio.sleep(0.1)
            writer.write(world.caller.serve())
            answer = await read_answer(reader)
            assert answer.status == 200
        assert await reader.read() == b""
        before = await renewing
    await asyncio.to_thread(
        world.edge.machine.wait_until, lambda: not any(alive(pid) for pid in before)
    )


async def test_the_machine_stops_at_once_beside_workers_that_were_replaced(world: World) -> None:
    async with connection(world.caller.port) as (reader, writer):
        writer.write(world.caller.serve())
        await read_answer(reader)
        before = await world.renew()
        pids = before | await asyncio.to_thread(world.pids)
        world.edge.machine.ask_to_stop()
        assert await asyncio.to_thread(world.edge.machine.wait_ended) == 0
        with suppress(ConnectionError):
            assert await reader.read() == b""
    assert not any(alive(pid) for pid in pids)
