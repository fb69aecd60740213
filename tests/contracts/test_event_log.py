"""What every event log must do for the spool, and how the real ones behave when their servers do not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition

from common.service.channels import LOG_PARTITIONS, Channels, partition_of
from common.service.kafka_connection import KafkaConnection
from common.service.redis_client import patient_redis
from common.tracking.event import LogRecord
from common.tracking.record import parse_record
from edge.adapters.kafka_events import KafkaEventLog, ensure_topic
from edge.adapters.redis_stream_events import RedisStreamEventLog
from edge.ports import EventLog, EventLogUnavailable
from tests.support.memory_events import MemoryEventLog
from tests.support.records import a_writer, some_records
from tests.support.redis_servers import redis_url_of
from tests.support.servers import KafkaServer, RedisServer
from tests.support.waiting import PATIENCE_S

Contents = Callable[[], Awaitable[dict[int, list[LogRecord]]]]
"""Partition to its records, in order."""


@dataclass(frozen=True, slots=True)
class Rig:
    log: EventLog
    contents: Contents


@pytest.fixture(params=["memory", "redis", "cluster", "kafka"])
async def rig(request: pytest.FixtureRequest, namespace: str) -> AsyncIterator[Rig]:
    channels = Channels(namespace)
    if request.param == "memory":
        made = _memory_rig()
    elif request.param != "kafka":
        url = redis_url_of(request)
        made = _redis_rig(url, channels.on(url))
    else:
        kafka: KafkaServer = request.getfixturevalue("kafka")
        made = await _kafka_rig(kafka.bootstrap, channels.log_topic)
    yield made
    await made.log.close()


def _memory_rig() -> Rig:
    log = MemoryEventLog()

    async def contents() -> dict[int, list[LogRecord]]:
        found: dict[int, list[LogRecord]] = {}
        for record in log.records:
            found.setdefault(partition_of(record.partition_key), []).append(record)
        return found

    return Rig(log, contents)


def _redis_rig(url: str, channels: Channels) -> Rig:
    async def contents() -> dict[int, list[LogRecord]]:
        redis = patient_redis(url, connect_s=2)
        found = {}
        for partition in range(LOG_PARTITIONS):
            entries: Any = await redis.xrange(channels.log_stream(partition))
            found[partition] = [parse_record(fields[b"r"]) for _, fields in entries]
        await redis.aclose()
        return found

    return Rig(RedisStreamEventLog.open(url, channels), contents)


async def _kafka_rig(bootstrap: str, topic: str) -> Rig:
    """A log with its topic, when each partition has a leader: an append that waits for one may exceed its limit."""

    async def contents() -> dict[int, list[LogRecord]]:
        consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest")
        await consumer.start()
        partitions = [TopicPartition(topic, number) for number in range(LOG_PARTITIONS)]
        consumer.assign(partitions)
        ends = await consumer.end_offsets(partitions)
        found = {}
        for tp in partitions:
            raw = [await consumer.getone(tp) for _ in range(ends[tp])]
            found[tp.partition] = [parse_record(message.value) for message in raw]
        await consumer.stop()
        return found

    await ensure_topic(KafkaConnection(bootstrap), topic)
    assert not any((await contents()).values())
    return Rig(KafkaEventLog(KafkaConnection(bootstrap), topic), contents)


def _flat(contents: dict[int, list[LogRecord]]) -> list[LogRecord]:
    everything = [record for records in contents.values() for record in records]
    return sorted(everything, key=lambda record: record.sequence)


async def test_an_appended_record_is_stored_unchanged(rig: Rig) -> None:
    records = some_records(50)
    await rig.log.append(records)
    assert _flat(await rig.contents()) == records


async def test_records_of_one_client_keep_their_order_in_one_partition(rig: Rig) -> None:
    records = some_records(400)
    await rig.log.append(records[:150])
    await rig.log.append(records[150:])
    contents = await rig.contents()
    for partition, found in contents.items():
        wanted = [r for r in records if partition_of(r.partition_key) == partition]
        assert found == wanted


async def test_a_batch_larger_than_a_message_may_be_arrives_whole(rig: Rig) -> None:
    records = some_records(3_000)
    await rig.log.append(records)
    assert len(_flat(await rig.contents())) == 3_000


async def test_concurrent_appends_all_arrive(rig: Rig) -> None:
    batches = [some_records(20) for _ in range(10)]
    await asyncio.gather(*(rig.log.append(batch) for batch in batches))
    writers = {record.writer for record in _flat(await rig.contents())}
    assert writers == {batch[0].writer for batch in batches}


async def test_nothing_is_settled_before_it_is_appended(rig: Rig) -> None:
    assert await rig.log.settled(a_writer(), 0) == 0


async def test_the_generation_is_constant_while_nothing_is_lost(rig: Rig) -> None:
    first = await rig.log.generation()
    await rig.log.append(some_records(1))
    assert await rig.log.generation() == first


async def test_kafka_settles_what_it_acknowledged(kafka: KafkaServer, namespace: str) -> None:
    log = KafkaEventLog(KafkaConnection(kafka.bootstrap), Channels(namespace).log_topic)
    await log.append(some_records(3))
    assert await log.settled(a_writer(), 3) == 3
    await log.close()


async def test_redis_settles_only_what_ingest_committed(
    redis_server: RedisServer, namespace: str
) -> None:
    channels = Channels(namespace)
    log = RedisStreamEventLog.open(redis_server.url, channels)
    redis = patient_redis(redis_server.url, connect_s=2)
    records = some_records(10)
    writer = records[0].writer
    await log.append(records)
    assert await log.settled(writer, 10) == 0
    await redis.hset(channels.log_settled, str(writer), "7")
    assert await log.settled(writer, 10) == 7
    await redis.aclose()
    await log.close()


async def test_two_logs_on_one_redis_agree_on_the_generation(
    redis_server: RedisServer, namespace: str
) -> None:
    logs = [RedisStreamEventLog.open(redis_server.url, Channels(namespace)) for _ in range(2)]
    assert await logs[0].generation() == await logs[1].generation()
    for log in logs:
        await log.close()


async def test_a_redis_that_came_back_empty_is_another_generation(
    own_redis: RedisServer, namespace: str
) -> None:
    log = RedisStreamEventLog.open(own_redis.url, Channels(namespace))
    before = await log.generation()
    own_redis.kill()
    own_redis.wipe()
    own_redis.start()
    assert await _until_answered(log) != before
    await log.close()


async def test_a_redis_that_restarted_with_its_data_is_another_generation(
    own_redis: RedisServer, namespace: str
) -> None:
    log = RedisStreamEventLog.open(own_redis.url, Channels(namespace))
    before = await log.generation()
    own_redis.kill()
    own_redis.start()
    assert await _until_answered(log) != before
    await log.close()


async def test_a_full_stream_refuses_until_ingest_has_trimmed_it(
    redis_server: RedisServer, namespace: str
) -> None:
    channels = Channels(namespace)
    redis = patient_redis(redis_server.url, connect_s=2)
    log = RedisStreamEventLog(redis, channels, max_entries=20)
    await log.append(some_records(200))
    with pytest.raises(EventLogUnavailable):
        await log.append(some_records(1))
    for partition in range(LOG_PARTITIONS):
        await redis.xtrim(channels.log_stream(partition), maxlen=0, approximate=False)
    await log.append(some_records(1))
    await log.close()


async def test_a_frozen_redis_is_unavailable_in_bounded_time(
    own_redis: RedisServer, namespace: str
) -> None:
    log = RedisStreamEventLog.open(own_redis.url, Channels(namespace))
    await log.append(some_records(1))
    own_redis.freeze()
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(EventLogUnavailable):
            await log.append(some_records(1))
        with pytest.raises(EventLogUnavailable):
            await log.settled(a_writer(), 1)
        with pytest.raises(EventLogUnavailable):
            await log.generation()
    own_redis.thaw()
    await log.close()


async def test_kafka_makes_its_topic_with_the_partitions_of_the_log(
    kafka: KafkaServer, namespace: str
) -> None:
    topic = Channels(namespace).log_topic
    await ensure_topic(KafkaConnection(kafka.bootstrap), topic)
    await ensure_topic(KafkaConnection(kafka.bootstrap), topic)
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap)
    await consumer.start()
    await consumer._client._wait_on_metadata(topic)
    assert consumer.partitions_for_topic(topic) == set(range(LOG_PARTITIONS))
    await consumer.stop()


async def test_a_kafka_that_is_not_there_is_unavailable() -> None:
    log = KafkaEventLog(KafkaConnection("127.0.0.1:1"), "absent.events")
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(EventLogUnavailable):
            await log.append(some_records(1))
    await log.close()


async def test_a_frozen_kafka_is_unavailable_in_bounded_time_and_used_again_after(
    own_kafka: KafkaServer, namespace: str
) -> None:
    rig = await _kafka_rig(own_kafka.bootstrap, Channels(namespace).log_topic)
    first, second = some_records(5), some_records(5)
    await rig.log.append(first)
    own_kafka.freeze()
    try:
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(EventLogUnavailable):
                await rig.log.append(second)
    finally:
        own_kafka.thaw()
    await _until_appended(rig.log, second)
    found = _flat(await rig.contents())
    assert {(r.writer, r.sequence) for r in found} == {
        (r.writer, r.sequence) for r in (*first, *second)
    }
    await rig.log.close()


async def _until_answered(log: EventLog) -> str:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                return await log.generation()
            except EventLogUnavailable:
                await asyncio.sleep(0.05)


async def _until_appended(log: EventLog, records: list[LogRecord]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                await log.append(records)
            except EventLogUnavailable:
                await asyncio.sleep(0.1)
            else:
                return
