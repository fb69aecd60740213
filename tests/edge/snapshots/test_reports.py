"""Reports about workers to the control plane."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from common.snapshot.status import WorkerStatus, parse_status
from edge.snapshots.reports import SnapshotReports
from tests.support.memory_snapshots import MemorySnapshotSource
from tests.support.waiting import PATIENCE_S, until

ACK = WorkerStatus("edge-1/0", "epoch-1", 3, "d", ok=True, reason=None, age_s=0.1, at_ms=1)


@dataclass
class Machine:
    """Its workers' last words, and what came of them at the source."""

    statuses: list[WorkerStatus] = field(default_factory=list)
    refusal: str | None = None
    source: MemorySnapshotSource = field(default_factory=MemorySnapshotSource)

    async def reported(self, version: int) -> WorkerStatus:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                raw = self.source.reports.get("edge-1/0")
                if raw is not None and parse_status(raw).version == version:
                    return parse_status(raw)
                await asyncio.sleep(0.01)


@asynccontextmanager
async def reporting(machine: Machine) -> AsyncIterator[SnapshotReports]:
    reports = SnapshotReports(
        lambda: machine.statuses, lambda: machine.refusal, machine.source.report
    )
    running = asyncio.create_task(reports.run())
    yield reports
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_worker_with_a_new_version_is_reported() -> None:
    machine = Machine([ACK])
    async with reporting(machine) as reports:
        reports.notify()
        assert await machine.reported(3) == ACK
        machine.statuses = [replace(ACK, version=4)]
        reports.notify()
        assert (await machine.reported(4)).ok


async def test_a_refused_snapshot_is_reported_as_a_nack() -> None:
    machine = Machine([ACK], refusal="delta 4 leads to another digest than it says")
    async with reporting(machine) as reports:
        reports.notify()
        nack = await machine.reported(3)
    assert (nack.ok, nack.reason) == (False, "delta 4 leads to another digest than it says")


async def test_of_two_workers_of_one_place_the_one_that_is_behind_is_reported() -> None:
    leaving, coming = replace(ACK, boot="old"), replace(ACK, boot="new", version=9)
    machine = Machine([coming, leaving])
    async with reporting(machine) as reports:
        reports.notify()
        assert (await machine.reported(3)).boot == "old"
        machine.statuses = [coming]
        reports.notify()
        assert (await machine.reported(9)).boot == "new"


async def test_a_failed_report_is_sent_again() -> None:
    machine = Machine([ACK])
    machine.source.is_unavailable = True
    async with reporting(machine) as reports:
        reports.notify()
        async with asyncio.timeout(PATIENCE_S):
            while machine.source.reports_failed == 0:  # noqa: ASYNC110 - a counter has no event
                await asyncio.sleep(0.01)
        machine.source.is_unavailable = False
        reports.notify()
        assert await machine.reported(3) == ACK


async def test_no_report_is_sent_while_no_worker_runs() -> None:
    statuses, collected, sent = [ACK], asyncio.Event(), list[Mapping[str, bytes]]()

    def collect() -> list[WorkerStatus]:
        collected.set()
        return [*statuses]

    async def send(raw: Mapping[str, bytes]) -> bool:
        sent.append(raw)
        return True

    async def is_sent(version: int) -> bool:
        reports.notify()
        return any(parse_status(one).version == version for raw in sent for one in raw.values())

    reports = SnapshotReports(collect, lambda: None, send)
    running = asyncio.create_task(reports.run())
    await until(lambda: is_sent(3))
    statuses.clear()
    collected.clear()
    reports.notify()
    await collected.wait()
    statuses.append(replace(ACK, version=4))
    await until(lambda: is_sent(4))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert {*map(tuple, sent)} == {(ACK.worker,)}
