"""The client both planes use, against a real server: bounded, and never deaf to its caller's cancellation."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import LEASE_ROLE
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S


class _AwayError(Exception):
    pass


@pytest.fixture
async def client(redis_server: RedisServer) -> AsyncIterator[Redis]:
    made = patient_redis(redis_server.url, connect_s=PATIENCE_S)
    yield made
    await made.aclose()


async def test_a_call_can_be_cancelled_at_every_step(client: Redis, namespace: str) -> None:
    cancelled = 0
    for steps in range(60):
        call = asyncio.create_task(_set_and_get(client, namespace))
        for _ in range(steps % 12):
            await asyncio.sleep(0)
        if call.cancel():
            await asyncio.wait({call})
            assert call.cancelled()
            cancelled += 1
    assert cancelled


async def test_a_cancelled_call_leaves_no_answer_for_the_next(
    client: Redis, namespace: str
) -> None:
    await client.set(f"{namespace}:old", b"old")
    await client.set(f"{namespace}:new", b"new")
    for steps in range(12):
        call = asyncio.ensure_future(client.get(f"{namespace}:old"))
        for _ in range(steps):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait({call})
        assert await client.get(f"{namespace}:new") == b"new"


async def test_a_server_that_does_not_answer_is_unavailable(client: Redis, namespace: str) -> None:
    with pytest.raises(_AwayError, match=r"no answer within 0\.05 s$"):
        async with answering(0.05, _AwayError):
            await client.blpop([namespace], timeout=0)


async def test_an_error_has_the_message_of_the_server(client: Redis, namespace: str) -> None:
    await client.set(namespace, b"no list")
    with pytest.raises(_AwayError, match="WRONGTYPE"):
        async with answering(PATIENCE_S, _AwayError):
            await client.lpush(namespace, b"x")


async def test_the_connection_of_a_server_that_became_a_replica_is_not_used_again(
    client: Redis, namespace: str
) -> None:
    before = await client.client_id()
    await client.execute_command("REPLICAOF", "127.0.0.1", "1")  # type: ignore[no-untyped-call]
    try:
        with pytest.raises(_AwayError, match="the server is a replica"):
            async with answering(PATIENCE_S, _AwayError):
                await client.set(namespace, b"x")
        assert await client.client_id() != before
    finally:
        await client.execute_command("REPLICAOF", "NO", "ONE")  # type: ignore[no-untyped-call]


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    client = patient_redis("unix:///nowhere/redis.sock", connect_s=PATIENCE_S)
    with pytest.raises(_AwayError, match=r"/nowhere/redis\.sock"):
        async with answering(PATIENCE_S, _AwayError):
            await client.ping()
    await client.aclose()


async def test_an_error_names_the_setting_of_the_servers_role() -> None:
    client = patient_redis("unix:///nowhere/redis.sock", connect_s=PATIENCE_S)
    with pytest.raises(_AwayError, match=r"^Redis \(PLACARD_LEASE_REDIS_URL, or else PLACARD_R"):
        async with answering(PATIENCE_S, _AwayError, setting=LEASE_ROLE):
            await client.ping()
    await client.aclose()


async def _set_and_get(client: Redis, namespace: str) -> None:
    async with answering(PATIENCE_S, _AwayError):
        for number in range(20):
            await client.set(f"{namespace}:{number}", number)
            await client.get(f"{namespace}:{number}")
