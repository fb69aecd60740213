"""The simulation of a running account: its campaigns, what remains of their budgets, and its recent visitors."""

from typing import Any

import pytest
import pytest_asyncio

from common.values.clock import from_ms, to_ms
from common.values.environment import Environment
from control.operations.simulator.from_account import NotRecorded, recorded_world
from control.operations.simulator.results import Outcome
from control.operations.simulator.run import simulate
from control.operations.simulator.scenario import HOUR_MS, read_scenario
from tests.control.reporting.decision_log.world import World
from tests.control.reporting.forecast.traffic import REQUESTS_AN_HOUR, now_of, with_traffic
from tests.support.control_api import ControlApi

EVENTS = 600
HOURS = 4
pytestmark = pytest.mark.usefixtures("stopped_clock")


@pytest_asyncio.fixture(loop_scope="session")
async def world(api: ControlApi) -> World:
    """In live."""
    opened = await World.open(api)
    opened.environment = Environment.LIVE
    return opened


async def run_campaign(world: World, **terms: Any) -> None:
    campaign = await world.customer.make_campaign(world.property_id, **terms)
    ad = await world.customer.make_ad(campaign["id"])
    await world.act(f"/v1/ads/{ad['id']}/activate")
    await world.act(f"/v1/campaigns/{campaign['id']}/activate")


async def simulated(world: World, *others: dict[str, Any]) -> Outcome:
    """A campaign with a budget for the simulated hours, beside *others*."""
    start_ms = to_ms(now_of(world)) // HOUR_MS * HOUR_MS
    plain = read_scenario("days")
    scenario = plain.model_copy(update={"start": from_ms(start_ms), "hours": HOURS, "warm_up_h": 1})
    await run_campaign(
        world,
        bid_cents=1_000,
        start_at=from_ms(start_ms).isoformat(),
        end_at=from_ms(scenario.end_ms).isoformat(),
        budget={"total_cents": EVENTS},
    )
    for terms in others:
        await run_campaign(world, **terms)
    await with_traffic(world)

    async with world.api.control.database.service() as session:
        found = await recorded_world(
            session, scenario, world.customer.person.account_id, now_of(world)
        )
    return simulate(scenario, found)


async def test_a_live_campaign_follows_its_plan_over_recorded_traffic(world: World) -> None:
    outcome = await simulated(world)

    (course,) = outcome.results.values()
    assert abs(outcome.decisions - HOURS * REQUESTS_AN_HOUR) < HOURS * REQUESTS_AN_HOUR / 5
    assert course.budget_micros == EVENTS * 10_000
    assert course.share >= 0.95
    assert outcome.hours_off_plan(course) == []
    assert outcome.overspent_micros == 0


async def test_a_campaign_with_a_goal_alone_takes_what_it_can_win(world: World) -> None:
    goal = {"kind": "impressions", "total": 10**9}
    outcome = await simulated(world, {"bid_cents": 5_000, "pacing": "asap", "goal": goal})

    (course,) = outcome.results.values()
    assert course.share < 0.1


async def test_an_account_without_traffic_gets_an_error(world: World) -> None:
    async with world.api.control.database.service() as session:
        with pytest.raises(NotRecorded, match="No live traffic"):
            await recorded_world(
                session,
                read_scenario("days"),
                world.customer.person.account_id,
                now_of(world),
            )
