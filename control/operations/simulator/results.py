"""Results of a simulation: what each campaign delivered by each hour, compared with its plan and its bill."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from control.operations.simulator.scenario import HOUR_MS, Scenario
from control.operations.simulator.world import SimulatedCampaign

WORST_SHARE = 0.05
WORST_EVENTS = 3
"""A campaign is on plan within the greater of the two: a share of the planned amount, and a number of events."""


@dataclass(slots=True)
class SimulationResult:
    """Micros by the end of each hour. ``charged_micros`` is billed; ``delivered`` is everything, billed or not."""

    order: SimulatedCampaign
    delivered: list[int] = field(default_factory=list)
    planned: list[int | None] = field(default_factory=list)
    charged_micros: int = 0

    @property
    def budget_micros(self) -> int:
        budget = self.order.campaign.budget
        return 0 if budget is None else budget.total_micros or 0

    @property
    def share(self) -> float:
        """The share of the budget that was delivered."""
        return self.delivered[-1] / max(1, self.budget_micros)

    @property
    def over_micros(self) -> int:
        """Delivered beyond the budget; never billed."""
        return max(0, self.delivered[-1] - self.budget_micros)

    def error(self, hour: int) -> float:
        """Deviation from the plan, divided by the tolerance: at most 1 is on plan. 0 where there is no plan."""
        planned, price = self.planned[hour], self.order.unit_micros
        if planned is None:
            return 0.0
        allowed = max(planned * WORST_SHARE, WORST_EVENTS * price)
        return abs(self.delivered[hour] - planned) / allowed


@dataclass(frozen=True, slots=True)
class Outcome:
    """``opportunities``, ``filled``: by hour. ``seconds``: processor time of ``decisions`` and all pacing."""

    scenario: Scenario
    results: Mapping[str, SimulationResult]
    opportunities: Sequence[int]
    filled: Sequence[int]
    seconds: float

    @property
    def decisions(self) -> int:
        return sum(self.opportunities)

    @property
    def overspent_micros(self) -> int:
        """Billed beyond budgets: 0, or the ledger is wrong."""
        return sum(max(0, one.charged_micros - one.budget_micros) for one in self.results.values())

    @property
    def delivered_share(self) -> float:
        """The share of all budgets together that was charged."""
        budgets = sum(one.budget_micros for one in self.results.values())
        return sum(one.charged_micros for one in self.results.values()) / max(1, budgets)

    def judged(self, result: SimulationResult) -> range:
        """Hours of its flight after the warm-up."""
        scenario, order = self.scenario, result.order
        first = (order.start_ms - scenario.start_ms) // HOUR_MS + scenario.warm_up_h
        last = (order.end_ms - scenario.start_ms) // HOUR_MS
        return range(first, min(last, scenario.hours))

    def hours_off_plan(self, result: SimulationResult) -> list[int]:
        return [hour for hour in self.judged(result) if result.error(hour) > 1]
