"""How publish stores the reports of workers, read from a channel or received over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest_asyncio
from sqlmodel import delete, select

from common.snapshot.status import WorkerStatus, encode_status
from common.values.clock import FixedClock, from_ms
from common.values.environment import Environment
from control.delivery.edge_status.ack_collector import AckCollector
from control.storage.tables.edges import EdgeWorkerRow
from tests.control.delivery.snapshot_publishing.waiting import until_async
from tests.support.control_api import ControlApi
from tests.support.memory_channel import MemorySnapshotChannel

LIVE = Environment.LIVE
NOW_MS = 1_800_000_000_000
ACK = WorkerStatus(
    "edge-1/0", "e", 7, "d", ok=True, reason=None, age_s=0.5, at_ms=NOW_MS, boot="b1"
)


class Collecting:
    """The leader, at work on a channel where workers leave their words."""

    def __init__(self, api: ControlApi) -> None:
        self.clock = FixedClock(NOW_MS)
        self.channel = MemorySnapshotChannel()
        self._database = api.control.database
        self.reports = AckCollector(self._database, self.channel, self.clock)

    def say(self, *statuses: WorkerStatus, under: str | None = None) -> None:
        there = self.channel.workers.setdefault(LIVE, {})
        there.update({under or one.worker: encode_status(one) for one in statuses})

    async def rows(self) -> dict[str, EdgeWorkerRow]:
        async with self._database.service() as session:
            return {row.worker: row for row in await session.scalars(select(EdgeWorkerRow))}

    async def until_version(self, worker: str, version: int) -> EdgeWorkerRow:
        async def is_there() -> bool:
            row = (await self.rows()).get(worker)
            return row is not None and row.version == version

        await until_async(is_there)
        return (await self.rows())[worker]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.reports.collect())
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@pytest_asyncio.fixture(loop_scope="session")
async def collecting(api: ControlApi) -> Collecting:
    async with api.control.database.service() as session:
        await session.execute(delete(EdgeWorkerRow))
    return Collecting(api)


async def test_a_report_of_a_worker_is_stored(collecting: Collecting) -> None:
    collecting.say(ACK)
    async with collecting.running():
        row = await collecting.until_version("edge-1/0", 7)
    assert (row.boot, row.epoch, row.ok, row.age_s) == ("b1", "e", True, 0.5)
    assert row.seen_at == row.acked_at == from_ms(NOW_MS)
    assert row.nacked_at is None


async def test_a_nack_keeps_its_reason_after_the_worker_recovers(
    collecting: Collecting,
) -> None:
    nack = replace(ACK, ok=False, reason="another digest", at_ms=NOW_MS + 1)
    collecting.say(nack)
    async with collecting.running():
        await collecting.until_version("edge-1/0", 7)
        collecting.clock.advance(ms=1000)
        collecting.say(replace(ACK, version=8))
        row = await collecting.until_version("edge-1/0", 8)
    assert (row.ok, row.nack_reason) == (True, "another digest")
    assert (row.acked_at, row.nacked_at) == (from_ms(NOW_MS + 1000), from_ms(NOW_MS))


async def test_an_unchanged_report_does_not_refresh_the_worker(collecting: Collecting) -> None:
    collecting.say(ACK)
    async with collecting.running():
        await collecting.until_version("edge-1/0", 7)
        collecting.clock.advance(ms=50_000)
        collecting.say(replace(ACK, worker="edge-2/0"))
        await collecting.until_version("edge-2/0", 7)
    assert (await collecting.rows())["edge-1/0"].seen_at == from_ms(NOW_MS)


async def test_a_new_leader_does_not_take_an_old_report_for_a_new_one(
    collecting: Collecting,
) -> None:
    collecting.clock.advance(ms=3_600_000)
    collecting.say(ACK)
    async with collecting.running():
        row = await collecting.until_version("edge-1/0", 7)
    assert row.seen_at == from_ms(NOW_MS)


async def test_a_newer_report_by_another_route_is_kept(collecting: Collecting) -> None:
    collecting.clock.advance(ms=5_000)
    reported = encode_status(replace(ACK, version=9))
    await collecting.reports.receive_pushed(LIVE, b"[" + reported + b"]")
    collecting.say(ACK, replace(ACK, worker="edge-2/0"))
    async with collecting.running():
        await collecting.until_version("edge-2/0", 7)
    assert (await collecting.rows())["edge-1/0"].version == 9


async def test_unreadable_reports_are_skipped(collecting: Collecting) -> None:
    collecting.channel.workers[LIVE] = {"edge-3/0": b"{", "edge-4/0": b"[]"}
    collecting.say(replace(ACK, worker="edge-5/0"), under="edge-6/0")
    collecting.say(ACK)
    async with collecting.running():
        await collecting.until_version("edge-1/0", 7)
    assert set(await collecting.rows()) == {"edge-1/0"}


async def test_an_unavailable_channel_is_read_again_when_it_is_back(
    collecting: Collecting,
) -> None:
    collecting.say(ACK)
    collecting.channel.is_unavailable = True
    async with collecting.running():
        await asyncio.sleep(0)
        collecting.channel.is_unavailable = False
        await collecting.until_version("edge-1/0", 7)


async def test_workers_silent_for_a_day_are_removed(collecting: Collecting) -> None:
    collecting.say(ACK)
    async with collecting.running():
        await collecting.until_version("edge-1/0", 7)
    collecting.clock.advance(ms=25 * 3_600_000)

    async def is_forgotten() -> bool:
        return not await collecting.rows() and not collecting.channel.workers[LIVE]

    async with collecting.running():
        await until_async(is_forgotten)
