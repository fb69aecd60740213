"""Faults under traffic, the event log on Kafka: seconds of them in every run, minutes by `make test-faults`."""

import pytest

from deploy.standalone.background import Background
from tests.faults.oracle import Traffic
from tests.faults.storm import (
    Storm,
    breaking_kafka,
    breaking_postgres,
    breaking_redis,
    ingest_pool,
    killing_workers,
)
from tests.support.servers import KafkaServer, PostgresServer, RedisServer

MINUTES = pytest.mark.faults
LONG_S = 120.0


@pytest.mark.parametrize("seconds", [10.0, pytest.param(LONG_S, marks=MINUTES)])
async def test_three_ingest_processes_that_come_and_go_count_everything_once(
    traffic: Traffic, stack: Background, seconds: float
) -> None:
    with ingest_pool(stack) as pool:
        await Storm(traffic, seconds).rage([pool.disturb], every_s=2.5)


@pytest.mark.parametrize("seconds", [6.0, pytest.param(LONG_S, marks=MINUTES)])
async def test_edge_workers_killed_one_after_the_other_lose_nothing(
    traffic: Traffic, stack: Background, seconds: float
) -> None:
    await Storm(traffic, seconds).rage([killing_workers(stack)], every_s=2.0)


@MINUTES
async def test_a_kafka_killed_and_frozen_again_and_again_loses_nothing(
    traffic: Traffic, own_kafka: KafkaServer
) -> None:
    await Storm(traffic, LONG_S).rage([breaking_kafka(own_kafka, away_s=10.0)], every_s=5.0)


@MINUTES
async def test_all_of_it_at_once_loses_nothing(
    traffic: Traffic,
    stack: Background,
    own_kafka: KafkaServer,
    redis: RedisServer,
    postgres: PostgresServer,
) -> None:
    with ingest_pool(stack) as pool:
        faults = [
            pool.disturb,
            killing_workers(stack),
            breaking_kafka(own_kafka),
            breaking_redis(redis),
            breaking_postgres(postgres),
        ]
        await Storm(traffic, 2 * LONG_S).rage(faults)
