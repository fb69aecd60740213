"""The gates that are compared last, each alone: goal, budget, the throttle draw of pacing, and caps."""

from dataclasses import replace
from typing import Any

import pytest

from common.decision.decide import decide
from common.decision.dynamic_gates import passes_throttle
from common.decision.explain import explain
from common.decision.frequency import cap_key
from common.decision.recorded_gates import RecordingLookup, recorded_lookups, recording, replayed
from common.decision.rules.gates import BUDGET_UNKNOWN, MAX_UNKNOWN_BUDGETS, Gates
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import Budget, Campaign, FrequencyCap, Goal, ObjectType, Pace
from common.snapshot.snapshot import Snapshot, apply_entries
from common.values.enums import CampaignStatus, EventKind, PricingModel
from common.values.environment import Environment
from tests.support.builders import NOW_MS, a_campaign, a_slot, a_snapshot, an_ad, an_opportunity

CAP = FrequencyCap("campaign", EventKind.IMPRESSION, 2, 3600)
CAMPAIGN = "01900000-0000-7000-8000-0000000000c1"


def outcome(
    gates: Gates, pace: dict[str, Any] | None = None, seed: int = 0, **campaign: Any
) -> Decision:
    environment = campaign.get("environment", Environment.LIVE)
    slot, made = a_slot(), a_campaign(id=CAMPAIGN, **campaign)
    reported = () if pace is None else (Pace(CAMPAIGN, **pace),)
    snapshot = a_snapshot(slot, made, an_ad(made), *reported, environment=environment)
    opportunity = an_opportunity(slot, environment=environment)
    return decide(snapshot, opportunity, gates, NOW_MS, seed)


def reason(*arguments: Any, **campaign: Any) -> NoFillReason | None:
    found = outcome(*arguments, **campaign)
    return found.reason if isinstance(found, NoFill) else None


@pytest.mark.parametrize(("counted", "reached"), [(4, False), (5, True), (6, True)])
def test_delivery_ends_when_the_goal_is_counted(counted: int, *, reached: bool) -> None:
    expected = NoFillReason.GOAL_REACHED if reached else None
    assert reason(Gates(), {"counted": counted}, goal=Goal(EventKind.CLICK, 5)) is expected


def test_a_goal_without_a_budget_waits_for_its_plan() -> None:
    spread: dict[str, Any] = {"goal": Goal(EventKind.CLICK, 5), "budget": Budget(None, None)}
    assert reason(Gates(available_micros={CAMPAIGN: 0}), **spread) is NoFillReason.PACED
    assert reason(Gates(available_micros={CAMPAIGN: 1000}), bid_cents=100, **spread) is None


@pytest.mark.parametrize(("available_micros", "waits"), [(1000, False), (999, True), (0, True)])
def test_an_impression_needs_its_price_available(available_micros: int, *, waits: bool) -> None:
    expected = NoFillReason.PACED if waits else None
    gates = Gates(available_micros={CAMPAIGN: available_micros})
    assert reason(gates, bid_cents=100, budget=Budget(10_000, None)) is expected


def test_a_budget_without_a_lease_has_nothing_available() -> None:
    assert reason(Gates(), budget=Budget(10_000, None)) is NoFillReason.PACED


@pytest.mark.parametrize(
    ("spent_micros", "why"), [(9_000, NoFillReason.PACED), (9_001, NoFillReason.BUDGET_SPENT)]
)
def test_an_empty_lease_is_paced_if_budget_remains_and_exhausted_if_it_is_spent(
    spent_micros: int, why: NoFillReason
) -> None:
    pace = {"spent_micros": spent_micros}
    assert reason(Gates(), pace, bid_cents=100, budget=Budget(10_000, None)) is why


def test_a_click_campaign_needs_what_a_fill_is_expected_to_cost() -> None:
    changes: dict[str, Any] = {
        "pricing_model": PricingModel.CPC,
        "bid_cents": 50,
        "budget": Budget(500_000, None),
    }
    assert reason(Gates(available_micros={CAMPAIGN: 500}), **changes) is None
    assert reason(Gates(available_micros={CAMPAIGN: 499}), **changes) is NoFillReason.PACED


def test_test_traffic_and_flat_rates_spend_no_budget_by_the_event() -> None:
    budget = Budget(10, None)
    assert reason(Gates(), environment=Environment.TEST, budget=budget) is None
    flat = {"pricing_model": PricingModel.FLAT_RATE, "bid_micros": 0}
    assert reason(Gates(), budget=budget, **flat) is None


def test_the_throttle_draw_depends_on_the_seed_alone() -> None:
    seeds = range(300)
    passed = [reason(Gates(), {"pass_ppm": 400_000}, seed) is None for seed in seeds]
    assert passed == [passes_throttle(400_000, CAMPAIGN, seed) for seed in seeds]
    assert {True, False} == set(passed)


