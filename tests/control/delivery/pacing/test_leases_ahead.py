"""Leases are there before the first call, over real Redis and PostgreSQL; the clock is the test's."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from common.pacing.lease import AHEAD_UNITS
from common.snapshot.model import Goal
from common.values.clock import SystemClock
from common.values.enums import EventKind, Pacing
from edge.state.commit_file import CommitFile, find_dead
from edge.state.dead_leases import return_leases
from tests.control.delivery.pacing.race import Race

PLENTY_CENTS = 1_000_000


async def test_a_campaign_that_is_activated_takes_a_burst_at_every_worker(race: Race) -> None:
    await race.join(2)
    campaign = await race.add_campaign(PLENTY_CENTS)
    await race.activate(campaign)
    assert [race.call(worker, campaign, 99) for worker in race.workers] == [AHEAD_UNITS] * 2


async def test_a_plan_with_room_for_one_burst_a_minute_takes_it_at_any_worker(race: Race) -> None:
    await race.join(2)
    campaign = await race.add_campaign(
        AHEAD_UNITS * 60 * 24,
        pacing=Pacing.EVEN,
        start_at=race.world.clock.now(),
        end_at=race.world.clock.now() + timedelta(days=1),
    )
    await race.activate(campaign)
    assert race.call(race.workers[0], campaign, AHEAD_UNITS) == AHEAD_UNITS
    for _ in range(60):
        for worker in race.workers:
            race.call(worker, campaign, AHEAD_UNITS)
        await race.report()
        race.world.clock.advance(ms=500)
    assert race.delivered[campaign.id] <= 3 * AHEAD_UNITS


async def test_a_worker_that_begins_holds_a_lease_of_every_campaign(race: Race) -> None:
    campaigns = [await race.add_campaign(PLENTY_CENTS) for _ in range(3)]
    await race.join(1)
    await race.join(1)
    filled = [race.call(race.workers[1], campaign, 99) for campaign in campaigns]
    assert filled == [AHEAD_UNITS] * 3


async def test_one_call_every_five_seconds_is_always_filled(race: Race) -> None:
    await race.join(2)
    campaign = await race.add_campaign(PLENTY_CENTS)
    await race.activate(campaign)
    rng = random.Random(5)
    for _ in range(2 * AHEAD_UNITS):
        assert race.call(rng.choice(race.workers), campaign) == 1
        for _ in range(5):
            await race.report()
            race.world.clock.advance(ms=500)


async def test_one_unit_among_sixteen_workers_fills_one_request(race: Race) -> None:
    await race.join(16)
    campaign = await race.add_campaign(1)
    await race.activate(campaign)
    for worker in race.workers[:3] * 6:
        race.call(worker, campaign)
        await race.report()
    assert race.delivered[campaign.id] == 1


async def test_the_lease_of_an_idle_worker_moves_to_one_that_needs_it(race: Race) -> None:
    await race.join(2)
    campaign = await race.add_campaign(2 * AHEAD_UNITS)
    await race.activate(campaign)
    busy = race.workers[0]
    for _ in range(10):
        race.call(busy, campaign, 999)
        await race.report()
        race.world.clock.advance(ms=500)
    assert race.delivered[campaign.id] == 2 * AHEAD_UNITS


async def test_leases_are_granted_before_a_day_or_a_flight_begins(race: Race) -> None:
    midnight = datetime(2027, 3, 1, tzinfo=UTC)
    race.world.clock.advance(
        ms=round((midnight - race.world.clock.now()).total_seconds() * 1000) - 60_000
    )
    await race.join(2)
    daily = await race.add_campaign(PLENTY_CENTS, daily_cents=PLENTY_CENTS // 4)
    later = await race.add_campaign(
        PLENTY_CENTS, pacing=Pacing.EVEN, start_at=midnight, end_at=midnight + timedelta(days=1)
    )
    for campaign in (daily, later):
        await race.activate(campaign)
    race.world.clock.advance(ms=56_000)
    for _ in range(5):
        race.world.clock.advance(ms=500)
        await race.report()
    for campaign in (daily, later):
        assert [race.call(worker, campaign, 60) for worker in race.workers] == [60, 60]


async def test_a_goal_without_a_budget_is_spread_over_its_flight(race: Race) -> None:
    start = race.world.clock.now()
    goal = Goal(EventKind.IMPRESSION, 600)
    campaign = await race.add_campaign(
        None, pacing=Pacing.EVEN, goal=goal, start_at=start, end_at=start + timedelta(minutes=10)
    )
    await race.join(2)
    rng, delivered = random.Random(9), []
    for _ in range(2):
        for _ in range(24):
            await race.round(rng, most=20)
            race.world.clock.advance(ms=4_500)
        delivered.append(race.delivered[campaign.id])
    assert 100 <= delivered[0] <= 130
    assert 220 <= delivered[1] <= 250


@pytest.mark.parametrize("pacing", [Pacing.ASAP, Pacing.EVEN])
async def test_a_goal_without_a_plan_is_never_exceeded(race: Race, pacing: Pacing) -> None:
    """It has neither an end nor a budget: the plan of `even` needs an end."""
    campaign = await race.add_campaign(
        None, pacing=pacing, goal=Goal(EventKind.IMPRESSION, 3 * AHEAD_UNITS)
    )
    await race.join(4)
    await race.activate(campaign)
    first = race.call(race.workers[0], campaign)
    rng = random.Random(3)
    for _ in range(12):
        await race.round(rng, most=AHEAD_UNITS)
        race.world.clock.advance(ms=5_000)
    assert first == 1
    assert race.delivered[campaign.id] == 3 * AHEAD_UNITS


async def test_the_uncommitted_lease_of_a_killed_worker_is_free_at_once(
    race: Race, tmp_path: Path
) -> None:
    """It had committed some of it after its last report."""
    campaign = await race.add_campaign(2 * AHEAD_UNITS)
    worker = race.add_worker(CommitFile(tmp_path / "living", "edge/killed"))
    await race.join(1)
    await race.activate(campaign)
    assert race.call(worker, campaign, 10) == 10
    (dead,) = race.kill(worker, tmp_path / "dead")
    await asyncio.gather(return_leases(dead, race.store, SystemClock()), race.report())
    for _ in range(10):
        race.call(race.workers[0], campaign, 999)
        await race.report()
    assert race.delivered[campaign.id] == 2 * AHEAD_UNITS
    assert list(find_dead(tmp_path / "dead")) == []
