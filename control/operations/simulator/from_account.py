"""Builds a world from a real account: its live campaigns with their remaining budgets, and its recent users."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.budget.remaining import total_left_micros
from common.decision.rules.eligibility import is_spent_by_event
from common.pacing.curve import HOUR_MS, HOURS, MICRO, Curve, learned_weights, summed
from common.snapshot.model import Budget, Campaign, Pace, SnapshotObject
from common.snapshot.snapshot import Snapshot, build_snapshot, parse_entries
from common.values.clock import SystemClock
from common.values.enums import CampaignStatus, Pacing
from common.values.environment import Environment
from control.foundation.settings import ControlSettings
from control.operations.simulator.scenario import Scenario
from control.operations.simulator.traffic import UserPopulation
from control.operations.simulator.world import SimulatedCampaign, World
from control.reporting.forecast import load_inputs
from control.reporting.forecast.sampled_users import SampledUsers
from control.storage.database import Database

_GOAL_ALONE = Budget(None, None)
_PROPERTIES = text("select id from properties where account_id = :account")


class NotRecorded(LookupError):
    """There is nothing to simulate from; the message names what is missing."""


async def read_world(scenario: Scenario, account_id: str) -> World:
    """Uses none of the scenario's own traffic and campaigns. Raises `NotRecorded`, `Unavailable`."""
    database = Database(ControlSettings().database_url)
    try:
        async with database.service() as session:
            return await recorded_world(session, scenario, account_id, SystemClock().now())
    finally:
        await database.close()


async def recorded_world(
    session: AsyncSession, scenario: Scenario, account_id: str, now: datetime
) -> World:
    """As `read_world`, in the service role's *session*."""
    found = await session.scalars(_PROPERTIES, {"account": account_id})
    reach = load_inputs.Reach(account_id, list(found), Environment.LIVE)
    objects = parse_entries(await load_inputs.read_entries(session, reach))
    pacings = await load_inputs.read_pacings(session, reach)
    traffic = await load_inputs.read_traffic(session, reach, now)
    snapshot = build_snapshot(Environment.LIVE, scenario.name, 1, objects)
    callers = SampledUsers(await load_inputs.read_records(session, reach, now), snapshot)
    weights = {
        slot_id: learned_weights(week.requests, week.seen)
        for slot_id, week in traffic.weeks.items()
        if callers.of(slot_id)
    }
    if not weights:
        raise NotRecorded(f"No live traffic of account {account_id} was counted and recorded yet.")
    orders = tuple(_orders(scenario, snapshot, pacings))
    own = {order.campaign.id: order.campaign for order in orders}
    week = summed(weights.values())
    first = scenario.start_ms // HOUR_MS
    return World(
        tuple(_fresh(objects, own)),
        orders,
        _users(callers, weights),
        [week[(first + hour) % HOURS] / MICRO for hour in range(scenario.hours)],
        Curve(week),
    )


def _orders(
    scenario: Scenario, snapshot: Snapshot, pacings: dict[str, Pacing]
) -> Iterable[SimulatedCampaign]:
    """Active campaigns with a budget that events use up. One without an end is paced `asap`, as in production."""
    for campaign in snapshot.campaigns.values():
        budget = campaign.budget
        if campaign.status is not CampaignStatus.ACTIVE or not is_spent_by_event(campaign):
            continue
        if budget is None or budget.total_micros is None:
            continue
        left = max(0, total_left_micros(budget, snapshot.paces.get(campaign.id)) or 0)
        start_ms = max(scenario.start_ms, campaign.start_at_ms or scenario.start_ms)
        end_ms = campaign.end_at_ms or scenario.end_ms
        if left == 0 or not start_ms < min(end_ms, scenario.end_ms):
            continue
        pacing = pacings.get(campaign.id, Pacing.EVEN) if campaign.end_at_ms else Pacing.ASAP
        yield SimulatedCampaign(
            replace(campaign, budget=replace(budget, total_micros=left)), pacing, start_ms, end_ms
        )


def _fresh(objects: Iterable[SnapshotObject], own: dict[str, Campaign]) -> Iterable[SnapshotObject]:
    """
    Budgets are reduced to what remains, so earlier deliveries (paces) are left out. Goals are not simulated: a campaign
    that has a goal alone needs no lease.
    """
    for one in objects:
        if isinstance(one, Pace):
            continue
        if isinstance(one, Campaign) and one.budget == _GOAL_ALONE:
            yield replace(one, budget=None)
        else:
            yield own.get(one.id, one)


def _users(callers: SampledUsers, weights: dict[str, tuple[int, ...]]) -> UserPopulation:
    """Recorded decisions are a sample: those of a slot together weigh what was counted there."""
    people, each = [], []
    for slot_id, week in weights.items():
        found = callers.of(slot_id)
        people += [caller.opportunity for caller in found]
        each += [sum(week) / len(found)] * len(found)
    return UserPopulation(people, each)
