"""Leases that follow a plan, with a clock that tests move: workers, demand as it comes, and what is spent by when."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from common.decision.dynamic_gates import PPM, passes_throttle
from common.pacing.controller import WHOLE
from common.pacing.curve import HOUR_MS, HOURS, UNIFORM, Curve
from common.pacing.lease_messages import (
    encode_grants,
    encode_report,
    parse_grants,
    parse_report,
    run_to_end,
)
from common.pacing.plan import Terms
from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.model import Budget, Campaign
from common.values.enums import Pacing
from control.delivery.leasing.budget_limits import BudgetFigures, BudgetLimit
from control.delivery.leasing.in_flight import STEP_MS
from control.delivery.leasing.lease_allocator import LeaseAllocator
from tests.support.builders import NOW_MS, a_campaign, a_snapshot

CAMPAIGN_ID = "01940b3e-0000-7000-8000-0000000000c1"
"""Always the same, because the throttle draw follows from it."""
UNIT = 1_000
SETTLE_MS = 660_000
SECOND_MS = 1_000
START_MS = NOW_MS - NOW_MS % (HOURS * HOUR_MS)


@dataclass
class Market:
    """One campaign at some workers; every serve is charged at once. *demand*: chances a second and worker, by hour."""

    units: int
    hours: int
    demand: Callable[[float], int]
    workers: int = 2
    pacing: Pacing = Pacing.EVEN
    curve: Curve = UNIFORM
    spent: list[int] = field(default_factory=list)
    """Instants, in ms since the start."""
    asked: int = 0

    def __post_init__(self) -> None:
        self.limit = self.units * UNIT
        self.end_ms = START_MS + self.hours * HOUR_MS
        self.campaign: Campaign = a_campaign(
            id=CAMPAIGN_ID, bid_cents=100, budget=Budget(self.limit, None)
        )
        self.snapshot = a_snapshot(self.campaign)
        self.budgets = [LeasedBudgets() for _ in range(self.workers)]
        self.allocator = LeaseAllocator(1, settle_ms=SETTLE_MS)
        self.now_ms = START_MS

    @property
    def terms(self) -> Terms:
        return Terms(self.limit, UNIT, self.pacing, START_MS, self.end_ms, self.curve)

    def run(self, hours: float, *, step_ms: int = SECOND_MS) -> None:
        until_ms = self.now_ms + round(hours * HOUR_MS)
        while self.now_ms < until_ms:
            self.now_ms += step_ms
            chances = self.demand((self.now_ms - START_MS) / HOUR_MS) * step_ms // SECOND_MS
            for number, budgets in enumerate(self.budgets):
                self._serve(budgets, chances)
                self._exchange(str(number), budgets)

    def share_spent(self, hours: float) -> float:
        """Of the budget, by then."""
        return sum(at_ms <= hours * HOUR_MS for at_ms in self.spent) / self.units

    @property
    def pass_ppm(self) -> int:
        return self.budgets[0].pass_rates.get(self.campaign.id, WHOLE)

    def _serve(self, budgets: LeasedBudgets, chances: int) -> None:
        name = self.campaign.id
        budgets.check_term(self.now_ms)
        lookup = budgets.available_micros(self.snapshot, self.now_ms)
        for _ in range(chances):
            self.asked += 1
            if lookup.get(name, 0) < UNIT:
                continue
            if passes_throttle(
                budgets.pass_rates.get(name, PPM), name, self.asked * 0x9E3779B97F4A7C15
            ):
                budgets.commit(self.snapshot, self.campaign, UNIT, self.now_ms)
                self.spent.append(self.now_ms - START_MS)

    def _exchange(self, worker: str, budgets: LeasedBudgets) -> None:
        report = parse_report(encode_report(budgets.report(self.now_ms)))
        run_to_end(self.allocator.receive_report_steps(worker, report, self.now_ms))
        first_ms = (self.now_ms - SETTLE_MS) // STEP_MS * STEP_MS - START_MS
        young = len(self.spent) - bisect_left(self.spent, first_ms)
        bound = BudgetLimit(self.limit, len(self.spent) * UNIT, young * UNIT, self.terms)
        run_to_end(
            self.allocator.grant_steps(
                {self.campaign.id: BudgetFigures(UNIT, bound, None)}, self.now_ms
            )
        )
        run_to_end(self.allocator.take_round_steps())
        budgets.apply(
            parse_grants(encode_grants(run_to_end(self.allocator.grants_steps(worker, {}))))
        )


def test_an_even_budget_is_spent_evenly_and_whole() -> None:
    market = Market(units=2_000, hours=4, demand=lambda _: 5)
    market.run(4)
    assert len(market.spent) >= 1_998
    for hour in (1, 2, 3):
        assert market.share_spent(hour) == pytest.approx(hour / 4, abs=0.02)


def test_a_budget_follows_the_traffic_and_not_the_clock() -> None:
    busy = Curve([9 if hour % 4 == 3 else 1 for hour in range(HOURS)])
    market = Market(units=1_200, hours=4, demand=lambda _: 5, curve=busy)
    market.run(4)
    shares = [market.share_spent(hour) for hour in (1, 2, 3, 4)]
    assert shares == pytest.approx([1 / 12, 2 / 12, 3 / 12, 1], abs=0.05)


def test_front_loaded_pacing_is_ahead_by_its_stated_share() -> None:
    market = Market(units=2_000, hours=4, demand=lambda _: 5, pacing=Pacing.FRONT_LOADED)
    market.run(2)
    assert market.share_spent(1) == pytest.approx(0.328, abs=0.02)
    assert market.share_spent(2) == pytest.approx(0.6125, abs=0.02)


def test_an_hour_without_traffic_is_recovered_over_the_rest_without_a_burst() -> None:
    market = Market(units=3_000, hours=5, demand=lambda hour: 0 if 1 < hour <= 2 else 5)
    market.run(5)
    assert len(market.spent) >= 2_997
    rest = [market.share_spent(hour) for hour in (1, 2, 3, 4, 5)]
    assert rest[1] - rest[0] == pytest.approx(0, abs=0.001)
    for before, after in pairwise(rest[1:]):
        assert after - before == pytest.approx(0.8 / 3, abs=0.03)


def test_a_budget_of_few_events_is_served_at_its_planned_times() -> None:
    market = Market(units=4, hours=4, demand=lambda _: 3)
    market.run(4)
    assert [round(at_ms / HOUR_MS, 2) for at_ms in market.spent] == pytest.approx(
        [0, 1, 2, 3], abs=0.05
    )


def test_a_traffic_peak_lowers_pass_through_until_leases_last_and_the_plan_holds() -> None:
    market = Market(units=36_000, hours=1, demand=lambda _: 200)
    market.run(0.25)
    market.asked, before = 0, len(market.spent)
    market.run(0.1)
    taken = (len(market.spent) - before) / market.asked
    assert market.share_spent(0.25) == pytest.approx(0.25, abs=0.02)
    assert market.share_spent(0.35) == pytest.approx(0.35, abs=0.02)
    assert market.pass_ppm / WHOLE == pytest.approx(taken, rel=0.5)


def test_the_budget_of_a_campaign_is_spread_over_the_seconds() -> None:
    """With leases alone all of a second's spend falls into its first chances."""
    market = Market(units=36_000, hours=1, demand=lambda _: 200, workers=1)
    market.run(0.1)
    last = [at for at in market.spent if at > 0.09 * HOUR_MS]
    seconds = len({at // SECOND_MS for at in last})
    assert seconds >= 0.9 * 0.01 * HOUR_MS / SECOND_MS


def test_after_a_night_pass_through_recovers() -> None:
    def demand(hour: float) -> int:
        return 200 if hour < 0.1 else 0 if hour < 0.5 else 12

    market = Market(units=36_000, hours=1, demand=demand)
    market.run(0.1)
    assert market.pass_ppm < WHOLE // 10
    market.run(0.42)
    assert market.pass_ppm > WHOLE // 4
    market.run(0.48)
    assert market.share_spent(1) >= 0.99


def test_where_traffic_is_short_all_of_it_is_used() -> None:
    market = Market(units=100_000, hours=1, demand=lambda _: 3, workers=1)
    market.run(1)
    assert len(market.spent) >= 0.99 * market.asked
