"""`KafkaEventSource`: the event log on Apache Kafka, read in a consumer group."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError, TopicAlreadyExistsError

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.kafka_connection import KafkaConnection
from control.ports.events import EventSourceUnavailable, RawBatch, RawRecord

_CALL_S = 10.0
_COMMIT_S = 1.0
_COMMIT_EVERY_S = 1.0
_FETCH_BYTES = 16 << 20
"""Per partition: several full batches, because otherwise every other batch would be the rest of a fetch."""
_FETCH_WAIT_MS = 200
"""
How long the broker holds a fetch for which it has nothing; a new record ends the wait at once. Lookups of offsets queue
behind a held fetch, so a longer wait would delay a rebalance.
"""
_SLICE = 500
"""Fetched records returned at once: about a millisecond."""
_IDLE_MS = 300_000
"""aiokafka removes a consumer from the group when it has not polled for so long."""
_STAY_MS = 500
_SILENT_S = 10.0
"""A partition whose leader fails has another one sooner."""
_COPIES = 3
"""Replication of a topic created here, where there are enough brokers."""


class KafkaEventSource:
    """
    Connects at first use, and again after a failure. Reads start at the position of `seek`, never at Kafka's own
    committed offsets: those are written once a second for operators' tools.

    A broker that goes away shows as empty polls, and aiokafka retries by itself; after some seconds, its partitions are
    `silent`. Where aiokafka cannot continue, the
    error is raised once and the group is joined again. A member stays in the group while it lives, even where nothing
    is polled.
    A topic that was recreated and holds less than was stored is read from its beginning.
    """

    def __init__(
        self,
        kafka: KafkaConnection,
        channels: Channels,
        *,
        idle_ms: int = _IDLE_MS,
        silent_s: float = _SILENT_S,
    ) -> None:
        self._kafka = kafka
        self._idle_ms = idle_ms
        self._silent_s = silent_s
        self._topic = channels.log_topic
        self._group = channels.log_group
        self._consumer: AIOKafkaConsumer | None = None
        self._staying: asyncio.Task[None] | None = None
        self._connecting = asyncio.Lock()
        self._held: frozenset[int] = frozenset()
        self._sought: set[int] = set()
        self._lost: set[int] = set()
        self._responses: dict[int, _Response] = {}
        self._offsets: dict[TopicPartition, int] = {}
        self._committed_s = 0.0

    async def generation(self) -> str:
        return f"kafka/{self._topic}"

    async def assigned(self) -> frozenset[int]:
        await self._connected()
        found = self._held - self._lost
        self._lost.clear()
        return found

    async def seek(self, partition: int, after: int | None) -> None:
        consumer = await self._connected()
        place = TopicPartition(self._topic, partition)
        async with self._calling():
            first = (await consumer.beginning_offsets([place]))[place]
            end = (await consumer.end_offsets([place]))[place]
        if partition not in self._held:
            raise EventSourceUnavailable(
                f"partition {partition} was taken away while it was sought"
            )
        consumer.seek(place, first if after is None or after >= end else max(first, after + 1))
        consumer.resume(place)
        self._sought.add(partition)
        self._responses.pop(partition, None)

    async def poll(
        self, *, most: int, wait_ms: int, only: Collection[int] | None = None
    ) -> Sequence[RawBatch]:
        consumer = await self._connected()
        places = [
            TopicPartition(self._topic, one)
            for one in sorted(self._sought if only is None else self._sought.intersection(only))
        ]
        if not places:
            await asyncio.sleep(wait_ms / 1000)
            return []
        async with self._calling():
            found = await self._take_fetched(consumer, places, most)
            if not found:
                found = await consumer.getmany(*places, timeout_ms=wait_ms, max_records=most)
        self._note_responses(consumer, places, found)
        return [
            RawBatch(
                place.partition, tuple(RawRecord(one.offset, one.value or b"") for one in records)
            )
            for place, records in found.items()
            if records and place.partition in self._sought
        ]

    def silent(self) -> frozenset[int]:
        return frozenset(
            partition
            for partition, response in self._responses.items()
            if partition in self._sought and response.waited_s > self._silent_s
        )

    async def settle(self, partition: int, through: int, written: dict[str, int]) -> None:
        """*written* is not used: Kafka keeps what it acknowledged."""
        del written
        self._offsets[TopicPartition(self._topic, partition)] = through + 1
        now_s = asyncio.get_running_loop().time()
        if self._consumer is None or now_s - self._committed_s < _COMMIT_EVERY_S:
            return
        self._committed_s = now_s
        offsets = {
            place: offset
            for place, offset in self._offsets.items()
            if place.partition in self._held
        }
        if not offsets:  # a rebalance took all of them away, and aiokafka refuses an empty commit
            return
        with suppress(KafkaError, TimeoutError):
            async with asyncio.timeout(_COMMIT_S):
                await self._consumer.commit(offsets)

    async def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        staying, self._staying = self._staying, None
        if staying is not None:
            staying.cancel()
            await asyncio.wait([staying])
        if consumer is not None:
            self.take_away()
            with suppress(KafkaError, TimeoutError):
                async with asyncio.timeout(_CALL_S):
                    await consumer.stop()

    def _note_responses(
        self,
        consumer: AIOKafkaConsumer,
        places: Sequence[TopicPartition],
        found: Mapping[TopicPartition, Sequence[Any]],
    ) -> None:
        """
        Brokers respond to each fetch, also with no record. While fetched records wait here for a poll, nothing is
        fetched, so a poll that gives records counts as a response.
        """
        now_s = asyncio.get_running_loop().time()
        for place in places:
            if place.partition not in self._sought:
                continue
            at_ms: int | None = consumer.last_poll_timestamp(place)
            last = self._responses.get(place.partition)
            if last is None or last.at_ms != at_ms or found.get(place):
                self._responses[place.partition] = _Response(at_ms, now_s)
            else:
                last.waited_s = now_s - last.noted_s

    async def _take_fetched(
        self, consumer: AIOKafkaConsumer, places: Sequence[TopicPartition], most: int
    ) -> dict[TopicPartition, list[Any]]:
        """Takes an equal part of each partition: aiokafka's own poll would read one to its end before the next."""
        found: dict[TopicPartition, list[Any]] = {}
        for number, place in enumerate(places):
            part = (most - sum(map(len, found.values()))) // (len(places) - number)
            records = await self._take_of(consumer, place, part)
            if records:
                found[place] = records
        return found

    async def _take_of(
        self, consumer: AIOKafkaConsumer, place: TopicPartition, most: int
    ) -> list[Any]:
        """Takes records in slices, because aiokafka builds all records of a poll at once and blocks the event loop."""
        records: list[Any] = []
        while len(records) < most and place.partition in self._sought:
            wanted = min(_SLICE, most - len(records))
            got = await consumer.getmany(place, timeout_ms=0, max_records=wanted)
            records += got.get(place, ())
            if not got:
                break
            await asyncio.sleep(0)
        return records

    async def _connected(self) -> AIOKafkaConsumer:
        async with self._connecting:
            if self._staying is not None and self._staying.done():
                ended = self._staying
                await self.close()
                async with self._calling():
                    ended.result()
            if self._consumer is None:
                async with self._calling():
                    await self._ensure_topic()
                    self._consumer = await self._join()
                self._staying = asyncio.create_task(self._stay(self._consumer))
            return self._consumer

    async def _stay(self, consumer: AIOKafkaConsumer) -> None:
        """
        Runs until *consumer* cannot continue, which raises. aiokafka raises only in a poll, blocks until the error was
        raised, and removes consumers that do not poll from the group. So this polls a partition that does not exist.
        """
        nowhere = TopicPartition(self._topic, LOG_PARTITIONS)
        while True:
            await consumer.getmany(nowhere, timeout_ms=_STAY_MS)

    async def _join(self) -> AIOKafkaConsumer:
        consumer = AIOKafkaConsumer(
            **self._kafka.client_arguments(),
            client_rack=self._kafka.rack,
            group_id=self._group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=_FETCH_WAIT_MS,
            fetch_min_bytes=1,
            max_partition_fetch_bytes=_FETCH_BYTES,
            fetch_max_bytes=2 * _FETCH_BYTES,
            session_timeout_ms=6000,
            heartbeat_interval_ms=1000,
            request_timeout_ms=int(_CALL_S * 1000),
            metadata_max_age_ms=30_000,
            max_poll_interval_ms=self._idle_ms,
        )
        consumer.subscribe([self._topic], listener=_Listener(self, consumer))
        try:
            await consumer.start()
        except BaseException:
            await consumer.stop()
            raise
        return consumer

    async def _ensure_topic(self) -> None:
        admin = AIOKafkaAdminClient(**self._kafka.client_arguments())
        try:
            await admin.start()
            copies = min(_COPIES, len((await admin.describe_cluster())["brokers"]))
            with suppress(TopicAlreadyExistsError):
                await admin.create_topics([NewTopic(self._topic, LOG_PARTITIONS, copies)])
            described = (await admin.describe_topics([self._topic]))[0]
        finally:
            await admin.close()
        found = len(described["partitions"])
        if found not in (0, LOG_PARTITIONS):
            raise EventSourceUnavailable(
                f"Kafka topic {self._topic} has {found} partitions, {LOG_PARTITIONS} are needed: "
                "a client's records must stay in one. Name another namespace or make the topic anew."
            )

    @asynccontextmanager
    async def _calling(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(_CALL_S):
                yield
        except (KafkaError, TimeoutError, OSError) as error:
            raise EventSourceUnavailable(
                f"Kafka at {self._kafka.bootstrap} (PLACARD_KAFKA_BOOTSTRAP_SERVERS): {type(error).__name__}: {error}"
            ) from error

    def take_away(self) -> None:
        """Drops all partitions when a rebalance begins: aiokafka keeps reporting them as assigned until its end."""
        self._lost |= self._held
        self._held = frozenset()
        self._sought.clear()

    def deal(self, partitions: Collection[int]) -> None:
        """
        Sets the assigned partitions.

        Each must be sought again: aiokafka would read from Kafka's last committed offset.
        """
        self._held = frozenset(partitions)


@dataclass(slots=True)
class _Response:
    """``at_ms``: aiokafka's time of the last response to a fetch; None before the first."""

    at_ms: int | None
    noted_s: float
    waited_s: float = 0.0


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # aiokafka has no types
    """Pauses assigned partitions, so that none is read before it was sought."""

    def __init__(self, source: KafkaEventSource, consumer: AIOKafkaConsumer) -> None:
        self._source = source
        self._consumer = consumer

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        del revoked
        self._source.take_away()

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        self._consumer.pause(*assigned)
        self._source.deal({one.partition for one in assigned})
