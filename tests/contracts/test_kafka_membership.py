"""A Kafka reader recovers by itself where its client library would stay stuck."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from aiokafka.errors import InconsistentGroupProtocolError
from aiokafka.protocol.group import LeaveGroupRequest

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.kafka_connection import KafkaConnection
from control.adapters.kafka_source import KafkaEventSource
from control.ports.events import EventSourceUnavailable
from tests.support.servers import KafkaServer
from tests.support.waiting import until

_IDLE_MS = 1_000
_SILENT_S = 2.0


class Reading:
    """Takes what the log deals to it and reads it, as a consumer of ingest does."""

    def __init__(self, source: KafkaEventSource) -> None:
        self.source = source
        self.raws: set[bytes] = set()
        self.troubles: list[str] = []
        self._sought: frozenset[int] = frozenset()

    async def step(self) -> None:
        try:
            self._sought &= await self.source.assigned()
            for partition in await self.source.assigned() - self._sought:
                await self.source.seek(partition, None)
                self._sought |= {partition}
            for batch in await self.source.poll(most=1_000, wait_ms=50):
                self.raws |= {one.raw for one in batch.records}
        except EventSourceUnavailable as error:
            self.troubles.append(str(error))
            self._sought = frozenset()

    async def holds_all(self) -> bool:
        await self.step()
        return len(self._sought) == LOG_PARTITIONS

    async def comes(self, raw: bytes) -> bool:
        await self.step()
        return raw in self.raws


@pytest.fixture
async def producer(kafka: KafkaServer) -> AsyncIterator[AIOKafkaProducer]:
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")
    await producer.start()
    yield producer
    await producer.stop()


@pytest.fixture
async def reading(kafka: KafkaServer, namespace: str) -> AsyncIterator[Reading]:
    source = KafkaEventSource(
        KafkaConnection(kafka.bootstrap), Channels(namespace), idle_ms=_IDLE_MS
    )
    yield Reading(source)
    await source.close()


async def test_a_reader_continues_after_the_database_was_away_longer_than_members_may_idle(
    reading: Reading, producer: AIOKafkaProducer, namespace: str
) -> None:
    topic = Channels(namespace).log_topic
    await reading.step()
    await producer.send_and_wait(topic, b"before", partition=0)
    await until(lambda: reading.comes(b"before"))
    await asyncio.sleep(3 * _IDLE_MS / 1000)
    await producer.send_and_wait(topic, b"after", partition=0)
    await until(lambda: reading.comes(b"after"))


async def test_a_reader_continues_after_a_member_with_another_assignor_had_the_group(
    reading: Reading, producer: AIOKafkaProducer, kafka: KafkaServer, namespace: str
) -> None:
    """Kafka refuses a join that does not go with the members there are: an error that aiokafka waits to tell."""
    channels = Channels(namespace)
    await reading.step()
    await producer.send_and_wait(channels.log_topic, b"before", partition=0)
    await until(lambda: reading.comes(b"before"))
    async with AsyncExitStack() as members:
        await until(lambda: _takes_over(kafka, channels, members))
        await until(lambda: _is_troubled(reading))
    await producer.send_and_wait(channels.log_topic, b"after", partition=0)
    await until(lambda: reading.comes(b"after"))


async def test_partitions_of_a_broker_that_does_not_respond_are_silent(
    own_kafka: KafkaServer, namespace: str
) -> None:
    connection = KafkaConnection(own_kafka.bootstrap)
    source = KafkaEventSource(connection, Channels(namespace), silent_s=_SILENT_S)
    reading = Reading(source)

    async def is_silent() -> bool:
        await reading.step()
        return len(source.silent()) == LOG_PARTITIONS

    async def responds() -> bool:
        await reading.step()
        return not source.silent()

    await until(reading.holds_all)
    own_kafka.freeze()
    try:
        await until(is_silent)
    finally:
        own_kafka.thaw()
    await until(responds)
    await source.close()


class _Otherwise(RoundRobinPartitionAssignor):  # type: ignore[misc]  # aiokafka has no types
    name = "otherwise"


async def _is_troubled(reading: Reading) -> bool:
    await reading.step()
    return bool(reading.troubles)


async def _takes_over(kafka: KafkaServer, channels: Channels, members: AsyncExitStack) -> bool:
    """
    Whether a member with another assignor has replaced those of the group; *members* then stops it. Kafka refuses it if
    one of them joins again first.
    """
    async with AsyncExitStack() as joining:
        member = AIOKafkaConsumer(
            channels.log_topic,
            bootstrap_servers=kafka.bootstrap,
            group_id=channels.log_group,
            partition_assignment_strategy=(_Otherwise,),
        )
        joining.push_async_callback(member.stop)
        await _put_out(kafka, channels.log_group)
        try:
            await member.start()
        except InconsistentGroupProtocolError:
            return False
        members.push_async_exit(joining.pop_all())
        return True


async def _put_out(kafka: KafkaServer, group: str) -> None:
    """All members, as if they had been silent for too long."""
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    try:
        (described,) = await admin.describe_consumer_groups([group])
        for member in described.groups[0][5]:
            await admin._send_request(LeaveGroupRequest(group, member[0]))
    finally:
        await admin.close()
