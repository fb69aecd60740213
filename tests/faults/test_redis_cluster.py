"""An edge on a Redis Cluster, also while nodes hang or are lost: calls are answered in time, a replica takes over."""

import asyncio
from pathlib import Path
from statistics import median
from uuid import uuid4

import pytest

from common.service.channels import LOG_PARTITIONS, Channels
from common.tracking.record import parse_record
from control.adapters.redis_stream_source import RedisStreamEventSource
from tests.faults.capped_world import DEADLINE_S, World, capped_world
from tests.support.paced import paced, report
from tests.support.redis_servers import ClusterOfRedis, started_cluster
from tests.support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.faults
_PEOPLE = 30


async def all_people_see_the_capped_ad(world: World) -> bool:
    """New people, of whom each node has some."""
    calls = [world.serve("capped", f"uid={uuid4().hex}") for _ in range(_PEOPLE)]
    return world.outcomes(await paced(world.edge.port, calls, rate=_PEOPLE))["capped"] == _PEOPLE


async def test_a_frozen_node_hides_only_the_counts_of_its_own_people(
    redis_cluster: ClusterOfRedis,
    namespace: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    count, rate = 300, 100
    async with capped_world(redis_cluster.url, namespace, tmp_path) as world:
        await until(lambda: all_people_see_the_capped_ad(world))
        calls = [world.serve("mixed", f"uid={uuid4().hex}") for _ in range(count)]
        redis_cluster.primaries[0].freeze()
        try:
            during = await paced(world.edge.port, calls, rate=rate)
        finally:
            redis_cluster.primaries[0].thaw()
            redis_cluster.wait_until_whole()
        report(capsys, "serve with a uid, one of three nodes frozen", during)
        outcomes = world.outcomes(during)
        assert outcomes["capped"] + outcomes["open"] == count
        assert outcomes["capped"]
        assert outcomes["open"]
        assert median(one.late_s for one in during) < DEADLINE_S
        await until(lambda: all_people_see_the_capped_ad(world))


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_the_replica_of_a_lost_node_takes_over_without_a_restart(
    servers_folder: Path, namespace: str, tmp_path: Path, fault: str
) -> None:
    with started_cluster(servers_folder / f"cluster-{fault}", with_replicas=True) as cluster:
        async with capped_world(cluster.url, namespace, tmp_path) as world:
            await until(lambda: all_people_see_the_capped_ad(world))
            getattr(cluster.primaries[1], fault)()
            await until(lambda: all_people_see_the_capped_ad(world))
            await world.see(uuid4().hex)
            assert cluster.replicas[1].query("INFO", "replication")["role"] == "master"


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
