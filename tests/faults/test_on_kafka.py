"""The whole stack with its event log on Kafka, while Kafka is killed, hangs, or carries what nobody can read."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer

from common.channels import LOG_PARTITIONS, Channels
from deploy.standalone.background import Background
from tests.e2e.customer import Customer
from tests.faults.conftest import NAMESPACE
from tests.faults.oracle import Traffic, dead_letters
from tests.support.servers import KafkaServer

TOPIC = Channels(NAMESPACE).log_topic
AWAY_S = 3.0
"""Longer than a batch waits before it is tried again."""


@pytest.fixture(scope="module")
def own_kafka(own_folder: Path) -> Iterator[KafkaServer]:
    server = KafkaServer(own_folder / "kafka")
    try:
        server.start()
        yield server
    finally:
        server.thaw()
        server.stop()


@pytest.fixture(scope="module")
def kafka_bootstrap(own_kafka: KafkaServer) -> str:
    return own_kafka.bootstrap


@pytest.fixture
async def traffic(stack: Background, customer: Customer) -> Traffic:
    return await Traffic.start(stack, customer)


async def test_a_killed_kafka_delays_events_and_stops_nothing(
    traffic: Traffic, own_kafka: KafkaServer
) -> None:
    tokens = await traffic.serve(200)
    first = await traffic.track(tokens[:80])
    own_kafka.kill()
    second = await traffic.track(tokens[80:140])
    await asyncio.sleep(AWAY_S)
    second += await traffic.track(tokens[140:170])
    await traffic.serve(20)
    own_kafka.start()
    third = await traffic.track(tokens[170:])
    assert first + second + third + await traffic.track(tokens) == Counter({204: 400})
    await traffic.check()
    assert await traffic.stored() == 200


async def test_a_frozen_kafka_delays_events_and_stops_nothing(
    traffic: Traffic, own_kafka: KafkaServer
) -> None:
    tokens = await traffic.serve(120)
    first = await traffic.track(tokens[:40])
    own_kafka.freeze()
    try:
        second = await traffic.track(tokens[40:80])
        await asyncio.sleep(AWAY_S)
        second += await traffic.track(tokens[80:])
        await traffic.serve(20)
    finally:
        own_kafka.thaw()
    assert first + second == Counter({204: 120})
    await traffic.check()


async def test_poison_in_the_topic_goes_to_the_dead_letters_and_holds_nothing_up(
    traffic: Traffic, stack: Background, own_kafka: KafkaServer
) -> None:
    tokens = await traffic.serve(60)
    poison = [b"\x00garbage", b"{", b'{"v":1,"edge":"x"}', b'{"v":99}']
    first = await traffic.track(tokens[:30])
    producer = AIOKafkaProducer(bootstrap_servers=own_kafka.bootstrap)
    await producer.start()
    placed = set()
    for number, raw in enumerate(poison):
        partition = number % LOG_PARTITIONS
        place = await producer.send_and_wait(TOPIC, raw, partition=partition)
        placed.add((partition, place.offset, raw))
    await producer.stop()
    assert first + await traffic.track(tokens[30:]) == Counter({204: 60})
    await traffic.check()
    found = await dead_letters(stack, poison)
    assert {one[:3] for one in found} == placed
    assert all(reason for *_, reason in found)
