"""What the control plane is told of the workers."""

import asyncio
from dataclasses import replace

from edge.adapters.memory_snapshots import MemorySnapshotSource
from edge.snapshots.reports import SnapshotReports
from edge.snapshots.status import WorkerStatus, parse_status

ACK = WorkerStatus("edge-1/0", "epoch-1", 3, "d", ok=True, reason=None, age_s=0.1, at_ms=1)


async def reported(source: MemorySnapshotSource, version: int) -> WorkerStatus:
    async with asyncio.timeout(10):
        while True:
            raw = source.reports.get("edge-1/0")
            if raw is not None and parse_status(raw).version == version:
                return parse_status(raw)
            await asyncio.sleep(0.01)


async def test_a_worker_that_moved_is_reported() -> None:
    source = MemorySnapshotSource()
    reports = SnapshotReports(source)
    running = asyncio.create_task(reports.run())
    reports.told(ACK, None)
    assert await reported(source, 3) == ACK
    reports.told(replace(ACK, version=4), None)
    assert (await reported(source, 4)).ok
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_refused_snapshot_is_reported_as_a_nack() -> None:
    source = MemorySnapshotSource()
    reports = SnapshotReports(source)
    running = asyncio.create_task(reports.run())
    reports.told(ACK, "delta 4 leads to another digest than it says")
    nack = await reported(source, 3)
    assert (nack.ok, nack.reason) == (False, "delta 4 leads to another digest than it says")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
