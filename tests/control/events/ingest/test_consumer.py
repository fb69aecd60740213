"""The loop from the log into the store: it goes on where the last commit stood, whatever went away."""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiokafka import AIOKafkaProducer
from prometheus_client import CollectorRegistry
from redis.asyncio import Redis
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.kafka_connection import KafkaConnection
from common.tracking.event import LogRecord
from common.tracking.record import encode_record
from common.values.clock import FixedClock, SystemClock
from control.adapters.kafka_source import KafkaEventSource
from control.adapters.redis_stream_source import RedisStreamEventSource
from control.events.ingest import fault_run
from control.events.ingest.consumer import Consumer
from control.events.ingest.fault_run import EveryRecordFails
from control.events.ingest.metrics import IngestMetrics
from control.events.ingest.parsed_records import Arrival, Event
from control.events.ingest.sequences import take_new
from control.events.ingest.store import Poll, Store
from control.ports.events import EventSource
from control.storage.database import Database
from control.storage.migrate import migrate
from tests.control.events.ingest.world import Edge, World
from tests.support.memory_source import MemoryEventSource
from tests.support.servers import KafkaServer, PostgresServer, RedisServer
from tests.support.waiting import until


def a_consumer(
    source: EventSource,
    world: World,
    *,
    batch: int = 100,
    registry: CollectorRegistry | None = None,
    store: Store | None = None,
) -> Consumer[Poll]:
    return Consumer(
        source,
        store or world.store(),
        clock=SystemClock(),
        metrics=IngestMetrics(registry or CollectorRegistry()),
        batch=batch,
        wait_ms=20,
    )


@asynccontextmanager
async def consuming(
    source: EventSource, world: World, *, batch: int = 100, store: Store | None = None
) -> AsyncIterator[Consumer[Poll]]:
    consumer, stop = a_consumer(source, world, batch=batch, store=store), asyncio.Event()
    task = asyncio.create_task(consumer.run(stop))
    try:
        yield consumer
    finally:
        stop.set()
        await task
        await source.close()


async def stored(world: World, count: int) -> None:
    """Waits until *count* events are stored."""

    async def found() -> bool:
        return len(await world.events()) >= count

    await until(found)


async def holds(fact: Callable[[], bool]) -> None:
    """Waits until *fact* is true."""

    async def found() -> bool:
        return fact()

    await until(found)


async def add_to_redis(redis: Redis, channels: Channels, records: Sequence[LogRecord]) -> None:
    for record in records:
        partition = zlib.crc32(record.partition_key) % LOG_PARTITIONS
        await redis.xadd(channels.log_stream(partition), {"r": encode_record(record)})


async def test_a_new_consumer_continues_after_the_last_commit(world: World, edge: Edge) -> None:
    source = MemoryEventSource()
    for _ in range(5):
        source.append(0, encode_record(edge.event()))
    async with consuming(source, world):
        await stored(world, 5)
    source.is_unavailable = False
    source.append(0, encode_record(edge.event()))
    consumer = a_consumer(source, world)
    assert await consumer.step() == 1
    assert len(await world.events()) == 6


