"""What every store of prepared mails must do, and how the real one behaves when its server does not."""

from collections.abc import AsyncIterator

import pytest

from common.service.channels import Channels
from common.values.clock import SystemClock
from common.values.environment import Environment
from edge.adapters.redis_mails import RedisMailStore
from edge.ports import ItemState, MailStoreUnavailable
from tests.support.memory_mails import MemoryMailStore
from tests.support.redis_servers import redis_url_of

Store = MemoryMailStore | RedisMailStore


@pytest.fixture(params=["memory", "redis", "cluster"])
async def store(request: pytest.FixtureRequest, namespace: str) -> AsyncIterator[Store]:
    made: Store = MemoryMailStore()
    if request.param != "memory":
        made = RedisMailStore.open(
            redis_url_of(request), Channels(namespace), Environment.LIVE, SystemClock()
        )
    yield made
    await made.close()


async def test_one_caller_prepares_an_item(store: Store) -> None:
    assert await store.claim(["a", "b"]) == [ItemState.CLAIMED] * 2
    assert await store.claim(["b", "c"]) == [ItemState.PENDING, ItemState.CLAIMED]


async def test_a_stored_item_is_found_and_the_first_stays(store: Store) -> None:
    await store.claim(["a"])
    assert await store.store({"a": b"1", "b": b"2"}) == [b"1", b"2"]
    assert await store.store({"a": b"3", "c": b"4"}) == [b"1", b"4"]
    assert await store.claim(["a", "b", "c"]) == [b"1", b"2", b"4"]


async def test_templates_and_what_was_shown_are_found(store: Store) -> None:
    await store.store_templates({"t": b"text"})
    assert await store.find_templates(["t", "u"]) == [b"text", None]
    assert await store.find_shown("m") is None
    for shown in (b"one", b"two"):
        await store.store_shown("m", shown, 60)
    assert await store.find_shown("m") == b"two"


async def test_nothing_is_asked_for_nothing(store: Store) -> None:
    assert await store.claim([]) == await store.store({}) == await store.find_templates([]) == []


async def test_a_server_that_is_gone_is_unavailable(namespace: str) -> None:
    store = RedisMailStore.open(
        "redis://127.0.0.1:1", Channels(namespace), Environment.LIVE, SystemClock()
    )
    with pytest.raises(MailStoreUnavailable):
        await store.claim(["a"])
    await store.close()
