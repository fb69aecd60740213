"""Commands that share pipelines, one for each node of a cluster: moved slots are followed, other failures are not."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.crc import key_slot

from common.service.redis_client import patient_redis
from common.service.redis_cluster import ClusterRedis
from common.values.clock import SystemClock
from edge.adapters.cluster_batcher import ClusterBatcher, open_batcher
from tests.support.redis_servers import ClusterOfRedis
from tests.support.waiting import PATIENCE_S

_ADD = "return redis.call('INCR', KEYS[1])"


class AwayError(Exception):
    pass


@pytest.fixture
async def batcher(redis_cluster: ClusterOfRedis) -> AsyncIterator[ClusterBatcher]:
    redis = patient_redis(redis_cluster.url, connect_s=PATIENCE_S)
    made = open_batcher(redis, SystemClock(), unavailable=AwayError, call_s=PATIENCE_S)
    assert isinstance(made, ClusterBatcher)
    yield made
    await made.close()


async def test_commands_of_one_moment_go_to_their_nodes(
    batcher: ClusterBatcher, namespace: str
) -> None:
    keys = [f"{namespace}:{number}" for number in range(50)]
    await asyncio.gather(*(batcher.call("SET", key, key) for key in keys))
    found = await asyncio.gather(*(batcher.call("GET", key) for key in keys))
    assert found == [key.encode() for key in keys]


async def test_a_command_runs_once_while_its_slot_moves(
    batcher: ClusterBatcher, redis_cluster: ClusterOfRedis, namespace: str
) -> None:
    keys = [f"{{{namespace}}}:{number}" for number in range(20)]
    slot, source = key_slot(namespace.encode()), redis_cluster.first_owner(keys[0])
    target = next(one for one in redis_cluster.primaries if one is not source)

    async def add() -> set[int]:
        """With other commands to both nodes at the same moment."""
        others = (batcher.call("GET", f"{namespace}:{number}") for number in range(20))
        adds = (batcher.call("EVAL", _ADD, 1, key) for key in keys)
        found = await asyncio.gather(*adds, *others)
        return set(found[: len(keys)])

    assert await add() == {1}
    redis_cluster.begin_migration(slot, source, target)
    assert await batcher.call("EVAL", _ADD, 1, f"{{{namespace}}}:new") == 1
    assert await add() == {2}
    redis_cluster.move_keys(slot, source, target)
    assert await add() == {3}
    redis_cluster.end_migration(slot, source, target)
    assert await add() == {4}
    redis_cluster.begin_migration(slot, target, source)
    redis_cluster.move_keys(slot, target, source)
    redis_cluster.end_migration(slot, target, source)
    assert await add() == {5}


async def test_an_error_of_the_server_is_no_redirection(
    batcher: ClusterBatcher, namespace: str
) -> None:
    with pytest.raises(AwayError, match="wrong number of arguments"):
        await batcher.call("SET", namespace)
    with pytest.raises(ValueError, match="no key"):
        await batcher.call("PING")


async def test_a_cluster_that_is_not_there_is_unavailable() -> None:
    redis = patient_redis("redis+cluster://127.0.0.1:1,127.0.0.1:2", connect_s=PATIENCE_S)
    assert isinstance(redis, ClusterRedis)
    batcher = open_batcher(redis, SystemClock(), unavailable=AwayError, call_s=PATIENCE_S)
    with pytest.raises(AwayError, match="no node of the cluster can be used"):
        await batcher.call("GET", "a")
    await batcher.close()
