"""Workers race for budgets over real Redis and PostgreSQL, while some die, Redis forgets and another process grants."""

import asyncio
import random
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import text

from control.delivery.leasing import lease_journal
from control.delivery.leasing.figures_cache import FiguresCache
from control.ports.leases import LeaseMailboxUnavailable
from tests.control.delivery.pacing.race import CENT, SETTLE_S, Race
from tests.support.builders import a_snapshot
from tests.support.waiting import until


async def test_eight_racing_workers_spend_whole_budgets_and_no_more(race: Race) -> None:
    rng = random.Random(7)
    cents = (1, 100, 3_000)
    for budget in cents:
        await race.add_campaign(budget)
    for _ in range(8):
        race.add_worker()
    for number in range(40):
        if number == 4:
            del race.workers[:2]
        if number == 6:
            await race.forget_redis()
        if number == 8:
            race.granting = race.new_granting()
        await race.round(rng, most=60)
    race.world.clock.advance(ms=round(SETTLE_S * 1000) + 120_000)
    for _ in range(80):
        await race.round(rng, most=60)
        if sum(race.delivered.values()) == sum(cents):
            break
    for campaign, budget in zip(race.campaigns, cents, strict=True):
        assert race.delivered[campaign.id] <= budget
        assert race.delivered[campaign.id] >= budget * 98 // 100
        assert await race.world.spent_micros(campaign.id) == race.delivered[campaign.id] * CENT
    events = await race.world.events()
    assert {event.reason for event in events} == {"ok"}


async def test_a_day_begins_with_its_own_budget(race: Race) -> None:
    midnight = datetime(2027, 3, 1, tzinfo=UTC)
    race.world.clock.advance(ms=round((midnight - race.world.clock.now()).total_seconds() * 1000))
    race.world.clock.advance(ms=-3_000)
    campaign = await race.add_campaign(100, daily_cents=10)
    race.add_worker()
    race.add_worker()
    rng, by_day = random.Random(3), []
    for _ in range(2):
        before = race.delivered.get(campaign.id, 0)
        for _ in range(6):
            await race.round(rng, most=20)
        by_day.append(race.delivered[campaign.id] - before)
    assert by_day == [10, 10]
    days = await race.world.rows(
        "select spent_micros from campaign_spend_days where campaign_id = :id order by day",
        id=campaign.id,
    )
    assert [day[0] for day in days] == [10 * CENT, 10 * CENT]


class NoThreads(ThreadPoolExecutor):
    def submit(self, *_: object, **__: object) -> Any:
        raise AssertionError("a thread holds the interpreter that the event loop needs")


@pytest.fixture
async def no_threads() -> AsyncIterator[None]:
    """All tests of a process share its loop."""
    asyncio.get_running_loop().set_default_executor(NoThreads())
    yield
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())


@pytest.mark.usefixtures("no_threads")
async def test_a_round_computes_nothing_in_a_thread(race: Race) -> None:
    campaign = await race.add_campaign(100)
    worker = race.add_worker()
    await race.report()
    assert worker.serve(a_snapshot(campaign), campaign, race.world.clock.now_ms(), 5) == 5


async def test_a_campaign_that_cannot_be_paced_holds_up_no_other(race: Race) -> None:
    failing = await race.add_campaign(100, daily_cents=10)
    paced = await race.add_campaign(100)
    await race.world.rows(
        "update campaigns set timezone = 'Nowhere' where id = :id returning id", id=failing.id
    )
    worker = race.add_worker()
    for _ in range(2):
        assert race.call(worker, failing) == 0
        race.call(worker, paced)
        await race.report()
    assert race.granting.error is None
    assert race.call(worker, paced, 5) == 5
    assert race.call(worker, failing) == 0


@pytest.mark.parametrize("set_by_s", [3_600, -3_600])
async def test_a_clock_that_is_set_makes_no_worker_silent(race: Race, set_by_s: int) -> None:
    campaign = await race.add_campaign(100)
    await race.join(2)
    await race.activate(campaign)
    clock, rng = race.world.clock, random.Random(1)
    quiet = race.workers.pop()
    lookup = quiet.budgets.available_micros(a_snapshot(campaign), clock.now_ms())
    held = lookup.get(campaign.id, 0)
    assert held >= 10 * CENT
    clock.set_by(ms=set_by_s * 1000)
    for _ in range(20):
        await race.round(rng, most=60)
    assert race.delivered[campaign.id] * CENT + held <= 100 * CENT
    clock.advance(ms=round(SETTLE_S * 1000) + 120_000)
    for _ in range(20):
        await race.round(rng, most=60)
    assert race.delivered[campaign.id] == 100


