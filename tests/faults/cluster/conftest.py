"""One stack on a Redis Cluster whose primaries have a replica each, the event log on Redis Streams."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.stack import customer, kafka_bootstrap, own_folder, postgres, stack, traffic
from tests.support.redis_servers import ClusterOfRedis, started_cluster
from tests.support.servers import until_the_group_ends

__all__ = ["customer", "kafka_bootstrap", "own_folder", "postgres", "redis", "stack", "traffic"]


@pytest.fixture(scope="session")
def redis(own_folder: Path) -> Iterator[ClusterOfRedis]:
    yield from until_the_group_ends(
        started_cluster(own_folder / "redis-cluster", with_replicas=True)
    )
