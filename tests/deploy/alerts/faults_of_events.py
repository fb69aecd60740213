"""Faults of events: records that cannot be decoded, that never arrive, or that no sum contains."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from common.service.channels import LOG_PARTITIONS
from tests.deploy.alerts.world import World
from tests.support.waiting import until

_EVENTS = 50
_LACKING = """
insert into writer_hours (writer, hour, appended, stored, duplicates, dead)
values ('edge-gone/1', date_trunc('hour', now()) - interval '3 hours', 10, 9, 0, 0)
"""


@asynccontextmanager
async def a_record_is_damaged(world: World) -> AsyncIterator[None]:
    async with world.redis() as redis:
        await redis.xadd(world.channels.log_stream(0), {b"r": b"no record"})
    yield


@asynccontextmanager
async def a_sum_lacks_a_record(world: World) -> AsyncIterator[None]:
    await world.execute(_LACKING)
    try:
        yield
    finally:
        await world.execute("delete from writer_hours where writer = 'edge-gone/1'")


@asynccontextmanager
async def a_disk_and_the_log_are_lost(world: World) -> AsyncIterator[None]:
    """Redis loses the log before ingest reads it, and then an edge its disk, from which it would send it again."""
    async with world.second_edge() as edge, world.redis() as redis:
        streams = [world.channels.log_stream(partition) for partition in range(LOG_PARTITIONS)]
        mark = edge.folder.name.encode()

        async def has_shipped() -> bool:
            found: list[Any] = [await redis.xrange(stream) for stream in streams]
            return any(mark in record[b"r"] for entries in found for _, record in entries)

        traffic = world.traffic_of(edge)
        await traffic.until_it_serves()
        with world.on.stack.frozen("ingest"):
            await traffic.show(_EVENTS)
            await until(has_shipped)
            await redis.delete(*streams)
            await traffic.show(_EVENTS)
            await until(has_shipped)
            edge.kill()
            edge.wipe()
        yield