async def test_a_fault_does_not_end_a_consumer(world: World, edge: Edge) -> None:
    source, faults = MemoryEventSource(), [RuntimeError("a fault"), RuntimeError("another")]

    async def take(session: AsyncSession, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        if faults:
            raise faults.pop()
        return await take_new(session, arrivals)

    source.append(3, encode_record(edge.event()))
    store = Store(world.database, world.clock, world.flush, take=take)
    async with consuming(source, world, store=store) as consumer:
        await stored(world, 1)
        await holds(lambda: consumer.error is None)
    assert not faults


class Faulty:
    """Takes new records. ``fails``: whether it fails on these."""

    def __init__(self, fails: Callable[[Sequence[Arrival]], bool]) -> None:
        self.fails = fails

    async def take(self, session: AsyncSession, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        if self.fails(arrivals):
            raise KeyError("a fault")
        return await take_new(session, arrivals)

    def store(self, world: World) -> Store:
        return Store(world.database, world.clock, world.flush, take=self.take)


class OwnLog(MemoryEventSource):
    """A log that no other test reads."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.name = world.another_log()

    async def generation(self) -> str:
        return self.name


async def letters(world: World, log: OwnLog) -> int:
    query = "select count(*) from dead_letters where source = :source"
    return int((await world.rows(query, source=log.name))[0][0])


async def test_records_stay_in_the_log_where_every_one_fails(world: World, edge: Edge) -> None:
    source, faulty = OwnLog(world), Faulty(lambda _: True)
    for number in range(30):
        source.append(number % 3, encode_record(edge.event()))
    async with consuming(source, world, store=faulty.store(world)) as consumer:
        await holds(lambda: "EveryRecordFails" in (consumer.error or ""))
        await asyncio.sleep(0.5)  # it tries again meanwhile
        assert (await letters(world, source), await world.events()) == (0, [])
        faulty.fails = lambda _: False
        await stored(world, 30)
        await holds(lambda: consumer.error is None)
    assert await letters(world, source) == 0


async def test_a_fault_of_all_events_is_found_between_counters_that_can_be_stored(
    world: World, edge: Edge
) -> None:
    source = OwnLog(world)
    faulty = Faulty(lambda arrivals: any(isinstance(one, Event) for one in arrivals))
    consumer = a_consumer(source, world, store=faulty.store(world))
    for number in range(19):
        source.append(number % 3, encode_record(edge.event()))
        source.append(3, encode_record(edge.counter([])))
        await consumer.step()
    source.append(0, encode_record(edge.event()))
    with pytest.raises(EveryRecordFails):
        await consumer.step()
    assert await letters(world, source) == 19


async def test_a_fault_of_all_records_is_found_where_one_partition_is_read(
    world: World, edge: Edge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a process that reads one partition: more records fail before it stops, and the others stay."""
    monkeypatch.setattr(fault_run, "MOST_OF_ONE", 30)
    source, faulty = OwnLog(world), Faulty(bool)
    for _ in range(50):
        source.append(1, encode_record(edge.event()))
    async with consuming(source, world, store=faulty.store(world)) as consumer:
        await holds(lambda: "EveryRecordFails" in (consumer.error or ""))
        lost = await letters(world, source)
        assert 0 < lost < 30
        faulty.fails = lambda _: False
        await stored(world, 50 - lost)
        await holds(lambda: consumer.error is None)
    assert await letters(world, source) == lost


async def test_many_faulty_records_of_one_partition_hold_up_no_other(
    world: World, edge: Edge
) -> None:
    source = OwnLog(world)
    faulty = Faulty(lambda arrivals: any(one.partition == 1 for one in arrivals))
    for _ in range(100):
        source.append(1, encode_record(edge.event()))
    async with consuming(source, world, store=faulty.store(world)):
        source.append(2, encode_record(edge.event()))
        await stored(world, 1)

        async def are_letters() -> bool:
            return await letters(world, source) == 100

        await until(are_letters)


async def test_faulty_records_become_dead_letters_once_another_can_be_stored(
    world: World, edge: Edge
) -> None:
    source = OwnLog(world)
    good = edge.event()
    faulty = Faulty(lambda arrivals: any(one.sequence != good.sequence for one in arrivals))
    for number in range(30):
        source.append(number % 3, encode_record(edge.event()))
    async with consuming(source, world, store=faulty.store(world)) as consumer:
        await holds(lambda: "EveryRecordFails" in (consumer.error or ""))
        source.append(3, encode_record(good))
        await stored(world, 1)
        await holds(lambda: consumer.error is None)
    assert await letters(world, source) == 30


async def test_a_log_is_read_further_after_an_outage(world: World, edge: Edge) -> None:
    source = MemoryEventSource()
    source.is_unavailable = True
    async with consuming(source, world) as consumer:
        await holds(lambda: "unavailable" in (consumer.error or ""))
        source.append(1, encode_record(edge.event()))
        source.is_unavailable = False
        await stored(world, 1)
        await holds(lambda: consumer.error is None)


async def test_partitions_without_a_response_are_an_error_while_others_are_read(
    world: World, edge: Edge
) -> None:
    source, registry = MemoryEventSource(), CollectorRegistry()
    consumer = a_consumer(source, world, registry=registry)

    def errors() -> float | None:
        return registry.get_sample_value("placard_ingest_backend_errors_total")

    source.silent_ones = frozenset({1, 2})
    source.restart_empty()  # another log has positions of its own
    source.append(3, encode_record(edge.event()))
    assert await consumer.step() == 1
    assert (consumer.error or "").endswith("partitions 1, 2.")
    assert errors() == 1
    source.silent_ones = frozenset()
    await consumer.step()
    assert consumer.error is None
    assert errors() == 1


async def test_committed_records_are_settled(world: World, edge: Edge) -> None:
    source = MemoryEventSource()
    source.append(0, encode_record(edge.event()))
    source.append(2, encode_record(edge.event()))
    async with consuming(source, world):
        await holds(lambda: source.settled.get(str(edge.writer)) == 2)


async def test_a_database_that_was_killed_gets_everything_once(servers_folder: Path) -> None:
    server = PostgresServer(servers_folder / "ingest-pg")
    server.start()
    try:
        url = server.new_database()
        await migrate(url)
        database = Database(url)
        world = await World(database).open()
        campaign = await world.add_campaign()
        edge, source = Edge(world), MemoryEventSource()
        async with consuming(source, world, batch=10) as consumer:
            for number in range(200):
                source.append(number % 4, encode_record(edge.event(campaign)))
                if number == 100:
                    await stored(world, 50)
                    server.kill()
            await holds(lambda: "PostgreSQL" in (consumer.error or ""))
            server.start()
            await stored(world, 200)
        assert await world.spent_micros(campaign) == 200_000
        await database.close()
    finally:
        server.stop()


async def test_a_redis_that_came_back_empty_is_read_again_and_counted_once(
    servers_folder: Path, world: World, edge: Edge, namespace: str
) -> None:
    server, channels = RedisServer(servers_folder / "ingest-redis"), Channels(namespace)
    server.start()
    redis: Redis = Redis.from_url(server.url, protocol=2)
    campaign = await world.add_campaign()
    records = [edge.event(campaign) for _ in range(60)]
    try:
        async with consuming(RedisStreamEventSource(server.url, channels), world):
            await add_to_redis(redis, channels, records[:30])
            await stored(world, 30)
            await redis.connection_pool.disconnect()
            server.kill()
            server.wipe()
            server.start()
            # The edge sends again what it was not told to be settled.
            await add_to_redis(redis, channels, records[10:])
            await stored(world, 60)

            async def all_settled() -> bool:
                return await redis.hget(channels.log_settled, str(edge.writer)) == b"60"

            await until(all_settled)
        assert await world.spent_micros(campaign) == 60_000
        assert len(await world.events()) == 60
    finally:
        await redis.aclose()
        server.stop()


async def test_consumers_that_come_and_go_on_kafka_count_each_event_once(
    kafka: KafkaServer, world: World, namespace: str
) -> None:
    channels, edge = Channels(namespace), Edge(world)
    campaign = await world.add_campaign()
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")

    async def send(count: int) -> None:
        for number in range(count):
            raw = encode_record(edge.event(campaign))
            await producer.send(channels.log_topic, raw, partition=number % LOG_PARTITIONS)
        await producer.flush()

    async with consuming(
        KafkaEventSource(KafkaConnection(kafka.bootstrap), channels), world, batch=20
    ) as first:
        await holds(lambda: first.error is None)
        await producer.start()
        await send(200)
        async with consuming(
            KafkaEventSource(KafkaConnection(kafka.bootstrap), channels), world, batch=20
        ):
            await send(200)
            await stored(world, 400)
        await send(200)
        await stored(world, 600)
    await producer.stop()
    assert await world.spent_micros(campaign) == 600_000
    assert len(await world.events()) == 600


@pytest.fixture
async def late_world(ingest_database: Database) -> World:
    return await World(ingest_database, FixedClock(SystemClock().now_ms())).open()


async def test_a_recreated_kafka_topic_is_read_from_its_beginning(
    kafka: KafkaServer, late_world: World, namespace: str
) -> None:
    """Positions of the old topic lie beyond its end."""
    channels, edge = Channels(namespace), Edge(late_world)
    source = KafkaEventSource(KafkaConnection(kafka.bootstrap), channels)
    generation = await source.generation()
    async with late_world.database.service() as session:
        await session.execute(
            text("insert into ingest_positions values (:source, 0, 1000)"), {"source": generation}
        )
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")
    async with consuming(source, late_world) as consumer:
        await holds(lambda: consumer.error is None)
        await producer.start()
        await producer.send_and_wait(channels.log_topic, encode_record(edge.event()), partition=0)
        await stored(late_world, 1)
    await producer.stop()
