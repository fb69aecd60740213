"""Faults of a fleet under load, and the time until others have taken over what led there."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

import httpx

from common.values.clock import SystemClock
from tests.fleet.fleet import ELECTED, Fleet
from tests.fleet.load import Load
from tests.fleet.unit import Unit
from tests.support.waiting import until

_FAULT_S = 8.0
_CALM_S = 3.0
_LOOK_S = 0.5
"""Looks are made by the process that also generates the load."""
_AGAIN_S = 0.5
"""Between two starts of a program, as service managers wait."""
_PRIMARIES = ("postgres", "redis")


@dataclass(frozen=True, slots=True)
class Fault:
    """``end``: what a machine's service manager or its network does, without an operator."""

    name: str
    begin: Callable[[Unit], None]
    end: Callable[[Unit], None]


def _cut_off(unit: Unit) -> None:
    assert unit.zone is not None
    unit.zone.cut_off()


def _connect(unit: Unit) -> None:
    assert unit.zone is not None
    unit.zone.connect()


KILLED = Fault("killed", Unit.kill, Unit.start)
FROZEN = Fault("frozen", Unit.freeze, Unit.thaw)
CUT_OFF = Fault("cut off", _cut_off, _connect)
"""Of whole zones: a unit has no connection of its own. What leads in the zone goes on, but must not lead."""


@dataclass
class Faults:
    """
    ``takeovers``: seconds from a fault of a leader until another process of its kind leads; ``promotions``: from that
    of a primary until its replica is one; ``restarts``: starts after the first one, by name.
    """

    fleet: Fleet
    load: Load
    report: Callable[[str], None]
    takeovers: dict[str, list[float]] = field(default_factory=dict)
    promotions: dict[str, list[float]] = field(default_factory=dict)
    restarts: Counter[str] = field(default_factory=Counter)
    _clock: SystemClock = field(default_factory=SystemClock)

    async def in_unit(self, fault: Fault, name: str) -> None:
        await self._happens(fault, name, [self.fleet.units[name]])

    async def in_zone(self, fault: Fault, name: str) -> None:
        await self._happens(fault, f"zone {name}", self.fleet.in_zone(name))

    async def leader(self, kind: str) -> str:
        """The unit that leads; waits for one."""
        found: list[str] = []

        async def is_led() -> bool:
            found.extend(filter(None, [await self.fleet.leader(kind)]))
            return bool(found)

        await until(is_led, every_s=_LOOK_S)
        return found[0]

    async def _happens(self, fault: Fault, what: str, units: Sequence[Unit]) -> None:
        """To all *units* at once, for some seconds and until others have taken over."""
        successions = await self._successions({unit.name for unit in units})
        async with self._counted(f"{what} {fault.name}"):
            await asyncio.to_thread(_each, fault.begin, units)
            try:
                await asyncio.gather(*successions, asyncio.sleep(_FAULT_S))
            finally:
                _each(fault.end, units)
            for unit in units:
                await self._recovers(unit, fault)

    @asynccontextmanager
    async def _counted(self, what: str) -> AsyncIterator[None]:
        """Reports what was not served meanwhile, and waits for calm."""
        began_s, before = time.monotonic(), self.load.serves.copy()
        yield
        await asyncio.sleep(_CALM_S)
        seconds, serves = time.monotonic() - began_s, self.load.serves - before
        others = {key: count for key, count in serves.items() if key != httpx.codes.OK}
        self.report(f"  {what}: {seconds:.0f} s, {serves[200]} served, {others or 'none'} not")

    async def _successions(self, names: set[str]) -> list[Awaitable[None]]:
        """
        One for each of *names* that leads or is a primary. Elected processes lead by locks of PostgreSQL: if its
        primary fails too, they lead anew after its failover.
        """
        primaries = {kind: await self.fleet.primary(kind) for kind in _PRIMARIES}
        leaders = {kind: await self.leader(kind) for kind in ELECTED}
        failing = {kind: name for kind, name in primaries.items() if name in names}
        found: list[Awaitable[None]] = []
        now = self._clock.now()
        for kind, name in failing.items():
            found.append(self._has_another_primary(kind, name, now))
        if "postgres" not in failing:
            for kind, name in leaders.items():
                if name in names:
                    found.append(self._takes_over(kind, now, now))
        return found

    async def _takes_over(self, kind: str, fault: datetime, since: datetime) -> None:
        """Notes the seconds from *since* until one led that began to after the *fault*."""
        took: list[float] = []

        async def leads() -> bool:
            at = self.fleet.find_takeover(kind, fault)
            if at is not None:
                took.append(max(0.0, (at - since).total_seconds()))
            return bool(took)

        await until(leads, every_s=_LOOK_S)
        self.takeovers.setdefault(kind, []).append(took[0])

    async def _has_another_primary(self, kind: str, former: str, fault: datetime) -> None:
        async def is_promoted() -> bool:
            return await self.fleet.primary(kind) != former

        await until(is_promoted, every_s=_LOOK_S)
        promoted = self._clock.now()
        self.promotions.setdefault(kind, []).append((promoted - fault).total_seconds())
        if kind == "postgres":
            await asyncio.gather(*(self._takes_over(one, fault, promoted) for one in ELECTED))

    async def _recovers(self, unit: Unit, fault: Fault) -> None:
        """
        Until it responds again, and until a standby of PostgreSQL may be promoted again. What was killed is started
        until it lives: it may end because a server that failed with it is not ready yet.
        """

        async def responds() -> bool:
            if fault is KILLED and not unit.is_alive():
                unit.start()
                self.restarts[unit.name] += 1
            return unit.is_alive() and await asyncio.to_thread(unit.ready)

        await until(responds, every_s=_AGAIN_S)
        if unit.name.startswith("postgres"):
            await until(self.fleet.has_standby, every_s=_LOOK_S)


def _each(act: Callable[[Unit], None], units: Sequence[Unit]) -> None:
    for unit in units:
        act(unit)
