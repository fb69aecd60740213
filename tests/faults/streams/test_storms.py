"""Minutes of faults under traffic, the event log on Redis Streams: run by `make test-faults`."""

import pytest

from deploy.standalone.background import Background
from tests.faults.oracle import Traffic
from tests.faults.storm import (
    Storm,
    breaking_postgres,
    breaking_redis,
    ingest_pool,
    killing_workers,
)
from tests.support.servers import PostgresServer, RedisServer

LONG_S = 120.0


@pytest.mark.faults
async def test_a_redis_that_comes_back_empty_or_hangs_again_and_again_loses_nothing(
    traffic: Traffic, redis: RedisServer
) -> None:
    await Storm(traffic, LONG_S).rage([breaking_redis(redis)], every_s=3.0)


@pytest.mark.faults
async def test_a_postgresql_killed_again_and_again_loses_nothing(
    traffic: Traffic, postgres: PostgresServer
) -> None:
    await Storm(traffic, LONG_S).rage([breaking_postgres(postgres)], every_s=3.0)


@pytest.mark.faults
async def test_all_of_it_at_once_loses_nothing(
    traffic: Traffic, stack: Background, redis: RedisServer, postgres: PostgresServer
) -> None:
    with ingest_pool(stack) as pool:
        faults = [
            pool.disturb,
            killing_workers(stack),
            breaking_redis(redis),
            breaking_postgres(postgres),
        ]
        await Storm(traffic, 2 * LONG_S).rage(faults)
