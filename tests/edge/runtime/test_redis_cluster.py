"""One round of an edge and ingest on a Redis Cluster: an ad is served, tracked, counted, and its event read."""

import asyncio
from pathlib import Path

from common.service.channels import LOG_PARTITIONS, Channels
from common.tracking.record import parse_record
from control.adapters.redis_stream_source import RedisStreamEventSource
from tests.faults.capped_world import capped_world
from tests.support.redis_servers import ClusterOfRedis
from tests.support.waiting import PATIENCE_S, until


async def test_an_event_of_a_capped_ad_is_counted_and_reaches_ingest(
    redis_cluster: ClusterOfRedis, namespace: str, tmp_path: Path
) -> None:
    source = RedisStreamEventSource(redis_cluster.url, Channels(namespace))
    async with capped_world(redis_cluster.url, namespace, tmp_path) as world:
        await world.see("anna")

        async def knows_anna() -> bool:
            return await world.one("mixed", "uid=anna") == "open"

        await until(knows_anna)
        await source.assigned()
        for partition in range(LOG_PARTITIONS):
            await source.seek(partition, None)
        found = list[str]()
        async with asyncio.timeout(PATIENCE_S):
            while world.capped not in found:
                for batch in await source.poll(most=100, wait_ms=200):
                    records = [parse_record(one.raw) for one in batch.records]
                    found += [str(getattr(one.body, "campaign_id", "")) for one in records]
    await source.close()
