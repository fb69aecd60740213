"""Shipping to a real Redis that is killed, frozen and comes back empty: nothing that was not committed is lost."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import RedisError

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.redis_client import patient_redis
from common.tracking.record import parse_record
from edge.adapters.redis_stream_events import RedisStreamEventLog
from edge.spool.ship import Shipper
from edge.spool.spool import Spool
from tests.support.records import a_writer
from tests.support.servers import RedisServer
from tests.support.spools import fill, segments_of
from tests.support.waiting import PATIENCE_S

CHANNELS = Channels("ship")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    server.start()
    yield server
    server.thaw()
    server.stop()


@pytest.fixture
async def spool(tmp_path: Path) -> AsyncIterator[Spool]:
    made = Spool.open(tmp_path / "spool", a_writer(), max_bytes=1 << 20, sync_ms=1)
    yield made
    await made.close()


@asynccontextmanager
async def shipping(spool: Spool, server: RedisServer) -> AsyncIterator[Shipper]:
    log = RedisStreamEventLog.open(server.url, CHANNELS)
    shipper = Shipper(spool, log, linger_s=0.002, settle_s=0.02)
    task = asyncio.create_task(shipper.run())
    try:
        yield shipper
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await log.close()


async def in_redis(server: RedisServer) -> set[int]:
    """Sequences the streams hold; empty while Redis is away."""
    client = patient_redis(server.url, connect_s=2)
    found: set[int] = set()
    try:
        for partition in range(LOG_PARTITIONS):
            entries: Any = await client.xrange(CHANNELS.log_stream(partition))
            found |= {parse_record(fields[b"r"]).sequence for _, fields in entries}
    except (RedisError, OSError):
        return set()
    finally:
        await client.aclose()
    return found


async def until_in_redis(server: RedisServer, wanted: set[int]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not wanted <= await in_redis(server):  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.02)


async def commit(server: RedisServer, spool: Spool, through: int) -> None:
    """As ingest does it."""
    client = patient_redis(server.url, connect_s=2)
    await client.hset(CHANNELS.log_settled, str(spool.writer), str(through))
    await client.aclose()


async def test_a_redis_that_came_back_empty_gets_the_uncommitted_records(
    redis: RedisServer, spool: Spool
) -> None:
    async with shipping(spool, redis) as shipper:
        await fill(spool, 60)
        await until_in_redis(redis, set(range(1, 61)))
        await commit(redis, spool, 20)
        async with asyncio.timeout(PATIENCE_S):
            while shipper.settled < 20:  # noqa: ASYNC110 - it moves by itself
                await asyncio.sleep(0.01)
        redis.kill()
        redis.wipe()
        await fill(spool, 5)
        redis.start()
        await until_in_redis(redis, set(range(21, 66)))
    assert min(await in_redis(redis)) == 21


async def test_records_appended_while_redis_is_away_arrive_later(
    redis: RedisServer, spool: Spool
) -> None:
    async with shipping(spool, redis):
        redis.kill()
        await fill(spool, 40)
        redis.start()
        await until_in_redis(redis, set(range(1, 41)))


async def test_a_frozen_redis_delays_no_append(redis: RedisServer, spool: Spool) -> None:
    async with shipping(spool, redis):
        await fill(spool, 1)
        await until_in_redis(redis, {1})
        redis.freeze()
        async with asyncio.timeout(5):
            await fill(spool, 200)
        redis.thaw()
        await until_in_redis(redis, set(range(1, 202)))


async def test_only_records_committed_by_ingest_free_disk_space(
    redis: RedisServer, spool: Spool, tmp_path: Path
) -> None:
    async with shipping(spool, redis) as shipper:
        for _ in range(5):
            await fill(spool, 100)
        await until_in_redis(redis, set(range(1, 501)))
        before = len(segments_of(tmp_path / "spool"))
        await commit(redis, spool, 500)
        async with asyncio.timeout(PATIENCE_S):
            while shipper.settled < 500:  # noqa: ASYNC110 - it moves by itself
                await asyncio.sleep(0.01)
    assert (before > 1, len(segments_of(tmp_path / "spool"))) == (True, 1)
