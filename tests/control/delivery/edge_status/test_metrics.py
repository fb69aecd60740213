"""The edges as publish shows them to Prometheus."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import orjson
import pytest_asyncio
from prometheus_client import CollectorRegistry

from common.snapshot.status import WorkerStatus
from common.values.environment import Environment
from control.delivery.edge_status.ack_collector import AckCollector
from control.delivery.edge_status.metrics import EdgeCollector
from control.outbox.outbox_reader import read_head
from tests.control.delivery.snapshot_publishing.waiting import until
from tests.support.control_api import ControlApi
from tests.support.memory_channel import MemorySnapshotChannel


@pytest_asyncio.fixture(loop_scope="session")
async def registry(api: ControlApi) -> AsyncIterator[CollectorRegistry]:
    """While publish leads."""
    made = CollectorRegistry()
    collector = EdgeCollector(api.control.database, api.control.clock)
    made.register(collector)
    task = asyncio.create_task(collector.run())
    yield made
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_workers_that_lag_or_refuse_are_counted(
    api: ControlApi, registry: CollectorRegistry
) -> None:
    await api.sign_up()
    head = await read_head(api.control.database)
    reported = [
        WorkerStatus(
            f"edge-1/{number}",
            head.epoch,
            head.version - number,
            "",
            ok=number == 0,
            reason=None if number == 0 else "no",
            age_s=9.0,
            at_ms=api.control.clock.now_ms(),
        )
        for number in range(2)
    ]
    reports = AckCollector(api.control.database, MemorySnapshotChannel(), api.control.clock)
    await reports.receive_pushed(Environment.LIVE, orjson.dumps(reported))

    def shown(name: str, **labels: str) -> float | None:
        return registry.get_sample_value(f"placard_edges_{name}", labels)

    await until(lambda: shown("workers", environment="live") == 2.0)
    assert shown("behind", environment="live") == 1.0
    assert shown("workers", environment="test") == 0.0
    second = {"environment": "live", "worker": "edge-1/1"}
    assert shown("worker_version", **second) == head.version - 1
    assert shown("worker_accepted", **second) == 0.0
    age_s = shown("worker_age_seconds", **second)
    assert age_s is not None
    assert age_s >= 9.0


async def test_a_standby_exposes_no_worker_metrics(api: ControlApi) -> None:
    collector = EdgeCollector(api.control.database, api.control.clock)
    assert list(collector.collect()) == []
