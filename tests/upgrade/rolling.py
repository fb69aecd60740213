"""A rolling upgrade, and what must hold after each of its steps."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from uuid import uuid4

import httpx

from tests.e2e.customer import BROWSER, Customer
from tests.fleet.fleet import ELECTED, Fleet
from tests.fleet.unit import Unit
from tests.support.waiting import until
from tests.upgrade import stack
from tests.upgrade.builds import THIS, Build
from tests.upgrade.operations import compare, read_all

_LOOK_S = 0.5
_RUNS = re.compile(r'^placard_job_runs_total\{job="(\w+)",outcome="(\w+)"\} (\S+)', re.MULTILINE)
_ERRORS = ("error", "critical")


@dataclass
class Rolling:
    """``builds``: the older and the newer one. ``faults``: a sentence for each that was found on the way."""

    fleet: Fleet
    customer: Customer
    builds: tuple[Build, Build]
    report: Callable[[str], None]
    faults: list[str] = field(default_factory=list)

    async def replace_all(self, build: Build, kinds: Sequence[str]) -> None:
        """Ends when every process is one of *build*; the schema is that of the newer build throughout."""
        if build is THIS:
            self.fleet.home, self.fleet.python = build.tree, build.python
            # What connections have prepared must hold on the new schema, too.
            await self._read_all("before migrate")
            await asyncio.to_thread(self.fleet.control, "migrate")
            await self._read_all("after migrate")
            await self._changes_arrive("migrate")
        for kind in kinds:
            for number, unit in enumerate(self._units(kind)):
                began_s = time.monotonic()
                await stack.replace(unit, build)
                await self._changes_arrive(unit.name)
                self.report(f"    {unit.name} in {time.monotonic() - began_s:.0f} s")
                if kind == "api" and number == 0:
                    await self._both_do_all()
            if kind in ELECTED:
                await self._is_led(kind)
            if kind == "work":
                await self._every_job_runs(build)

    def _note(self, *faults: str) -> None:
        """The test goes on, and fails at its end."""
        self.faults += faults
        for one in faults:
            self.report(f"    FAULT {one}")

    async def _both_do_all(self) -> None:
        """While an API process of each build runs: all operations of both, and all jobs of the build that works."""
        older, newer = (
            stack.url_of(self._of("api", build), stack.PUBLIC_PORTS["api"]) for build in self.builds
        )
        found = await compare(self.fleet, older, newer)
        self._note(*found.faults)
        self.report(
            f"    {found.operations} operations on each: {dict(sorted(found.statuses.items()))}"
        )
        working = next(one for one in self.builds if self._units("work")[0].home == one.tree)
        for unit in self._units("work"):
            await stack.replace(unit, working)
        await self._every_job_runs(working)

    async def _read_all(self, step: str) -> None:
        for api in self._units("api"):
            found = await read_all(self._customer_of(control=api))
            self._note(*(f"{step}: {api.name}: {one}" for one in found))

    async def _changes_arrive(self, step: str) -> None:
        """What each API process changes, each edge serves; and what one edge serves, another counts."""
        for api in self._units("api"):
            one = self._customer_of(control=api)
            slot = f"m{uuid4().hex[:12]}"
            slot_id = await one.make_slot(slot)
            campaign = await one.run_campaign("live", slot_ids=(slot_id,))
            for first, second in permutations(self._units("edge")):
                ad = await self._customer_of(control=api, edge=first).serve_until_filled(
                    "live", campaign, slot=slot
                )
                found = await self._count(ad, self._customer_of(control=api, edge=second))
                if found != [204, 200, 302, 200]:
                    self._note(f"after {step}: {second.name} answered {found}")

    async def _count(self, ad: dict[str, str], customer: Customer) -> list[int]:
        """Statuses of the doors of *customer*'s edge, for an *ad* that another edge served."""
        base, headers = customer.edge("live"), {"User-Agent": BROWSER}
        found = [(await customer.track("live", ad["track_token"])).status_code]
        for url in (ad["impression_url"], ad["click_url"]):
            path = httpx.URL(url).raw_path.decode()
            found.append((await customer.http.get(f"{base}{path}", headers=headers)).status_code)
        features = {**headers, "X-Service-Key": customer.text("pk_live")}
        found.append((await customer.http.get(f"{base}/v1/features", headers=features)).status_code)
        return found

    async def _is_led(self, kind: str) -> None:
        async def leads() -> bool:
            return await self.fleet.leader(kind) is not None

        await until(leads, every_s=_LOOK_S)

    async def _every_job_runs(self, build: Build) -> None:
        """Each runs at the start of the process that leads: one of *build*."""
        missing: list[str] = []

        async def all_ran() -> bool:
            leader = await self.fleet.leader("work")
            if leader is None:
                return False
            runs = {
                (job, how): float(n)
                for job, how, n in _RUNS.findall(await self.fleet.metrics(leader))
            }
            missing[:] = sorted(job for (job, how), n in runs.items() if how == "ok" and n == 0)
            return bool(runs) and not missing

        try:
            await until(all_ran, every_s=_LOOK_S)
        except TimeoutError:
            self._note(f"{build.name}: jobs that never ran well: {', '.join(missing)}")

    def _units(self, kind: str) -> list[Unit]:
        return [one for name, one in self.fleet.units.items() if name.startswith(f"{kind}-")]

    def _of(self, kind: str, build: Build) -> Unit:
        return next(one for one in self._units(kind) if one.home == build.tree)

    def _customer_of(self, *, control: Unit, edge: Unit | None = None) -> Customer:
        """The customer, who calls these processes without the proxy."""
        urls = {"control_url": stack.url_of(control, stack.PUBLIC_PORTS["api"])}
        if edge is not None:
            urls["edge_live_url"] = stack.url_of(edge, stack.PUBLIC_PORTS["edge"])
        return replace(self.customer, demo={**self.customer.demo, **urls})


def find_errors(fleet: Fleet) -> dict[str, int]:
    """
    How often each process logged an error, by process and event; lines that are no JSON by their own text. Without
    those of Kafka's client, which calls a broker that is about to answer an error.
    """
    found: Counter[str] = Counter()
    for unit in fleet.units.values():
        if unit.zone is None:
            continue
        for line in unit.log.read_text(errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                found[f"{unit.name}: {line[:200]}"] += 1
                continue
            if entry["level"] in _ERRORS and not entry["logger"].startswith("aiokafka"):
                found[f"{unit.name}: {entry['event']}"] += 1
    return dict(found)
