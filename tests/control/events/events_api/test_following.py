"""Five readers of the feed, by pages and by streams, while twenty writers write and three processes ingest."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiokafka import AIOKafkaProducer

from common.service.channels import LOG_PARTITIONS, Channels
from common.tracking.event import LogRecord
from common.tracking.record import encode_record
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import Edge, World
from tests.support.event_stream import listening
from tests.support.servers import KafkaServer
from tests.support.waiting import PATIENCE_S

STREAM = "/v1/integration/events/stream"
WRITERS, INGESTERS = 20, 3


async def test_every_client_sees_every_row_once_in_one_order(reader: Reader, world: World) -> None:
    each = 60
    queues: list[asyncio.Queue[list[LogRecord]]] = [asyncio.Queue() for _ in range(INGESTERS)]

    async def write(number: int) -> None:
        edge, random, left = Edge(world), Random(number), each
        while left:
            count = min(left, random.randint(1, 8))
            await queues[number % INGESTERS].put([edge.event() for _ in range(count)])
            left -= count
            await asyncio.sleep(0)

    async def ingest(partition: int) -> None:
        """As a consumer does: what waits goes into one transaction."""
        queue = queues[partition]
        while True:
            records = await queue.get()
            while not queue.empty() and len(records) < 20:
                records += queue.get_nowait()
            await world.ingest(records, partition=partition)

    total = WRITERS * each
    readers = [asyncio.create_task(one) for one in _readers(reader, total)]
    ingesters = [asyncio.create_task(ingest(partition)) for partition in range(INGESTERS)]
    await asyncio.gather(*(write(number) for number in range(WRITERS)))
    seen = await asyncio.gather(*readers)
    for task in ingesters:
        task.cancel()

    await _assert_whole(world, seen, total)


@pytest.mark.long
async def test_every_client_sees_every_row_once_while_three_processes_ingest_from_kafka(
    reader: Reader, world: World, kafka: KafkaServer, namespace: str, tmp_path: Path
) -> None:
    each = 1000
    channels = Channels(namespace)
    producer = AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all")

    async def write(number: int) -> None:
        edge, random = Edge(world), Random(number)
        for sent in range(each):
            raw = encode_record(edge.event())
            await producer.send(channels.log_topic, raw, partition=number % LOG_PARTITIONS)
            if not sent % 20:
                await asyncio.sleep(random.random() / 20)

    total = WRITERS * each
    async with AsyncExitStack() as running:
        for number in range(INGESTERS):
            folder = tmp_path / str(number)
            folder.mkdir()
            settings = _settings(reader, folder) | {
                "PLACARD_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap,
                "PLACARD_NAMESPACE": namespace,
            }
            await running.enter_async_context(_ingesting(settings))
        await producer.start()
        readers = [asyncio.create_task(one) for one in _readers(reader, total)]
        await asyncio.gather(*(write(number) for number in range(WRITERS)))
        await producer.flush()
        seen = await asyncio.gather(*readers)
        await producer.stop()

    await _assert_whole(world, seen, total)


def _readers(reader: Reader, total: int) -> list[Any]:
    return [
        _by_pages(reader, total, limit=100),
        _by_pages(reader, total, limit=25),
        _by_stream(reader, total, most=total),
        _by_stream(reader, total, most=150),
        _by_both(reader, total),
    ]


async def _by_pages(reader: Reader, total: int, *, limit: int) -> list[str]:
    seen: list[str] = []
    cursor = "earliest"
    while len(seen) < total:
        page = await reader.get(cursor=cursor, limit=limit)
        seen += [event["id"] for event in page["data"]]
        cursor = page["next_cursor"]
    return seen + (await reader.drain(cursor))[0]


async def _by_stream(reader: Reader, total: int, *, most: int) -> list[str]:
    """Loses the connection after *most* events, again and again, and comes back with the last id."""
    seen: list[str] = []
    position: dict[str, str] = {}
    query = {"cursor": "earliest"}
    while len(seen) < total:
        async with listening(reader.api.http, STREAM, reader.headers | position, **query) as stream:
            events = await stream.take(min(most, total - len(seen)))
        seen += [event["id"] for event in events]
        position = {"Last-Event-ID": stream.last_id}
    return seen + (await reader.drain(stream.last_id))[0]


async def _by_both(reader: Reader, total: int) -> list[str]:
    """Pages and streams by turns, with one cursor."""
    seen: list[str] = []
    cursor = "earliest"
    while len(seen) < total:
        page = await reader.get(cursor=cursor)
        seen += [event["id"] for event in page["data"]]
        cursor = page["next_cursor"]
        if len(seen) == total:
            break
        async with listening(reader.api.http, STREAM, reader.headers, cursor=cursor) as stream:
            seen += [event["id"] for event in await stream.take(min(100, total - len(seen)))]
        cursor = stream.last_id
    return seen + (await reader.drain(cursor))[0]


async def _assert_whole(world: World, seen: Sequence[list[str]], total: int) -> None:
    stored = [str(row.id) for row in await world.events()]
    assert len(stored) == len(set(stored)) == total
    assert [one == stored for one in seen] == [True] * 5


@asynccontextmanager
async def _ingesting(settings: dict[str, str]) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "control", "ingest"),
        env={**os.environ, **settings},  # noqa: TID251 - a child needs the whole environment
    )
    try:
        yield process
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _settings(reader: Reader, folder: Path) -> dict[str, str]:
    shared = reader.api.control.settings
    return {
        "PLACARD_DATABASE_URL": shared.database_url,
        "PLACARD_REDIS_URL": shared.redis_url,
        "PLACARD_KEY_FILE": str(shared.key_file),
        "PLACARD_STATE": str(folder),
        "PLACARD_CONTROL_URL": shared.control_url,
        "PLACARD_EDGE_LIVE_URL": shared.edge_live_url,
        "PLACARD_EDGE_TEST_URL": shared.edge_test_url,
        "PLACARD_INTERNAL_PORT": "0",
    }
