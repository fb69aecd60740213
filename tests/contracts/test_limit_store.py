"""What every store of the machines' shares of rate limits must do."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from common.service.channels import Channels
from common.values.environment import Environment
from edge.adapters.redis_limits import RedisLimitStore
from edge.state.limit_store import LimitStore, LimitStoreUnavailable
from tests.support.redis_servers import redis_url_of


@pytest.fixture(params=["redis", "cluster"])
def url(request: pytest.FixtureRequest) -> str:
    return redis_url_of(request)


@pytest.fixture
async def store(url: str, namespace: str) -> AsyncIterator[LimitStore]:
    made = RedisLimitStore.open(url, Channels(namespace), Environment.LIVE)
    yield made
    await made.close()


async def test_what_was_stored_is_read(store: LimitStore) -> None:
    empty = await store.read()
    assert (empty.version, empty.raw) == ("", b"")
    assert await store.replace("", b"table")
    stored = await store.read()
    assert stored.raw == b"table"
    assert stored.version
    assert stored.now_ms >= empty.now_ms > 0


async def test_a_table_that_another_machine_changed_is_not_replaced(store: LimitStore) -> None:
    assert await store.replace("", b"first")
    first = await store.read()
    assert await store.replace(first.version, b"second")

    assert not await store.replace(first.version, b"third")
    assert (await store.read()).raw == b"second"


async def test_of_concurrent_machines_one_replaces_the_table(store: LimitStore) -> None:
    replaced = await asyncio.gather(*(store.replace("", b"mine") for _ in range(20)))
    assert sum(replaced) == 1


async def test_the_environments_have_tables_of_their_own(
    store: LimitStore, url: str, namespace: str
) -> None:
    other = RedisLimitStore.open(url, Channels(namespace), Environment.TEST)
    await store.replace("", b"live")
    assert (await other.read()).raw == b""
    await other.close()


async def test_an_unavailable_store_raises(namespace: str) -> None:
    away = RedisLimitStore.open("redis://127.0.0.1:1/0", Channels(namespace), Environment.LIVE)
    with pytest.raises(LimitStoreUnavailable):
        await away.read()
    with pytest.raises(LimitStoreUnavailable):
        await away.replace("", b"table")
    await away.close()
