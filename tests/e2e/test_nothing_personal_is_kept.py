"""After a reader was served, shown and clicked: their address, agent, id and page stand nowhere that is kept."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
from aiokafka import AIOKafkaConsumer, TopicPartition
from redis.asyncio import Redis

from common.service.channels import LOG_PARTITIONS, Channels
from deploy.standalone.background import Background
from tests.e2e.customer import Customer, eventually

ADDRESS = "203.0.113.177"
"""Its network may stand there; the address itself nowhere."""
ENVIRONMENTS = ("live", "test")
_READ = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "stream": ("XRANGE", "-", "+"),
    "zset": ("ZRANGE", "0", "-1"),
    "set": ("SMEMBERS",),
    "list": ("LRANGE", "0", "-1"),
}
"""By type of key: the command that gives all of it."""


async def test_address_agent_uid_and_page_of_a_visitor_are_stored_nowhere(
    stack: Background, customer: Customer
) -> None:
    mark = uuid4().hex
    secrets = [ADDRESS, f"agent{mark}", f"reader{mark}", f"page{mark}", f"string{mark}"]
    for environment in ENVIRONMENTS:
        await _read(customer, environment, mark)

    found, searched = [], set()
    async for place, content in _everything(stack):
        found += [f"{secret} in {place}" for secret in secrets if secret.encode() in content]
        if customer.property_id.encode() in content:
            searched.add(place.partition(":")[0])

    assert found == []
    assert searched >= {"file", "postgres", *(["kafka"] if _kafka(stack) else [])}


async def _read(customer: Customer, environment: str, mark: str) -> None:
    """A consented reader behind one proxy sees an ad and clicks it."""
    slot = f"{environment}-{mark[:8]}"
    slot_id = await customer.make_slot(slot)
    campaign_id = await customer.run_campaign(environment, slot_ids=(slot_id,))
    await customer.serve_until_filled(environment, campaign_id, slot=slot)
    reader = {
        "User-Agent": f"Mozilla/5.0 (X11; Linux x86_64; rv:144.0; agent{mark}) Gecko/20100101 Firefox/144.0",
        "X-Forwarded-For": ADDRESS,
        "Referer": f"https://shop.example/page{mark}?string{mark}",
        "X-Service-Key": customer.text(f"pk_{environment}"),
    }
    requested = {
        "slot": slot,
        "gdpr": "0",
        "uid": f"reader{mark}",
        "url": f"https://shop.example/page{mark}?string{mark}",
    }
    edge = customer.edge(environment)
    served = await customer.http.get(f"{edge}/v1/serve", params=requested, headers=reader)
    ad = served.json()
    body = {"token": ad["track_token"], "event": "impression"}
    tracked = await customer.http.post(f"{edge}/v1/track", json=body, headers=reader)
    clicked = await customer.http.get(ad["click_url"], headers=reader)
    assert (served.status_code, tracked.status_code, clicked.status_code) == (200, 204, 302)

    async def ask() -> bool | None:
        events = await customer.events(environment)
        kinds = [e["kind"] for e in events if e["campaign_id"] == ad["campaign_id"]]
        return True if {"impression", "click"} <= set(kinds) else None

    await eventually(ask)


async def _everything(stack: Background) -> AsyncIterator[tuple[str, bytes]]:
    """What the stack keeps, piece by piece: its files, Redis, Kafka, PostgreSQL."""
    for path, content in await asyncio.to_thread(lambda: list(_files(stack.state))):
        yield f"file:{path}", content
    async for piece in _redis(stack):
        yield piece
    if _kafka(stack):
        async for piece in _log(stack):
            yield piece
    async for piece in _tables(stack):
        yield piece


def _files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            try:
                yield path, path.read_bytes()
            except FileNotFoundError:  # a segment that was shipped meanwhile
                continue


async def _redis(stack: Background) -> AsyncIterator[tuple[str, bytes]]:
    namespace = stack.environment["PLACARD_NAMESPACE"]
    redis: Any = Redis.from_url(stack.environment["PLACARD_REDIS_URL"])
    async for key in redis.scan_iter(f"{namespace}:*"):
        kind = (await _ask(redis, "TYPE", key)).decode()
        if kind in _READ:
            name, *rest = _READ[kind]
            yield f"redis:{key!r}", key + repr(await _ask(redis, name, key, *rest)).encode()
    await redis.aclose()


async def _ask(redis: Redis, *words: str | bytes) -> Any:
    return await redis.execute_command(*words)  # type: ignore[no-untyped-call]  # has no types


def _kafka(stack: Background) -> str:
    return stack.environment.get("PLACARD_KAFKA_BOOTSTRAP_SERVERS", "")


async def _log(stack: Background) -> AsyncIterator[tuple[str, bytes]]:
    channels = Channels(stack.environment["PLACARD_NAMESPACE"])
    parts = [
        TopicPartition(topic, number)
        for topic in (channels.log_topic, channels.decisions.log_topic)
        for number in range(LOG_PARTITIONS)
    ]
    consumer = AIOKafkaConsumer(
        bootstrap_servers=_kafka(stack), enable_auto_commit=False, auto_offset_reset="earliest"
    )
    await consumer.start()
    try:
        consumer.assign(parts)
        ends = await consumer.end_offsets(parts)
        await consumer.seek_to_beginning(*parts)
        while any([await consumer.position(one) < ends[one] for one in parts]):
            for one, records in (await consumer.getmany(timeout_ms=500)).items():
                for record in records:
                    yield f"kafka:{one.topic}", (record.key or b"") + (record.value or b"")
    finally:
        await consumer.stop()


async def _tables(stack: Background) -> AsyncIterator[tuple[str, bytes]]:
    connection = await asyncpg.connect(stack.environment["PLACARD_DATABASE_URL"])
    try:
        tables = await connection.fetch(
            "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
        )
        for (table,) in tables:
            rows = await connection.fetch(f'select t::text from "{table}" t')  # noqa: S608 - from the catalogue
            yield f"postgres:{table}", "\n".join(row[0] for row in rows).encode()
    finally:
        await connection.close()