def test_the_throttle_draw_of_a_lease_depends_on_the_seed_alone() -> None:
    seeds = range(300)
    gates = Gates(available_micros={CAMPAIGN: 10_000}, pass_rates={CAMPAIGN: 400_000})
    passed = [reason(gates, None, seed, budget=Budget(10_000, None)) is None for seed in seeds]
    assert passed == [passes_throttle(400_000, CAMPAIGN, seed) for seed in seeds]
    assert reason(gates, None, passed.index(False)) is None


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (None, NoFillReason.CAP_NOT_KNOWN),
        ({}, None),
        (1, None),
        (2, NoFillReason.FREQUENCY_CAPPED),
    ],
)
def test_a_cap_excludes_at_its_limit_and_where_counts_are_unknown(
    counts: int | dict[str, int] | None, expected: NoFillReason | None
) -> None:
    made = a_campaign(id=CAMPAIGN)
    if isinstance(counts, int):
        counts = {cap_key(CAP, made, an_ad(made)): counts}
    assert reason(Gates(counts=counts), frequency_caps=(CAP,)) is expected


def test_a_candidate_that_no_gate_excludes_fills() -> None:
    assert isinstance(outcome(Gates()), Fill)


def _many(count: int, **free: Any) -> tuple[Snapshot, Opportunity, list[Campaign], Campaign]:
    """*count* campaigns with a budget, each worth more than the next, and one of less worth that needs none."""
    slot = a_slot()
    rich = [a_campaign(bid_cents=9_999 - at, budget=Budget(10**9, None)) for at in range(count)]
    poor = a_campaign(bid_cents=1, **free)
    ads = [an_ad(campaign) for campaign in (*rich, poor)]
    return a_snapshot(slot, *rich, poor, *ads), an_opportunity(slot), rich, poor


def test_a_decision_with_many_unknown_budgets_falls_back_to_campaigns_without_one() -> None:
    snapshot, opportunity, rich, poor = _many(MAX_UNKNOWN_BUDGETS + 50)
    waiting = RecordingLookup({one.id: BUDGET_UNKNOWN for one in rich[:-1]} | {rich[-1].id: 10**9})
    found = decide(snapshot, opportunity, Gates(available_micros=waiting), NOW_MS, 0)
    assert isinstance(found, Fill)
    assert found.campaign == poor
    assert len(waiting.seen) == MAX_UNKNOWN_BUDGETS


def test_a_decision_continues_while_fewer_budgets_are_unknown() -> None:
    snapshot, opportunity, rich, _ = _many(MAX_UNKNOWN_BUDGETS + 50)
    text = {one.id: BUDGET_UNKNOWN for one in rich[: MAX_UNKNOWN_BUDGETS - 1]}
    text |= {rich[-1].id: 10**9}
    found = decide(snapshot, opportunity, Gates(available_micros=text), NOW_MS, 0)
    assert isinstance(found, Fill)
    assert found.campaign == rich[-1]


def test_with_no_campaign_without_a_budget_the_decision_is_paced() -> None:
    snapshot, opportunity, rich, _ = _many(MAX_UNKNOWN_BUDGETS, status=CampaignStatus.PAUSED)
    waiting = {one.id: BUDGET_UNKNOWN for one in rich}
    found = decide(snapshot, opportunity, Gates(available_micros=waiting), NOW_MS, 0)
    assert found == NoFill(NoFillReason.PACED)


def test_a_replay_explains_campaigns_that_were_never_considered() -> None:
    snapshot, opportunity, rich, poor = _many(MAX_UNKNOWN_BUDGETS + 5)
    gates = recording(Gates(available_micros={one.id: BUDGET_UNKNOWN for one in rich}))
    decide(snapshot, opportunity, gates, NOW_MS, 0)
    reported = explain(snapshot, opportunity, replayed(recorded_lookups(gates)), NOW_MS, 0)
    assert [line.dropped_by for line in reported.considered[: len(rich)]] == [
        NoFillReason.PACED for _ in rich
    ]
    assert (reported.considered[len(rich)].campaign_id, reported.considered[len(rich)].won) == (
        poor.id,
        True,
    )


def test_a_campaign_that_gains_or_loses_its_budget_is_found_after_the_change() -> None:
    snapshot, opportunity, rich, poor = _many(MAX_UNKNOWN_BUDGETS)
    waiting = Gates(available_micros={one.id: BUDGET_UNKNOWN for one in rich})
    decide(snapshot, opportunity, waiting, NOW_MS, 0)
    last = rich[-1]
    changed = [replace(last, budget=None), replace(poor, budget=Budget(10**9, None))]
    entries = [ObjectChange(ObjectType.CAMPAIGN, one.id, encode_object(one)) for one in changed]
    after = apply_entries(snapshot, snapshot.version + 1, entries)
    found = decide(after, opportunity, waiting, NOW_MS, 0)
    assert isinstance(found, Fill)
    assert found.campaign.id == last.id
