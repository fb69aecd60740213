"""The whole stack with its event log on Kafka, while Kafka is killed, hangs, or carries what nobody can read."""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.records_to_delete import RecordsToDelete

from common.service.channels import LOG_PARTITIONS, Channels
from deploy.standalone.background import Background
from deploy.standalone.child import ROOT
from tests.e2e.customer import eventually
from tests.faults.oracle import Traffic, database, dead_letters
from tests.faults.stack import NAMESPACE
from tests.support.servers import KafkaServer

TOPIC = Channels(NAMESPACE).log_topic
AWAY_S = 3.0
"""Longer than a batch waits before it is tried again."""


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


async def test_records_that_kafka_lost_are_sent_again_and_counted_once(
    traffic: Traffic, stack: Background, own_kafka: KafkaServer
) -> None:
    tokens = await traffic.serve(120)
    first = await traffic.track(tokens[:20])
    await traffic.check()
    (ingest,) = stack.pids_of("control", "ingest")
    os.kill(ingest, signal.SIGSTOP)
    ends = await _ends(own_kafka)
    second = await traffic.track(tokens[20:])
    await eventually(lambda: _grown(own_kafka, ends, 100))
    await _empty_topic(own_kafka)
    os.kill(ingest, signal.SIGCONT)
    assert first + second == Counter({204: 120})
    await traffic.check()
    assert await traffic.stored() == 120
    assert await eventually(lambda: _sent_again(stack)) > 0
    explained = await eventually(lambda: _explained(stack))
    assert "complete again" in explained


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


async def _sent_again(stack: Background) -> int | None:
    """As edges have told; a little after the records themselves are there."""
    async with database(stack) as connection:
        sent: int = await connection.fetchval(
            "select coalesce(sum(sent), 0)::bigint from writer_gaps"
        )
    return sent or None


async def _explained(stack: Background) -> str | None:
    """What `control reconcile --explain` prints, once nothing is missing."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "control", "reconcile", "--explain"],
        cwd=ROOT,
        env=stack.environment,
        capture_output=True,
        check=False,
    )
    return done.stdout.decode() if done.returncode == 0 else None


async def _ends(kafka: KafkaServer) -> dict[TopicPartition, int]:
    """Where each partition ends."""
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap)
    await consumer.start()
    places = [TopicPartition(TOPIC, number) for number in range(LOG_PARTITIONS)]
    found: dict[TopicPartition, int] = await consumer.end_offsets(places)
    await consumer.stop()
    return found


async def _grown(kafka: KafkaServer, before: dict[TopicPartition, int], count: int) -> bool | None:
    now = await _ends(kafka)
    return True if sum(now.values()) - sum(before.values()) >= count else None


async def _empty_topic(kafka: KafkaServer) -> None:
    ends = await _ends(kafka)
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    await admin.delete_records(
        {place: RecordsToDelete(before_offset=end) for place, end in ends.items()}
    )
    await admin.close()