@pytest.mark.parametrize("set_by_s", [3_600, -3_600])
async def test_a_clock_that_is_set_during_an_outage_makes_no_worker_silent(
    race: Race, set_by_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = await race.add_campaign(100)
    await race.join(2)
    await race.activate(campaign)
    await race.granting.round()  # no report waits any more
    race.workers.pop()
    race.world.clock.set_by(ms=set_by_s * 1000)

    async def unavailable() -> dict[str, bytes]:
        raise LeaseMailboxUnavailable("Redis")

    monkeypatch.setattr(race.mailbox, "reports", unavailable)
    with pytest.raises(LeaseMailboxUnavailable):
        await race.granting.round()
    monkeypatch.undo()
    monkeypatch.setattr(race.granting, "_allocator", None)  # as `run` does
    await race.round(random.Random(1), most=0)
    assert race.granting._allocator is not None
    now_ms = race.world.clock.now_ms()
    ages_ms = [now_ms - one.reported_ms for one in race.granting._allocator.worker_leases.values()]
    assert len(ages_ms) == 2
    assert all(0 <= age_ms < 10_000 for age_ms in ages_ms)


async def test_instants_that_another_process_stored_are_not_moved(race: Race) -> None:
    campaign = await race.add_campaign(100)
    await race.join(1)
    await race.activate(campaign)
    first, before = race.granting, race.granting._allocator
    race.world.clock.set_by(ms=3_600_000)
    race.granting = race.new_granting()
    await race.round(random.Random(1), most=0)
    await race.granting.round()  # no report waits any more
    running = asyncio.create_task(first.run())

    async def has_begun() -> bool:
        return first._allocator not in (None, before)

    await until(has_begun)
    running.cancel()
    assert first._allocator is not None
    now_ms = race.world.clock.now_ms()
    assert all(one.reported_ms <= now_ms for one in first._allocator.worker_leases.values())


async def test_figures_of_campaigns_that_may_not_spend_any_more_are_removed(race: Race) -> None:
    clock = race.world.clock
    cache = FiguresCache(race.world.database, clock, settle_ms=0)
    ended, running = [(await race.add_campaign(100)).id for _ in range(2)]
    assert (await cache.read([ended, running]))[0].keys() == {ended, running}
    async with race.world.database.service() as session:
        await session.execute(
            text("update campaigns set status = 'archived' where id = :id"), {"id": ended}
        )
    clock.advance(ms=300_000)
    await cache.read([], due=[ended, running])
    clock.advance(ms=301_000)
    await cache.read([])
    assert cache._figures.keys() == cache._forecasts.keys() == {running}


async def test_a_replaced_leader_stores_and_sends_nothing(race: Race) -> None:
    campaign = await race.add_campaign(100)
    worker = race.add_worker()
    await race.report()
    worker.serve(a_snapshot(campaign), campaign, race.world.clock.now_ms(), 0)
    worker.budgets.available_micros(a_snapshot(campaign), 0).get(campaign.id, 0)
    first = race.granting
    race.granting = race.new_granting()
    await race.report()
    worker.budgets.available_micros(a_snapshot(campaign), 0).get(campaign.id, 0)
    await worker.leasing.exchange()
    with pytest.raises(lease_journal.LostLeadership):
        await first.round()


async def test_workers_go_on_after_the_database_went_back_to_an_earlier_day(race: Race) -> None:
    """They know of later allocators than it does, and would hear none of its own."""
    campaign = await race.add_campaign(100)
    snapshot = a_snapshot(campaign)
    for _ in range(3):
        race.granting = race.new_granting()
        race.add_worker()
        await race.report()
    await race.go_back()
    worker = race.add_worker()
    for one in race.workers:
        one.serve(snapshot, campaign, race.world.clock.now_ms(), 1)
    granting = asyncio.create_task(race.granting.run())
    await until(lambda: race.serves_one(worker, campaign))
    await until(lambda: race.serves_one(race.workers[0], campaign))
    granting.cancel()


async def test_the_amount_that_may_still_be_delivered_is_stored(race: Race) -> None:
    campaign = await race.add_campaign(100)
    worker = race.add_worker()
    snapshot = a_snapshot(campaign)
    for _ in range(3):
        worker.serve(snapshot, campaign, race.world.clock.now_ms(), 1)
        await race.report()
        race.world.clock.advance(ms=6_000)
    async with race.world.database.tenant(race.world.account_id) as session:
        found = (
            await session.execute(lease_journal.FIND_OUTSTANDING, {"campaign": campaign.id})
        ).one()
    async with race.world.database.tenant("another") as session:
        foreign = await session.execute(lease_journal.FIND_OUTSTANDING, {"campaign": campaign.id})
        assert foreign.first() is None
    lease = worker.budgets._held[campaign.id].lease
    assert (
        found.micros >= lease.available_micros + lease.committed_micros > lease.available_micros > 0
    )
