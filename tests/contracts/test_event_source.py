"""What every event log promises ingest, on memory, Redis Streams and Kafka."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from typing import Protocol

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from redis.asyncio import Redis

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.kafka_connection import KafkaConnection
from common.service.redis_client import patient_redis
from control.adapters.kafka_source import KafkaEventSource
from control.adapters.redis_stream_source import RedisStreamEventSource
from control.ports.events import EventSource, EventSourceUnavailable, RawRecord
from tests.support.memory_source import MemoryEventSource
from tests.support.redis_servers import ClusterOfRedis
from tests.support.servers import KafkaServer, RedisServer
from tests.support.waiting import PATIENCE_S, until


class Log(Protocol):
    """The appending side, as the edge uses it, and another reader of the same log."""

    async def append(self, partition: int, raw: bytes) -> None: ...

    def source(self) -> EventSource: ...


class MemoryLog:
    def __init__(self) -> None:
        self._source = MemoryEventSource()

    async def append(self, partition: int, raw: bytes) -> None:
        self._source.append(partition, raw)

    def source(self) -> EventSource:
        return self._source


class RedisLog:
    def __init__(self, url: str, channels: Channels) -> None:
        self.url = url
        self.channels = channels.on(url)
        self.redis: Redis = patient_redis(url, connect_s=PATIENCE_S, protocol=2)

    async def append(self, partition: int, raw: bytes) -> None:
        await self.redis.xadd(self.channels.log_stream(partition), {"r": raw})

    def source(self) -> RedisStreamEventSource:
        return RedisStreamEventSource(self.url, self.channels)


class KafkaLog:
    def __init__(self, bootstrap: str, channels: Channels, producer: AIOKafkaProducer) -> None:
        self.bootstrap = bootstrap
        self.channels = channels
        self.producer = producer

    async def append(self, partition: int, raw: bytes) -> None:
        await self.producer.send_and_wait(self.channels.log_topic, raw, partition=partition)

    def source(self) -> KafkaEventSource:
        return KafkaEventSource(KafkaConnection(self.bootstrap), self.channels)


@pytest.fixture
async def redis_log(redis_server: RedisServer, namespace: str) -> AsyncIterator[RedisLog]:
    log = RedisLog(redis_server.url, Channels(namespace))
    yield log
    await log.redis.aclose()


@pytest.fixture
async def cluster_log(redis_cluster: ClusterOfRedis, namespace: str) -> AsyncIterator[RedisLog]:
    log = RedisLog(redis_cluster.url, Channels(namespace))
    yield log
    await log.redis.aclose()


@pytest.fixture
async def kafka_log(kafka: KafkaServer, namespace: str) -> AsyncIterator[KafkaLog]:
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")
    await producer.start()
    yield KafkaLog(kafka.bootstrap, Channels(namespace), producer)
    await producer.stop()


@pytest.fixture(params=["memory", "redis_log", "cluster_log", "kafka_log"])
def log(request: pytest.FixtureRequest) -> Log:
    found: Log = (
        MemoryLog() if request.param == "memory" else request.getfixturevalue(request.param)
    )
    return found


@pytest.fixture
async def source(log: Log) -> AsyncIterator[EventSource]:
    source = log.source()
    yield source
    await source.close()


async def _begin(source: EventSource, after: dict[int, int] | None = None) -> None:
    await until(lambda: _holds_all(source))
    for partition in range(LOG_PARTITIONS):
        await source.seek(partition, (after or {}).get(partition))


async def _holds_all(source: EventSource) -> bool:
    return await source.assigned() == frozenset(range(LOG_PARTITIONS))


async def _read(source: EventSource, many: int, *, most: int = 100) -> dict[int, list[RawRecord]]:
    found: dict[int, list[RawRecord]] = {}
    async with asyncio.timeout(PATIENCE_S):
        while sum(map(len, found.values())) < many:
            for batch in await source.poll(most=most, wait_ms=200):
                found.setdefault(batch.partition, []).extend(batch.records)
    return found


def _raws(found: dict[int, list[RawRecord]]) -> dict[int, list[bytes]]:
    return {partition: [one.raw for one in records] for partition, records in found.items()}


async def test_reads_each_partition_in_the_order_appended(log: Log, source: EventSource) -> None:
    await _begin(source)
    for number in range(20):
        await log.append(number % 3, b"%d" % number)
    found = await _read(source, 20)
    assert _raws(found) == {
        partition: [b"%d" % number for number in range(20) if number % 3 == partition]
        for partition in range(3)
    }
    for records in found.values():
        positions = [one.position for one in records]
        assert positions == sorted(set(positions))


async def test_reads_records_appended_before_it_started(log: Log, source: EventSource) -> None:
    await source.assigned()
    await log.append(2, b"early")
    await _begin(source)
    assert _raws(await _read(source, 1)) == {2: [b"early"]}


async def test_continues_after_the_given_position(log: Log, source: EventSource) -> None:
    await _begin(source)
    for number in range(6):
        await log.append(1, b"%d" % number)
    (records,) = (await _read(source, 6)).values()
    await source.seek(1, records[3].position)
    assert _raws(await _read(source, 2)) == {1: [b"4", b"5"]}


async def test_continues_without_the_settled_records(log: Log, source: EventSource) -> None:
    await _begin(source)
    for number in range(4):
        await log.append(0, b"%d" % number)
    (records,) = (await _read(source, 4)).values()
    await source.settle(0, records[2].position, {"edge/boot": 3})
    await source.seek(0, records[2].position)
    assert _raws(await _read(source, 1)) == {0: [b"3"]}


async def test_an_empty_log_gives_an_empty_poll(source: EventSource) -> None:
    await _begin(source)
    async with asyncio.timeout(PATIENCE_S):
        assert await source.poll(most=10, wait_ms=50) == []


async def test_many_records_of_a_partition_arrive_complete_and_in_order(
    log: Log, source: EventSource
) -> None:
    raws = [b"%d" % number for number in range(1_200)]
    await source.assigned()
    for first in range(0, len(raws), 50):
        await asyncio.gather(*(log.append(1, raw) for raw in raws[first : first + 50]))
    await _begin(source)
    found = await _read(source, len(raws), most=5_000)
    assert sorted(_raws(found)[1]) == sorted(raws)
    positions = [one.position for one in found[1]]
    assert positions == sorted(set(positions))


async def test_the_maximum_bounds_the_records_of_a_poll(log: Log, source: EventSource) -> None:
    await _begin(source)
    for number in range(30):
        await log.append(number % LOG_PARTITIONS, b"x")
    async with asyncio.timeout(PATIENCE_S):
        while True:
            batches = await source.poll(most=8, wait_ms=100)
            if batches:
                break
    assert 0 < sum(len(one.records) for one in batches) <= 8
    await _read(source, 30 - sum(len(one.records) for one in batches), most=8)


async def test_the_generation_stays_while_the_log_holds(log: Log, source: EventSource) -> None:
    await _begin(source)
    before = await source.generation()
    await log.append(0, b"x")
    await _read(source, 1)
    assert await source.generation() == before


async def test_one_of_two_redis_readers_has_a_partition(redis_log: RedisLog) -> None:
    first, second = redis_log.source(), redis_log.source()
    assert await first.assigned() == frozenset(range(LOG_PARTITIONS))
    assert await second.assigned() == frozenset()
    await first.close()
    await until(lambda: _holds_all(second))
    await second.close()


async def test_two_kafka_readers_share_the_partitions(kafka_log: KafkaLog) -> None:
    first, second = kafka_log.source(), kafka_log.source()
    await _begin(first)
    held: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    async with asyncio.timeout(PATIENCE_S):
        while [len(one) for one in held] != [2, 2]:
            held = (await first.assigned(), await second.assigned())
            await asyncio.sleep(0.05)
    assert held[0] | held[1] == frozenset(range(LOG_PARTITIONS))
    await first.close()
    await second.close()


async def test_a_kafka_reader_that_seeks_during_a_rebalance_reads_from_there(
    kafka_log: KafkaLog,
) -> None:
    """
    Other members join, and their rare heartbeats make each rebalance take a second or two, in which the reader polls
    all the time. Kafka assigns partition 0 to the first member in the order of client ids: the reader, each time.
    """
    source = KafkaEventSource(KafkaConnection(kafka_log.bootstrap, "1"), kafka_log.channels)
    came = asyncio.Queue[bytes]()

    async def follow() -> None:
        sought: frozenset[int] = frozenset()
        while True:
            sought &= await source.assigned()
            for partition in await source.assigned() - sought:
                with suppress(EventSourceUnavailable):
                    await source.seek(partition, None)
                    sought |= {partition}
            for batch in await source.poll(most=1_000, wait_ms=1):
                for one in batch.records:
                    came.put_nowait(one.raw)

    following = asyncio.create_task(follow())
    async with AsyncExitStack() as members:
        members.push_async_callback(source.close)
        members.callback(following.cancel)
        await until(lambda: _reads(kafka_log, came, b"alone"))
        for number in range(3):
            member = AIOKafkaConsumer(
                kafka_log.channels.log_topic,
                client_id=f"2-{number}",
                bootstrap_servers=kafka_log.bootstrap,
                group_id=kafka_log.channels.log_group,
                heartbeat_interval_ms=2_500,
            )
            members.push_async_callback(member.stop)
            await member.start()
            await until(lambda: _reads(kafka_log, came, b"of many"))


async def _reads(log: KafkaLog, came: asyncio.Queue[bytes], raw: bytes) -> bool:
    """Whether what is appended now comes."""
    await log.append(0, raw)
    try:
        async with asyncio.timeout(2):
            return await came.get() == raw
    except TimeoutError:
        return False


async def test_redis_drops_settled_records_and_keeps_their_writers(
    redis_log: RedisLog,
) -> None:
    source = redis_log.source()
    await _begin(source)
    for number in range(5):
        await redis_log.append(0, b"%d" % number)
    (records,) = (await _read(source, 5)).values()
    await source.settle(0, records[3].position, {"edge/boot": 4})
    assert await redis_log.redis.xlen(redis_log.channels.log_stream(0)) == 1
    assert await redis_log.redis.hgetall(redis_log.channels.log_settled) == {b"edge/boot": b"4"}
    await source.close()


async def test_a_redis_that_came_back_empty_has_another_generation(redis_log: RedisLog) -> None:
    source = redis_log.source()
    before = await source.generation()
    await redis_log.redis.delete(redis_log.channels.log_generation)

    async def changed() -> bool:
        return await source.generation() != before

    await until(changed)
    await source.close()


async def test_an_entry_without_a_record_is_returned_as_poison(redis_log: RedisLog) -> None:
    source = redis_log.source()
    await _begin(source)
    await redis_log.redis.xadd(redis_log.channels.log_stream(0), {"other": "x"})
    assert _raws(await _read(source, 1)) == {0: [b""]}
    await source.close()


async def test_a_frozen_redis_is_unavailable_soon(
    redis_log: RedisLog, redis_server: RedisServer
) -> None:
    source = redis_log.source()
    await _begin(source)
    redis_server.freeze()
    try:
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(EventSourceUnavailable):
                await source.poll(most=1, wait_ms=50)
    finally:
        redis_server.thaw()
    await until(lambda: _holds_all(source))
    await source.close()


async def test_an_absent_kafka_is_unavailable() -> None:
    source = KafkaEventSource(KafkaConnection("127.0.0.1:1"), Channels("nobody"))
    with pytest.raises(EventSourceUnavailable):
        await source.assigned()
    await source.close()


def test_partitions_follow_from_the_key_alone() -> None:
    """The rule of the appending side, held here because readers depend on it: one client, one partition."""
    assert zlib.crc32(b"client") % LOG_PARTITIONS == 1
