"""The event log in production: a Kafka topic, appended in whole batches, acknowledged by all replicas."""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from common.service.channels import LOG_PARTITIONS, partition_of
from common.service.kafka_connection import KafkaConnection
from common.tracking.event import LogRecord, WriterId
from common.tracking.record import EncodedRecord, raw_of
from edge.ports import EventLogUnavailable

_CALL_S = 8.0
_REQUEST_MS = 5_000
_BATCH_BYTES = 128 << 10
"""The client copies a batch several times and writes it in one go: half a megabyte blocked the loop for 10 ms."""
_CLOSE_S = 0.5
_COPIES = 3
"""Replicas of a topic created here, if there are as many brokers. An operator may have created it differently."""


class KafkaEventLog:
    """
    An idempotent producer, created when first needed and again after every failure.

    It is replaced because an abandoned batch has used its sequence numbers: the broker would refuse all later ones.
    Records that arrive twice because of that are stored once.
    """

    def __init__(self, kafka: KafkaConnection, topic: str) -> None:
        self._kafka = kafka
        self._topic = topic
        self._producer: AIOKafkaProducer | None = None
        self._opening = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()

    async def append(self, records: Sequence[LogRecord | EncodedRecord]) -> None:
        producer = None
        try:
            async with asyncio.timeout(_CALL_S):
                producer = await self._open()
                await self._send(producer, records)
        except (KafkaError, OSError, TimeoutError) as error:
            self._give_up(producer)
            raise EventLogUnavailable(
                f"Kafka at {self._kafka.bootstrap} (PLACARD_KAFKA_BOOTSTRAP_SERVERS): {error!r}"
            ) from error

    async def settled(self, writer: WriterId, appended: int) -> int:  # noqa: ARG002 - the port's
        """What all replicas acknowledged is settled."""
        return appended

    async def generation(self) -> str:
        return self._topic

    async def close(self) -> None:
        """Waits a moment for requests in progress; unsent records are still in the spool."""
        self._give_up(self._producer)
        if self._closing:
            await asyncio.wait(self._closing, timeout=_CLOSE_S)
        for task in self._closing:
            task.cancel()

    async def _open(self) -> AIOKafkaProducer:
        async with self._opening:
            if self._producer is None:
                await ensure_topic(self._kafka, self._topic)
                producer = AIOKafkaProducer(
                    **self._kafka.client_arguments(),
                    acks="all",
                    enable_idempotence=True,
                    max_batch_size=_BATCH_BYTES,
                    request_timeout_ms=_REQUEST_MS,
                    linger_ms=0,
                )
                try:
                    await producer.start()
                except BaseException:
                    self._put_away(producer)
                    raise
                self._producer = producer
            return self._producer

    async def _send(
        self, producer: AIOKafkaProducer, records: Sequence[LogRecord | EncodedRecord]
    ) -> None:
        batches: dict[int, Any] = {}
        sent: list[asyncio.Future[Any]] = []
        for record in records:
            key, raw = record.partition_key, raw_of(record)
            partition = partition_of(key)
            batch = batches.get(partition)
            if batch is None:
                batch = batches[partition] = producer.create_batch()
            if batch.append(key=key, value=raw, timestamp=None) is None:
                sent.append(await self._send_batch(producer, batch, partition))
                batch = batches[partition] = producer.create_batch()
                batch.append(key=key, value=raw, timestamp=None)
        for partition, batch in batches.items():
            sent.append(await self._send_batch(producer, batch, partition))
        await asyncio.gather(*sent)

    async def _send_batch(
        self, producer: AIOKafkaProducer, batch: Any, partition: int
    ) -> "asyncio.Future[Any]":
        batch.close()
        future: asyncio.Future[Any] = await producer.send_batch(
            batch, self._topic, partition=partition
        )
        future.add_done_callback(_classify)
        return future

    def _give_up(self, producer: AIOKafkaProducer | None) -> None:
        if producer is not None and producer is self._producer:
            self._producer = None
            self._put_away(producer)

    def _put_away(self, producer: AIOKafkaProducer) -> None:
        """Stops the producer in the background: stopping waits for requests in progress, up to their time limit."""
        task = asyncio.create_task(_stop(producer))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def ensure_topic(kafka: KafkaConnection, topic: str) -> None:
    """Creates *topic* if it is missing. Raises KafkaError, also if it has another number of partitions."""
    admin = AIOKafkaAdminClient(**kafka.client_arguments(), request_timeout_ms=_REQUEST_MS)
    try:
        await admin.start()
        found = await _find_partitions(admin, topic)
        if found is None:
            await _make(admin, topic)
        elif found != LOG_PARTITIONS:
            raise KafkaError(f"topic {topic} has {found} partitions, not {LOG_PARTITIONS}")
    finally:
        await admin.close()


async def _find_partitions(admin: AIOKafkaAdminClient, topic: str) -> int | None:
    for description in await admin.describe_topics([topic]):
        if description["error_code"] == 0:
            return len(description["partitions"])
    return None


async def _make(admin: AIOKafkaAdminClient, topic: str) -> None:
    brokers = (await admin.describe_cluster())["brokers"]
    copies = min(_COPIES, len(brokers))
    response = await admin.create_topics([NewTopic(topic, LOG_PARTITIONS, copies)])
    for _, code, *message in response.topic_errors:
        error = for_code(code)
        if code and error is not TopicAlreadyExistsError:
            raise error(*message)


async def _stop(producer: AIOKafkaProducer) -> None:
    with contextlib.suppress(KafkaError, OSError):
        await producer.stop()


def _classify(future: "asyncio.Future[Any]") -> None:
    """Retrieves a failure that no caller waits for any more: its records are still in the spool."""
    if not future.cancelled():
        future.exception()
