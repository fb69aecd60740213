"""A repeated call of a mailing, on a real store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.snapshot.model import Budget
from common.values.clock import SystemClock
from common.values.environment import Environment
from edge.adapters.redis_mails import RedisMailStore
from tests.edge.email.mail_world import Sender, a_body, a_mail_ad, a_mail_slot, a_sender
from tests.support.builders import a_campaign, a_snapshot
from tests.support.memory_mails import MemoryMailStore
from tests.support.servers import RedisServer

_PEOPLE = [{"ref": f"r{number}", "uid": f"u{number}"} for number in range(20)]


@asynccontextmanager
async def _sender_on(
    redis_server: RedisServer, namespace: str, folder: Path
) -> AsyncIterator[tuple[Sender, Redis]]:
    store = _store(redis_server, namespace)
    async with (
        patient_redis(redis_server.url, connect_s=30) as redis,
        a_sender(folder, mails=store) as sender,
    ):
        yield sender, redis
    await store.close()


def _store(redis_server: RedisServer, namespace: str) -> RedisMailStore:
    channels = Channels(namespace)
    return RedisMailStore.open(redis_server.url, channels, Environment.LIVE, SystemClock())


async def test_parallel_repeats_get_the_same_bytes(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    async with _sender_on(redis_server, namespace, tmp_path) as (sender, _):
        body = a_body(recipients=_PEOPLE)
        answers = await asyncio.gather(*(sender.post(body) for _ in range(100)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    replayed = [answer.headers.get("idempotent-replayed") for answer in answers]
    assert replayed.count("true") == 99
    assert not any("idempotency-lost" in answer.headers for answer in answers)


async def test_workers_that_prepare_at_once_choose_each_mail_once(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    async with _sender_on(redis_server, namespace, tmp_path / "1") as (sender, _):
        other = _store(redis_server, namespace)
        async with a_sender(tmp_path / "2", mails=other) as second:
            second.edge.snapshots.adopt(sender.edge.snapshots.current(), confirmed_ms=0)
            bodies = [a_body(recipients=people) for people in (_PEOPLE, _PEOPLE[::-1])]
            answers = await asyncio.gather(
                *(one.post(body, key=sender.key) for one in (sender, second) for body in bodies)
            )
        await other.close()

    items = [{item["ref"]: item for item in answer.json()["items"]} for answer in answers]
    assert all(one == items[0] for one in items)


async def test_a_repeat_is_what_it_was_after_the_ad_changed(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    async with _sender_on(redis_server, namespace, tmp_path) as (sender, _):
        first = await sender.post(a_body())
        campaign = a_campaign()
        snapshot = sender.edge.snapshots.current()
        keys = snapshot.keys_by_hash.values()
        other = a_snapshot(sender.slot, campaign, a_mail_ad(campaign), *keys, version=2)
        sender.edge.snapshots.adopt(other, confirmed_ms=0)
        repeated = await sender.post(a_body())
        sender.edge.mail_memory.templates.clear()
        without_memory = await sender.post(a_body())
        more = await sender.prepare(recipients=[{"ref": "r1"}, {"ref": "r2"}])

    assert repeated.content == without_memory.content == first.content
    assert more["items"][0] == first.json()["items"][0]
    assert more["items"][1]["ad_id"] != first.json()["items"][0]["ad_id"]


async def test_a_repeat_after_the_store_was_emptied_says_so(
    redis_server: RedisServer, namespace: str, tmp_path: Path
) -> None:
    async with _sender_on(redis_server, namespace, tmp_path) as (sender, redis):
        first = await sender.post(a_body())
        async for name in redis.scan_iter(f"{namespace}:*"):
            await redis.delete(name)
        repeated = await sender.post(a_body())
        again = await sender.post(a_body())

        newer = _store(redis_server, namespace)
        assert await newer.check_history(sender.edge.clock.now_ms()), "a new worker learns it, too"
        assert not await newer.check_history(sender.edge.clock.now_ms() + 86_400_001)
        await newer.close()

    assert "idempotency-lost" not in first.headers
    assert repeated.headers["idempotency-lost"] == "true"
    assert repeated.json()["items"][0]["click_url"] != first.json()["items"][0]["click_url"]
    assert "idempotency-lost" not in again.headers
    assert again.content == repeated.content


async def test_a_new_store_has_lost_nothing(redis_server: RedisServer, namespace: str) -> None:
    store = _store(redis_server, namespace)
    assert [await store.check_history(now_ms) for now_ms in (10**12, 10**12 + 1)] == [False, False]
    await store.close()


async def test_nothing_is_prepared_while_the_store_is_unavailable(tmp_path: Path) -> None:
    store = MemoryMailStore()
    budget = Budget(total_micros=10_000_000, daily_micros=None)
    async with a_sender(tmp_path, mails=store, budget=budget) as sender:
        store.is_unavailable = True
        response = await sender.post(a_body())

    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert sender.edge.metrics.decisions == {}


async def test_sends_slots_and_properties_are_apart(tmp_path: Path) -> None:
    lower = a_mail_slot(key="lower")
    async with a_sender(tmp_path, lower) as sender:
        calls: list[dict[str, Any]] = [
            {},
            {"send_id": "tuesday"},
            {"slot": "lower"},
            {"recipients": [{"ref": "r2"}]},
        ]
        items = [(await sender.prepare(**call))["items"][0] for call in calls]

    assert len({item["click_url"] for item in items}) == 4
