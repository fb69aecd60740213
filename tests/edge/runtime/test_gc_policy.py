"""A worker's garbage collector looks at an object once, and at everything only when the process has grown."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from multiprocessing import get_context

import uvloop

from edge.runtime.gc_policy import GcPolicy, resident_bytes
from edge.runtime.metrics import EdgeMetrics
from edge.snapshots.handle import SnapshotHandle
from tests.support.builders import a_key, a_snapshot, a_stock
from tests.support.edge import RunningEdge, running_edge

_GIB = 1024**3


class Ring:
    """Garbage that only a collector frees."""

    def __init__(self) -> None:
        self.me = self


class Worker:
    """A collector's surroundings, of a size set by hand."""

    def __init__(self) -> None:
        self.size_bytes = _GIB
        self.handle = SnapshotHandle.fixed(a_snapshot())
        self.metrics = EdgeMetrics()
        self.collector = GcPolicy(lambda: self.handle.states, self.metrics, lambda: self.size_bytes)


@asynccontextmanager
async def running(worker: Worker) -> AsyncIterator[None]:
    working = asyncio.create_task(worker.collector.run())
    await asyncio.sleep(0)
    yield
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def test_a_young_cycle_is_collected() -> None:
    async with running(Worker()):
        ring = weakref.ref(Ring())
        gc.collect(0)
        assert ring() is None


async def test_an_object_that_survives_a_collection_is_not_scanned_again() -> None:
    async with running(Worker()):
        kept = Ring()
        ring = weakref.ref(kept)
        gc.collect(0)
        del kept
        gc.collect()
        assert ring() is not None


async def test_a_full_collection_runs_when_the_process_has_grown() -> None:
    worker = Worker()
    async with running(worker):
        kept = Ring()
        ring = weakref.ref(kept)
        gc.collect(0)
        del kept
        worker.size_bytes = 2 * _GIB
        worker.collector.check_size()
        assert ring() is None
        assert worker.metrics.full_gcs == 1
        assert worker.metrics.gc_objects_freed > 0


async def test_growth_by_a_whole_snapshot_starts_no_collection() -> None:
    worker = Worker()
    async with running(worker):
        worker.size_bytes = 2 * _GIB
        worker.handle.adopt(a_snapshot(version=2), confirmed_ms=0)
        worker.collector.check_size()
        assert worker.metrics.full_gcs == 0


async def test_the_garbage_collector_is_restored_afterwards() -> None:
    before = gc.get_threshold(), list(gc.callbacks)
    async with running(Worker()):
        assert gc.get_threshold() != before[0]
    assert (gc.get_threshold(), gc.callbacks) == before


def test_connections_and_calls_leave_hardly_a_cycle_behind() -> None:
    """The policy rests on it. In a process of its own: what earlier tests left behind is not counted."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        assert process.submit(_count_cycles, 60).result() < 60


def _count_cycles(calls: int) -> int:
    return uvloop.run(_cycles_of_calls(calls))


async def _cycles_of_calls(calls: int) -> int:
    text, row = a_key()
    async with running_edge(a_snapshot(row, *a_stock().objects)) as edge:
        await _call(edge, text.text)
        gc.collect()
        gc.disable()
        try:
            for _ in range(calls):
                await _call(edge, text.text)
            return gc.collect()
        finally:
            gc.enable()


async def _call(edge: RunningEdge, key: str) -> None:
    """Each on a connection of its own: one that fills, one that is refused, one by the long way."""
    assert (await edge.serve("slot=top", key)).status == 200
    assert (await edge.serve("slot=none", key)).status == 404
    assert (await edge.get("/v1/features", f"X-Service-Key: {key}")).status == 200


def test_the_size_of_this_process_is_known() -> None:
    assert resident_bytes() > 1_000_000
