"""Reports and grants between workers and the one that grants, on Redis, from both sides."""

from collections.abc import AsyncIterator

import pytest

from common.service.channels import Channels
from control.adapters.redis_leases import RedisLeaseMailbox
from control.ports.leases import LeaseMailbox, LeaseMailboxUnavailable
from edge.adapters.redis_leases import RedisLeaseStore
from edge.ports import LeaseStore, LeaseStoreUnavailable
from tests.support.redis_servers import redis_url_of


@pytest.fixture(params=["redis", "cluster"])
def url(request: pytest.FixtureRequest) -> str:
    return redis_url_of(request)


@pytest.fixture
async def store(url: str, namespace: str) -> AsyncIterator[LeaseStore]:
    opened = RedisLeaseStore.open(url, Channels(namespace), call_s=30)
    yield opened
    await opened.close()


@pytest.fixture
async def mailbox(url: str, namespace: str) -> AsyncIterator[LeaseMailbox]:
    opened = RedisLeaseMailbox(url, Channels(namespace))
    yield opened
    await opened.close()


async def test_the_newest_report_of_each_worker_is_found(
    store: LeaseStore, mailbox: LeaseMailbox
) -> None:
    for worker, report in (("a", b"1"), ("b", b"2"), ("a", b"3")):
        assert await store.exchange(worker, report) is None
    assert await mailbox.reports() == {"a": b"3", "b": b"2"}


async def test_a_worker_finds_its_own_grants(store: LeaseStore, mailbox: LeaseMailbox) -> None:
    await mailbox.put({"a": b"\x00yours", "b": b"theirs"})
    assert await store.exchange("a", b"1") == b"\x00yours"


async def test_a_removed_worker_leaves_nothing(store: LeaseStore, mailbox: LeaseMailbox) -> None:
    await mailbox.put({"a": b"x", "b": b"y"})
    await store.exchange("a", b"1")
    await mailbox.delete(["a"])
    assert await mailbox.reports() == {}
    assert [await store.exchange(name, b"") for name in ("a", "b")] == [None, b"y"]


async def test_both_raise_where_the_store_is_unavailable() -> None:
    store = RedisLeaseStore.open("redis://127.0.0.1:1", Channels("x"))
    mailbox = RedisLeaseMailbox("redis://127.0.0.1:1", Channels("x"))
    with pytest.raises(LeaseStoreUnavailable):
        await store.exchange("a", b"1")
    with pytest.raises(LeaseMailboxUnavailable):
        await mailbox.reports()
    await store.close()
    await mailbox.close()
