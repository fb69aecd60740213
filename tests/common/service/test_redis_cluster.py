"""The client of a Redis Cluster: it follows what the nodes say, and a node that hangs delays only its own keys."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import pytest
from redis.asyncio import Redis
from redis.asyncio.connection import ConnectionPool
from redis.crc import key_slot
from redis.exceptions import ClusterDownError, MovedError, RedisError
from redis.exceptions import ConnectionError as RedisConnectionError

from common.service.redis_client import answering, patient_redis
from common.service.redis_cluster import ClusterRedis
from tests.support.redis_servers import ClusterOfRedis
from tests.support.waiting import PATIENCE_S, until

_KEYS = [f"key{number}" for number in range(30)]


class _AwayError(Exception):
    pass


@asynccontextmanager
async def connected(cluster: ClusterOfRedis) -> AsyncIterator[ClusterRedis]:
    client = patient_redis(cluster.url, connect_s=PATIENCE_S)
    assert isinstance(client, ClusterRedis)
    try:
        yield client
    finally:
        await client.aclose()


@pytest.fixture
async def client(redis_cluster: ClusterOfRedis) -> AsyncIterator[ClusterRedis]:
    async with connected(redis_cluster) as made:
        yield made


async def test_each_command_goes_to_the_node_of_its_key(
    client: ClusterRedis, redis_cluster: ClusterOfRedis, namespace: str
) -> None:
    for key in _KEYS:
        await client.set(f"{namespace}:{key}", key)
    assert [await client.get(f"{namespace}:{key}") for key in _KEYS] == [
        key.encode() for key in _KEYS
    ]
    assert client.primaries == {one.address for one in redis_cluster.primaries}
    assert {redis_cluster.first_owner(f"{namespace}:{key}").port for key in _KEYS} == {
        one.port for one in redis_cluster.primaries
    }
    assert await client.ping()


async def test_a_pipeline_and_a_transaction_run_at_the_node_of_their_slot(
    client: ClusterRedis, namespace: str
) -> None:
    key = f"{{{namespace}}}"
    async with client.pipeline(transaction=False) as pipe:
        pipe.hset(f"{key}:a", "f", "1")
        pipe.hget(f"{key}:a", "f")
        pipe.info("server")
        *found, server = await pipe.execute()
    assert (found, "run_id" in server) == ([1, b"1"], True)
    async with client.pipeline(transaction=True) as pipe:
        pipe.set(f"{key}:b", "2")
        pipe.publish(f"{key}:channel", "x")
        pipe.get(f"{key}:b")
        assert await pipe.execute() == [True, 0, b"2"]


async def test_keys_of_different_slots_and_unknown_commands_are_refused(
    client: ClusterRedis,
) -> None:
    pipe = client.pipeline(transaction=False)
    pipe.get("a")
    pipe.get("b")
    with pytest.raises(ValueError, match="different hash slots"):
        await pipe.execute()
    with pytest.raises(ValueError, match="does not know the command KEYS"):
        await client.keys("*")
    with pytest.raises(_AwayError, match="slot"):
        async with answering(PATIENCE_S, _AwayError):
            await client.mget("a", "b")


async def test_what_is_published_at_one_node_reaches_a_subscriber_of_another(
    redis_cluster: ClusterOfRedis, namespace: str
) -> None:
    """Also where the URL names one node alone: the others are found."""
    client = patient_redis(
        redis_cluster.primaries[0].tcp_url.replace(":", "+cluster:", 1), connect_s=PATIENCE_S
    )
    assert isinstance(client, ClusterRedis)
    await client.pubsub().aclose()  # type: ignore[no-untyped-call]
    await client.search()
    subscribers = [client.pubsub() for _ in range(3)]
    for one in subscribers:
        await one.subscribe(namespace)
        assert (await one.get_message(timeout=PATIENCE_S))["type"] == "subscribe"
    pools = [one.connection_pool for one in subscribers]
    assert {pool.connection_kwargs["port"] for pool in pools} == {
        port for _, port in client.primaries
    }
    await client.publish(namespace, b"news")
    for one in subscribers:
        assert (await one.get_message(timeout=PATIENCE_S))["data"] == b"news"
        await one.aclose()  # type: ignore[no-untyped-call]
    await client.aclose()


async def test_the_move_of_a_slot_gives_no_error(
    client: ClusterRedis, redis_cluster: ClusterOfRedis, namespace: str
) -> None:
    """By ASK while its keys move, also over several connections at once, then by MOVED."""
    tag = f"{{{namespace}}}"
    slot, source = key_slot(tag[1:-1].encode()), redis_cluster.first_owner(tag)
    target = next(one for one in redis_cluster.primaries if one is not source)

    async def use(name: str) -> None:
        async with answering(PATIENCE_S, _AwayError):
            await client.set(f"{tag}:{name}", name)
            assert await client.get(f"{tag}:{name}") == name.encode()
            pipe = client.pipeline(transaction=False)
            pipe.hset(f"{tag}:{name}:hash", "f", "1")
            pipe.hgetall(f"{tag}:{name}:hash")
            assert (await pipe.execute())[1] == {b"f": b"1"}
            act = client.pipeline(transaction=True)
            act.set(f"{tag}:{name}:both", name)
            act.expire(f"{tag}:{name}:both", 60)
            await act.execute()
            assert (
                await client.eval("return KEYS[1]", 1, f"{tag}:{name}") == f"{tag}:{name}".encode()
            )

    async def use_all() -> None:
        await asyncio.gather(*(use(f"{number}") for number in range(20)))

    await use_all()
    redis_cluster.begin_migration(slot, source, target)
    try:
        await use_all()
        await use("new")
        redis_cluster.move_keys(slot, source, target)
        await use_all()
    finally:
        redis_cluster.end_migration(slot, source, target)
    await use_all()
    redis_cluster.begin_migration(slot, target, source)
    redis_cluster.move_keys(slot, target, source)
    redis_cluster.end_migration(slot, target, source)
    await use_all()


class _Node:
    """Gives out *owner* as the node of all slots, and responds to any other command with *answer*."""

    def __init__(
        self, owner: int, answer: bytes | RedisError, *, slots: list[object] | None = None
    ) -> None:
        self.connection_pool = ConnectionPool()
        self._slots = [[0, 16_383, [b"node", owner]]] if slots is None else slots
        self._answer = answer

    async def execute_command(self, *arguments: object, **_: object) -> object:
        if arguments == ("CLUSTER SLOTS",):
            return self._slots
        if isinstance(self._answer, RedisError):
            raise self._answer
        return self._answer

    async def aclose(self) -> None:
        pass


@pytest.mark.parametrize("error", [ClusterDownError("down"), RedisConnectionError("away")])
async def test_a_node_that_failed_is_asked_last_for_the_slots(error: RedisError) -> None:
    """One that the others lost may know only what was true before."""
    nodes = {1: _Node(1, error), 2: _Node(2, b"found")}
    cluster = ClusterRedis(
        [("node", 1), ("node", 2)], lambda address: cast(Redis, nodes[address[1]])
    )
    with pytest.raises(RedisConnectionError):
        await cluster.get("key")
    await until(lambda: _finds(cluster))
    await cluster.aclose()


async def _finds(cluster: ClusterRedis) -> bool:
    try:
        return bool(await cluster.get("key") == b"found")
    except RedisConnectionError:
        return False


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ([], "node:1 is in no cluster"),
        ([[0, 16_383, [b"?", 7]]], "a node of port 7 has no name"),
    ],
)
async def test_a_node_that_names_no_others_is_an_error(slots: list[object], message: str) -> None:
    cluster = ClusterRedis([("node", 1)], lambda _: cast(Redis, _Node(1, b"", slots=slots)))
    with pytest.raises(RedisConnectionError, match=message):
        await cluster.get("key")
    await cluster.aclose()


async def test_redirections_without_end_are_an_error() -> None:
    moved = MovedError(f"{key_slot(b'key')} node:1")
    cluster = ClusterRedis([("node", 1)], lambda _: cast(Redis, _Node(1, moved)))
    with pytest.raises(RedisConnectionError, match="without end"):
        await cluster.get("key")
    await cluster.aclose()
