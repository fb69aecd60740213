"""
Budgets in a forecast: each sampled request stands for many, and plans are updated every hour.

The plan is the one that leases follow (`common.pacing.plan`); the delays of leasing are left out.
"""

from common.budget.local_day import local_day
from common.budget.remaining import total_left_micros
from common.decision.dynamic_gates import expected_micros
from common.decision.rules.chance import salt_of, splitmix64
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.outcome import Fill
from common.pacing.curve import HOUR_MS, Curve
from common.pacing.plan import Plan, Terms
from common.snapshot.model import Campaign
from common.snapshot.snapshot import Snapshot
from common.values.enums import Pacing, PricingModel
from control.reporting.forecast.job import Job

_PLENTY = 1 << 60
_PPM = 1_000_000
_EVENT_PARTS = 100


class Spending:
    """The spending of one campaign in the period. *limit_micros*: None where there is no such limit."""

    def __init__(
        self,
        campaign: Campaign,
        pacing: Pacing,
        curve: Curve,
        *,
        limit_micros: int | None,
        from_ms: int,
        until_ms: int,
    ) -> None:
        self.used_micros = 0
        self._timezone = campaign.timezone
        self._pacing = pacing
        self._curve = curve
        self._daily = None if campaign.budget is None else campaign.budget.daily_micros
        self._limit = limit_micros
        self._plan: Plan | None = None
        if limit_micros is not None and pacing is not Pacing.ASAP and campaign.end_at_ms:
            terms = Terms(limit_micros, 1, pacing, from_ms, until_ms, curve)
            self._plan = Plan(terms, 0, from_ms)
        self._hour = -1
        self._day = ""
        self._day_plan: Terms | None = None
        self._used_before = 0

    def available_micros(self, now_ms: int) -> int:
        """What the plan of that instant leaves; below 0 where spending is ahead of it."""
        hour = now_ms // HOUR_MS
        if hour != self._hour:
            self._advance(hour, now_ms)
        planned = _PLENTY if self._limit is None else self._limit
        if self._plan is not None:
            planned = self._plan.planned_micros(now_ms)
        if self._daily is not None:
            planned = min(planned, self._used_before + self._today(now_ms))
        return planned - self.used_micros

    def _advance(self, hour: int, now_ms: int) -> None:
        """Every hour, spreads what was missed over the remaining time, and begins new days."""
        self._hour = hour
        if self._plan is not None:
            self._plan.follow(self.used_micros, now_ms)
        if self._daily is None:
            return
        day = local_day(self._timezone, now_ms)
        if day.name == self._day:
            return
        self._day, self._used_before = day.name, self.used_micros
        if self._pacing is not Pacing.ASAP:
            self._day_plan = Terms(
                self._daily, 1, self._pacing, day.start_ms, day.end_ms, self._curve
            )

    def _today(self, now_ms: int) -> int:
        daily = self._daily or 0
        return daily if self._day_plan is None else self._day_plan.planned_micros(now_ms)


class CompetingBudgets:
    """Budgets of the campaigns that run already, in the form that `decide` takes."""

    def __init__(self, job: Job, snapshot: Snapshot, curve: Curve, weight: float) -> None:
        self._snapshot = snapshot
        self._weight = weight
        self._now_ms = job.from_ms
        self._seed = 0
        self._costs: dict[str, int] = {}
        self._spending = {
            one.id: _spending_of(job, snapshot, one, curve)
            for one in snapshot.campaigns.values()
            if is_spent_by_event(one)
        }

    def advance_to(self, now_ms: int, seed: int) -> "CompetingBudgets":
        """The same object, at the request of *now_ms*."""
        self._now_ms, self._seed = now_ms, seed
        return self

    def get(self, name: str, default: int, /) -> int:
        """Plenty if the budget pays for all that the sampled request stands for; for a part of it, drawn by chance."""
        spending = self._spending.get(name)
        if spending is None:
            return default
        opened = spending.available_micros(self._now_ms)
        if opened <= 0:
            return 0
        cost = self._cost_of(self._snapshot.campaigns[name]) * self._weight
        if opened >= cost or splitmix64(self._seed, salt_of(name)) % _PPM < opened * _PPM / cost:
            return _PLENTY
        return 0

    def _cost_of(self, campaign: Campaign) -> int:
        """
        Cost of an impression, from the campaign's last fill. Before the first fill: the bid, or a hundredth of it where
        the pricing model is not CPM.
        """
        known = self._costs.get(campaign.id)
        if known is not None:
            return known
        parts = 1 if campaign.pricing_model is PricingModel.CPM else _EVENT_PARTS
        return max(1, campaign.bid_micros // parts)

    def commit(self, fill: Fill, slot_id: str) -> None:
        spending = self._spending.get(fill.campaign.id)
        if spending is not None:
            micros = expected_micros(self._snapshot, slot_id, fill.campaign, fill.ad)
            self._costs[fill.campaign.id] = micros
            spending.used_micros += round(micros * self._weight)


def proposed_spending(job: Job, curve: Curve) -> Spending:
    """Of the proposed campaign: all of its budget is for its flight."""
    campaign = job.campaign
    start_ms = max(job.from_ms, campaign.start_at_ms or job.from_ms)
    end_ms = min(job.until_ms, campaign.end_at_ms or job.until_ms)
    limit = None if campaign.budget is None else campaign.budget.total_micros
    if limit is not None:
        limit = _part(limit, campaign, curve, job.now_ms, start_ms, end_ms)
    return Spending(
        campaign, job.pacing, curve, limit_micros=limit, from_ms=start_ms, until_ms=end_ms
    )


def _spending_of(job: Job, snapshot: Snapshot, campaign: Campaign, curve: Curve) -> Spending:
    pace, budget = snapshot.paces.get(campaign.id), campaign.budget
    start_ms = max(job.from_ms, campaign.start_at_ms or job.from_ms)
    end_ms = max(start_ms, min(job.until_ms, campaign.end_at_ms or job.until_ms))
    limit = None if budget is None else total_left_micros(budget, pace)
    if limit is not None:
        limit = _part(max(0, limit), campaign, curve, job.now_ms, start_ms, end_ms)
    pacing = job.pacings.get(campaign.id, Pacing.EVEN)
    return Spending(campaign, pacing, curve, limit_micros=limit, from_ms=start_ms, until_ms=end_ms)


def _part(  # noqa: PLR0917 - a budget, its flight, and the part asked for
    limit: int, campaign: Campaign, curve: Curve, now_ms: int, start_ms: int, end_ms: int
) -> int:
    """The part of *limit* for the given time, where the flight continues after it or begins before it."""
    if campaign.end_at_ms is None:
        return limit
    whole_ms = max(now_ms, campaign.start_at_ms or now_ms), campaign.end_at_ms
    whole = curve.until(whole_ms[1]) - curve.until(whole_ms[0])
    return limit * max(0, curve.until(end_ms) - curve.until(start_ms)) // max(1, whole)
