"""
A fleet loses, doubles and misses nothing while each of its parts is killed, frozen and cut off in turn, and no operator
acts. What a machine's own service manager does, starting what was killed again, the test does after some seconds.
"""

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from tests.fleet.fleet import ELECTED, Fleet, proportional_bytes, running_fleet
from tests.fleet.load import Load, begin_traffic
from tests.support.printing import say
from tests.support.waiting import until

pytestmark = pytest.mark.fleet

RATE = 8.0
"""Serves a second. All of the fleet shares this machine's cores with whatever else runs on them."""
SERVED = 0.9995
TAKEOVER_S = 10.0
MEMORY_BYTES = 6 * 1024**3
_FAULT_S = 8.0
_CALM_S = 3.0
_PATIENCE_S = 90.0
_LOOK_S = 0.1


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    folder = Path(tempfile.mkdtemp(prefix="plf-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        with running_fleet(folder) as found:
            yield found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Run:
    """
    ``takeovers``: most seconds from a fault of a leader until another process of its kind leads; ``promotions``: from
    that of a primary until its replica is one.
    """

    fleet: Fleet
    load: Load
    report: Callable[[str], None]
    takeovers: dict[str, float] = field(default_factory=dict)
    promotions: dict[str, list[float]] = field(default_factory=dict)

    @asynccontextmanager
    async def fault(self, name: str) -> AsyncIterator[None]:
        """Prints what was not served meanwhile, and waits for calm."""
        began_s, before = time.monotonic(), self.load.serves.copy()
        yield
        await asyncio.sleep(_CALM_S)
        seconds, serves = time.monotonic() - began_s, self.load.serves - before
        others = {key: count for key, count in serves.items() if key != httpx.codes.OK}
        self.report(f"  {name}: {seconds:.0f} s, {serves[200]} served, {others or 'none'} not")

    async def kill(self, name: str, then: Awaitable[None] | None = None) -> None:
        unit = self.fleet.units[name]
        async with self.fault(f"{name} killed"):
            unit.kill()
            await asyncio.gather(*([then] if then else []), asyncio.sleep(_FAULT_S))
            unit.start()
            await self.recovered(name)

    async def freeze(self, name: str, then: Awaitable[None] | None = None) -> None:
        unit = self.fleet.units[name]
        async with self.fault(f"{name} frozen"):
            unit.freeze()
            try:
                await asyncio.gather(*([then] if then else []), asyncio.sleep(_FAULT_S))
            finally:
                unit.thaw()
            await self.recovered(name)

    async def cut_off(self, name: str) -> None:
        """A zone that is cut off goes on: what leads there must not. Lasts until all that led there leads elsewhere."""
        zone = self.fleet.zone_of(name)
        primaries = {kind: await self.fleet.primary(kind) for kind in ("redis", "postgres")}
        leaders = {kind: await self.is_led(kind) for kind in ELECTED}
        others = [
            self.has_another_primary(kind, primary)
            for kind, primary in primaries.items()
            if primary == f"{kind}-{name}"
        ]
        if primaries["postgres"] != f"postgres-{name}":
            others += [
                self.takes_over(kind, leader)
                for kind, leader in leaders.items()
                if leader == f"{kind}-{name}"
            ]
        async with self.fault(f"zone {name} cut off"):
            zone.cut_off()
            try:
                await asyncio.gather(*others, asyncio.sleep(_FAULT_S))
            finally:
                zone.connect()
            for unit in self.fleet.in_zone(name):
                await self.recovered(unit.name)

    async def takes_over(self, kind: str, former: str) -> None:
        began_s = time.monotonic()
        await self.is_led(kind, not_by=former)
        self.takeovers[kind] = max(time.monotonic() - began_s, self.takeovers.get(kind, 0.0))

    async def has_another_primary(self, kind: str, former: str) -> None:
        """The locks of the elections are PostgreSQL's: after its failover, they lead anew."""
        began_s = time.monotonic()
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                if await self.fleet.primary(kind) != former:
                    break
                await asyncio.sleep(_LOOK_S)
        self.promotions.setdefault(kind, []).append(time.monotonic() - began_s)
        if kind == "postgres":
            promoted_s = time.monotonic()
            await asyncio.gather(*(self.is_led(one) for one in ELECTED))
            after_s = time.monotonic() - promoted_s
            self.promotions.setdefault("leaders after it", []).append(after_s)

    async def is_led(self, kind: str, *, not_by: str | None = None) -> str:
        """The unit that leads; waits until another one than *not_by* does."""
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                leader = await self.fleet.leader(kind)
                if leader is not None and leader != not_by:
                    return leader
                await asyncio.sleep(_LOOK_S)

    async def recovered(self, name: str) -> None:
        """Until the process responds again, and until a standby of PostgreSQL may be promoted again."""
        if name.startswith("postgres"):
            await until(self.fleet.has_standby)
        unit = self.fleet.units[name]
        async with asyncio.timeout(_PATIENCE_S):
            while True:
                if unit.is_alive() and await asyncio.to_thread(unit.ready):
                    return
                await asyncio.sleep(_LOOK_S)


async def test_nothing_is_lost_or_doubled_while_parts_fail_in_turn(
    fleet: Fleet, capsys: pytest.CaptureFixture[str]
) -> None:
    def report(line: str) -> None:
        say(capsys, line)

    async with httpx.AsyncClient(timeout=20) as http:
        traffic = await begin_traffic(fleet, http)
        async with Load(traffic, RATE) as load:
            run = Run(fleet, load, report)
            for kind in ("postgres", "redis"):
                for fail in (run.kill, run.freeze):
                    primary = await fleet.primary(kind)
                    await fail(primary, run.has_another_primary(kind, primary))
            for name in ("c", (await fleet.primary("postgres")).partition("-")[2]):
                await run.cut_off(name)
            for kind in ELECTED:
                for fail in (run.kill, run.freeze):
                    leader = await run.is_led(kind)
                    await fail(leader, run.takes_over(kind, leader))
            for name in ("api-a", "ingest-a", "ingest-b", "edge-a", "edge-b", "kafka-a", "kafka-b"):
                await (run.freeze if name.endswith("-b") else run.kill)(name)
            memory = proportional_bytes(list(fleet.units.values()))
        report(f"  serves {dict(load.serves)}, tracks {dict(load.tracks)}")
        report(f"  served {load.served:.6f} at {RATE:.0f}/s")
        report(f"  takeovers { ({k: round(v, 1) for k, v in run.takeovers.items()}) }")
        report(
            f"  promotions { ({k: [round(one, 1) for one in v] for k, v in run.promotions.items()}) }"
        )
        report(f"  memory {sum(memory.values()) / 1024**3:.2f} GiB")
        await traffic.check()
        report(f"  acknowledged {len(traffic.acknowledged)}, stored {await traffic.stored()}")
    assert load.served >= SERVED
    assert set(run.takeovers) == set(ELECTED)
    assert max(run.takeovers.values()) <= TAKEOVER_S
    assert sum(memory.values()) <= MEMORY_BYTES
