"""A worker keeps its snapshot where the next one has an object that it cannot use."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import NoReturn

import pytest

from common.decision.decide import decide
from common.decision.rules.gates import Gates
from common.decision.rules.outcome import Fill
from common.snapshot.snapshot import Snapshot
from common.snapshot.status import WorkerStatus
from common.snapshot.versioned_map import RerootedMap
from common.values.clock import FixedClock
from common.values.environment import Environment
from edge.snapshots import feed_client
from edge.snapshots.feed_client import FeedClient
from edge.snapshots.state import SnapshotState, parse_state
from edge.snapshots.sync_state import SyncState
from edge.snapshots.worker_feed import WorkerFeed
from tests.edge.snapshots.published import Published
from tests.support.builders import (
    a_campaign,
    a_property,
    a_slot,
    a_stock,
    an_account,
    an_ad,
    an_opportunity,
)
from tests.support.spools import until
from tests.support.waiting import PATIENCE_S

NOW_MS = 1_000_000
_NO_DAY = '{"dayparts":[{"days":["noday"],"end":"24:00","start":"00:00"}]}'


@pytest.fixture
def published() -> Published:
    world = Published()
    account, prop = an_account(), a_property()
    slot = a_slot()
    world.put_objects(account, prop, slot)
    return world


def a_poison(published: Published) -> None:
    campaign = a_campaign(environment=Environment.TEST, targeting=_NO_DAY)
    published.put_objects(campaign, an_ad(campaign))


@asynccontextmanager
async def a_worker(feed: WorkerFeed) -> AsyncIterator[FeedClient]:
    """A worker at the other end of *feed*, with its first snapshot. Neither may end meanwhile."""
    link = FeedClient("edge-1/0", Environment.TEST, FixedClock(NOW_MS))
    ours, theirs = socket.socketpair()
    tasks = [
        asyncio.create_task(feed.run(*await asyncio.open_connection(sock=ours))),
        asyncio.create_task(link.run(*await asyncio.open_connection(sock=theirs))),
    ]
    try:
        await until(lambda: feed.current)
        yield link
        assert not any(task.done() for task in tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_worker_keeps_its_snapshot_where_the_next_one_cannot_be_indexed(
    published: Published,
) -> None:
    receiver = SyncState(parse_state(published.full()), confirmed_ms=NOW_MS)
    reported: list[WorkerStatus] = []
    feed = WorkerFeed(receiver, on_status=reported.append, full_again_s=0)
    async with a_worker(feed) as link:
        before = link.handle.current()
        a_poison(published)
        receiver.replace(parse_state(published.full()))
        feed.changed()
        await until(lambda: feed.fulls_count >= 3)  # it is tried again
        assert not reported[-1].ok
        assert "ValueError" in str(reported[-1].reason)
        assert link.handle.current() is before


async def test_a_worker_decides_as_before_where_a_delta_cannot_be_indexed() -> None:
    stock, other = a_stock(environment=Environment.TEST), a_campaign(environment=Environment.TEST)
    published = Published()
    published.put_objects(an_account(), a_property(), *stock.objects)
    receiver = SyncState(parse_state(published.full()), confirmed_ms=NOW_MS)
    reported: list[WorkerStatus] = []
    feed = WorkerFeed(receiver, on_status=reported.append, full_again_s=600)
    opportunity = an_opportunity(stock.slot, environment=Environment.TEST)
    async with a_worker(feed) as link:
        before = link.handle.current()
        decision = decide(before, opportunity, Gates(), NOW_MS, 0)
        bad = replace(stock.campaign, targeting=_NO_DAY)
        receiver.take(published.put_objects(other, an_ad(other), bad), NOW_MS)
        feed.changed()
        await until(lambda: not reported[-1].ok)
        assert link.handle.current() is before
        assert before.campaigns == {stock.campaign.id: stock.campaign}
        assert isinstance(decision, Fill)
        assert decide(before, opportunity, Gates(), NOW_MS, 0) == decision

        published.put_objects(stock.campaign)
        receiver.replace(parse_state(published.full()))
        feed.changed()
        await until(lambda: feed.current)
        assert set(link.handle.current().campaigns) == {stock.campaign.id, other.id}
        assert reported[-1].ok


async def test_a_delta_that_cannot_be_prepared_leaves_the_snapshot_as_it_was(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = SyncState(parse_state(published.full()), confirmed_ms=NOW_MS)
    reported: list[WorkerStatus] = []
    feed = WorkerFeed(receiver, on_status=reported.append, full_again_s=600)
    prepared: list[bool] = []

    async def fails_once(snapshot: Snapshot, _: object) -> None:
        prepared.append(isinstance(snapshot.campaigns, RerootedMap))
        if len(prepared) == 1:
            raise RuntimeError("a fault")

    async with a_worker(feed) as link:
        before = link.handle.current()
        monkeypatch.setattr(feed_client, "prepare", fails_once)
        receiver.take(published.put_objects(a_campaign(environment=Environment.TEST)), NOW_MS)
        feed.changed()
        await until(lambda: not reported[-1].ok)
        assert link.handle.current() is before
    # The second is the former, which must hold its objects itself again.
    assert prepared == [False, False]


class Unsendable(SnapshotState):
    def to_send(self) -> NoReturn:
        raise RuntimeError("it cannot be encoded")


async def test_a_feed_that_cannot_send_ends_so_that_its_worker_is_replaced() -> None:
    receiver = SyncState(Unsendable("epoch-1", 1), confirmed_ms=NOW_MS)
    feed = WorkerFeed(receiver, on_status=lambda _: None)
    ours, theirs = socket.socketpair()
    with theirs:
        async with asyncio.timeout(PATIENCE_S):
            await feed.run(*await asyncio.open_connection(sock=ours))
