"""`control publish` and `control work` as an operator runs them: real processes on real servers."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from platform import python_version
from signal import SIGKILL, SIGTERM

import pytest_asyncio

from common.service.channels import Channels
from common.snapshot.messages import Delta, Heartbeat
from common.values.environment import Environment
from control.storage.database import Database
from edge.adapters.redis_snapshots import RedisSnapshotSource
from tests.control.delivery.snapshot_publishing.processes import running
from tests.control.delivery.snapshot_publishing.waiting import until_async
from tests.control.delivery.snapshot_publishing.world import World
from tests.support.servers import RedisServer

ROOT = Path(__file__).resolve().parents[4]


@pytest_asyncio.fixture
async def edge(redis_server: RedisServer, namespace: str) -> AsyncIterator[RedisSnapshotSource]:
    source = RedisSnapshotSource(redis_server.url, Channels(namespace), Environment.TEST)
    yield source
    await source.close()


async def until_head(edge: RedisSnapshotSource, version: int) -> Heartbeat:
    found: list[Heartbeat] = []

    async def is_there() -> bool:
        head = await edge.head()
        found[:] = [head] if head else []
        return head is not None and head.version == version

    await until_async(is_there)
    return found[0]


async def test_publish_sends_a_notification_of_a_commit(
    database: Database, settings: dict[str, str], edge: RedisSnapshotSource
) -> None:
    world = await World.make(database)
    async with running("publish", settings) as publish:
        await publish.until_leading()
        await until_head(edge, 1)
        full = await edge.full()
        assert full is not None
        assert len(full.entries) == 6
        subscription = edge.subscribe()
        assert isinstance(await anext(subscription), Heartbeat)
        world.slot.floor_cents = 77
        version = await world.save(world.slot)
        message = await anext(subscription)
        while not isinstance(message, Delta):
            message = await anext(subscription)
        await subscription.aclose()
        assert message.version == version
        assert [entry.id for entry in message.entries] == [world.slot.id]


async def test_the_second_publish_takes_over_when_the_first_is_killed(
    database: Database, settings: dict[str, str], edge: RedisSnapshotSource
) -> None:
    world = await World.make(database)
    async with running("publish", settings) as first:
        await first.until_leading()
        await until_head(edge, 1)
        async with running("publish", settings) as second:
            await second.until_ready()
            assert "placard_leader 0.0" in (await second.says("/metrics"))[1]
            await first.end(SIGKILL)
            world.slot.floor_cents = 78
            await world.save(world.slot)
            await until_head(edge, 2)
            deltas = await edge.deltas(1, 2)
            assert deltas is not None
            assert [delta.version for delta in deltas] == [2]


async def test_work_runs_its_jobs_and_ends_on_a_signal(settings: dict[str, str]) -> None:
    async with running("work", settings) as work:
        await work.until_leading()

        async def partitions_kept() -> bool:
            metrics = (await work.says("/metrics"))[1]
            counted = r'placard_job_runs_total{job="ensure_partitions",outcome="ok"} [1-9]'
            return re.search(counted, metrics) is not None

        await until_async(partitions_kept)
        metrics = (await work.says("/metrics"))[1]
        assert re.search(r'outcome="failed"} [1-9]', metrics) is None
        assert "process_resident_memory_bytes " in metrics
        assert re.search(
            rf'placard_build_info{{compiled="\w+",python="{python_version()}"', metrics
        )
        assert "_created" not in metrics
        assert 'placard_job_last_success_timestamp_seconds{job="ensure_partitions"}' in metrics
        assert (await work.says("/livez"))[0] == 200
        assert await work.end(SIGTERM) == 0


async def test_a_process_without_its_database_is_alive_and_not_ready(
    settings: dict[str, str],
) -> None:
    nowhere = {"PLACARD_DATABASE_URL": "postgresql://placard@/placard?host=/tmp/pl-nowhere"}
    async with running("publish", settings | nowhere) as publish:

        async def lives() -> bool:
            return (await publish.says("/livez"))[0] == 200

        await until_async(lives)
        status, text = await publish.says("/readyz")
        assert status == 503
        assert "PLACARD_DATABASE_URL" in text
        assert await publish.end(SIGTERM) == 0
