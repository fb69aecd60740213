"""When a worker exchanges its leases."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from common.pacing.lease_messages import Grants, encode_grants, parse_report
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.model import Budget
from common.values.clock import FixedClock
from edge.state import lease_client
from edge.state.lease_client import LeaseClient
from tests.support.builders import NOW_MS, a_campaign, a_snapshot
from tests.support.waiting import PATIENCE_S

SPENDER = a_campaign(bid_cents=100, budget=Budget(1_000_000, None))


class EmptyStore:
    """Answers every report, and grants nothing. ``requested``: the campaigns that each report requests, sorted."""

    def __init__(self) -> None:
        self.requested: asyncio.Queue[list[str]] = asyncio.Queue()

    async def exchange(self, worker: str, report: bytes) -> bytes:
        assert worker == "worker"
        parsed = parse_report(report)
        requested = sorted(line.campaign_id for line in parsed.lines if line.is_request)
        self.requested.put_nowait(requested)
        return encode_grants(Grants(1, parsed.sequence, parsed.sequence, ()))

    async def close(self) -> None: ...

    async def next(self) -> list[str]:
        async with asyncio.timeout(PATIENCE_S):
            return await self.requested.get()


@pytest.fixture
def budgets() -> LeasedBudgets:
    return LeasedBudgets()


@pytest.fixture
async def store(
    budgets: LeasedBudgets, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[EmptyStore]:
    """Of a worker that started long ago, and whose pause is longer than the test."""
    monkeypatch.setattr(lease_client, "PAUSE_S", 2 * PATIENCE_S)
    made, clock = EmptyStore(), FixedClock(NOW_MS)
    client = LeaseClient(budgets, made, clock, "worker")
    clock.advance(ms=60_000)
    running = asyncio.create_task(client.run())
    assert await made.next() == []
    yield made
    running.cancel()


async def test_a_request_for_a_new_campaign_ends_the_pause(
    budgets: LeasedBudgets, store: EmptyStore
) -> None:
    budgets.available_micros(a_snapshot(SPENDER), NOW_MS).get(SPENDER.id, 0)
    assert await store.next() == [SPENDER.id]


async def test_a_request_that_was_refused_before_waits_for_the_pause(
    budgets: LeasedBudgets, store: EmptyStore
) -> None:
    other = a_campaign(id="other", bid_cents=100, budget=Budget(1_000_000, None))
    available = budgets.available_micros(a_snapshot(SPENDER, other), NOW_MS)
    available.get(SPENDER.id, 0)
    assert await store.next() == [SPENDER.id]
    available.get(SPENDER.id, 0)
    await asyncio.sleep(0.3)
    assert store.requested.empty()
    available.get("other", 0)
    assert await store.next() == sorted([SPENDER.id, "other"])
