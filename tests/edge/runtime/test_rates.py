"""Rate limits over real worker processes: what one caller gets over one connection, and over many."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from common.snapshot.model import RateLimits
from common.values.clock import SystemClock
from common.values.environment import Environment
from common.values.keys import KeyKind
from edge.state.rate_limit import BURST
from tests.edge.runtime.machine import Machine, get
from tests.edge.snapshots.published import Published, RedisChannel
from tests.support.builders import KEY_RING, a_key, a_property, a_slot, an_account
from tests.support.servers import RedisServer

LIMIT = 200
ROUND = 20
"""Calls sent at once; more are sent when all are answered."""
WARM_S, MEASURED_S = 3.0, 3.0
"""The burst is used up, and the workers have told each other, before anything is measured."""


@pytest.fixture
def start(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> Iterator[Callable[[str], Machine]]:
    """Starts an edge machine by its name."""
    started: list[Machine] = []
    keys = {name: base64.b64encode(raw).decode() for name, raw in KEY_RING.keys.items()}
    key_file = tmp_path / "key.json"
    key_file.write_text(json.dumps({"active": KEY_RING.active, "keys": keys}), encoding="utf-8")
    settings = {
        "PLACARD_ENVIRONMENT": "live",
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": namespace,
        "PLACARD_KEY_FILE": str(key_file),
        "PLACARD_EDGE_PORT": "0",
        "PLACARD_EDGE_URL": "http://127.0.0.1:1",
        "PLACARD_EDGE_WORKERS": "2",
    }

    def start_one(name: str) -> Machine:
        own = {
            "PLACARD_EDGE_NAME": name,
            "PLACARD_SNAPSHOT_DIR": str(tmp_path / name / "snapshot"),
            "PLACARD_SPOOL_DIR": str(tmp_path / name / "spool"),
        }
        started.append(Machine(settings | own, ("-m", "edge"), log=tmp_path / f"{name}.log"))
        return started[-1]

    yield start_one
    for machine in started:
        machine.kill()


@dataclass(slots=True)
class Caller:
    """Asks as fast as it is answered, on as many connections as `ask_until` runs."""

    ports: Sequence[int]
    key: str
    warm_at_s: float = 0.0
    steady: int = 0
    """Admitted after `warm_at_s`."""
    admitted: int = 0
    refused: int = 0
    waits: set[str] = field(default_factory=set)

    async def ask_until(self, end_s: float, number: int = 0) -> None:
        port = self.ports[number % len(self.ports)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        request = f"GET /v1/serve?slot=top&key={self.key} HTTP/1.1\r\nHost: edge\r\n\r\n".encode()
        loop = asyncio.get_running_loop()
        try:
            while loop.time() < end_s:
                writer.write(request * ROUND)
                for _ in range(ROUND):
                    await self._read(reader)
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
        await reader.readexactly(int(fields.get("content-length", "0")))
        if " 429 " in head.split("\r\n", 1)[0]:
            self.refused += 1
            self.waits.add(fields["retry-after"])
        else:
            self.admitted += 1
            self.steady += asyncio.get_running_loop().time() >= self.warm_at_s


@pytest.fixture
async def key(redis_server: RedisServer, namespace: str) -> AsyncIterator[str]:
    """A key whose limit is `LIMIT`, published."""
    published = Published(at_ms=SystemClock().now_ms())
    text, stored = a_key(KeyKind.PUBLISHABLE, Environment.LIVE)
    prop = a_property(rate_limits=RateLimits(LIMIT, 100_000, 1000, 1000))
    published.put_objects(an_account(), prop, stored, a_slot())
    channel = RedisChannel(redis_server.url, namespace, Environment.LIVE)
    await channel.put_full(published.full())
    await channel.put_head(published.beat())
    yield text.text
    await channel.close()


def _wait_ready(machine: Machine) -> int:
    """The machine's port, when it serves."""
    machine.wait_started()
    machine.wait_until(machine.ready)
    return int(machine.address.rpartition(":")[2])


def _knows(machine: Machine, count: int) -> bool:
    """Whether *machine* divides its limits by *count*."""
    metrics = get(machine.internal, "/metrics")[1]
    return f"placard_edge_limit_machines {count}.0" in metrics.splitlines()


@pytest.mark.parametrize("connections", [1, 8])
async def test_a_caller_gets_its_limit_over_two_workers(
    start: Callable[[str], Machine], key: str, connections: int
) -> None:
    machine = start("edge-1")
    caller = Caller([await asyncio.to_thread(_wait_ready, machine)], key)
    await _check_limit(caller, connections)
    assert _knows(machine, 1)


@pytest.mark.parametrize("connections", [1, 9])
async def test_a_caller_gets_its_limit_over_three_machines(
    start: Callable[[str], Machine], key: str, connections: int
) -> None:
    machines = [start(f"edge-{number}") for number in range(3)]
    ports = [await asyncio.to_thread(_wait_ready, one) for one in machines]
    for machine in machines:
        await asyncio.to_thread(machine.wait_until, partial(_knows, machine, 3))
    await _check_limit(Caller(ports, key), connections)


async def _check_limit(caller: Caller, connections: int) -> None:
    """The stated bounds: nine tenths of the limit at least, 1.15 times the limit and one burst at most."""
    loop = asyncio.get_running_loop()
    begun_s = loop.time()
    caller.warm_at_s = begun_s + WARM_S
    async with asyncio.TaskGroup() as calls:
        for number in range(connections):
            calls.create_task(caller.ask_until(begun_s + WARM_S + MEASURED_S, number))
    end_s = loop.time()
    steady = caller.steady / (end_s - caller.warm_at_s)
    assert caller.refused > caller.admitted
    assert steady >= 0.9 * LIMIT, f"{steady / LIMIT:.3f} of the limit"
    most = 1.10 if len(caller.ports) == 1 else 1.15
    assert caller.admitted <= most * LIMIT * (end_s - begun_s) + BURST * LIMIT
    assert caller.waits == {"1"} or len(caller.ports) > 1
