"""What a campaign should have delivered by the end of an hour, computed as in `common.pacing.plan`."""

from common.pacing.curve import Curve
from common.pacing.plan import PPB, Terms, rest_share
from common.values.enums import Pacing
from control.operations.simulator.scenario import HOUR_MS, Scenario, at
from control.operations.simulator.world import SimulatedCampaign


class Planned:
    """
    The plan of one campaign.

    It is based on the usual traffic: a traffic spike does not change it. In an hour without requests nothing could be
    delivered, so its planned amount is spread over the rest, as `Plan` does.
    """

    def __init__(self, order: SimulatedCampaign, curve: Curve) -> None:
        budget = order.campaign.budget
        limit = 0 if budget is None else budget.total_micros or 0
        pacing = Pacing.EVEN if order.pacing is Pacing.ASAP else order.pacing
        unit = order.unit_micros
        self._terms = Terms(limit, unit, pacing, order.start_ms, order.end_ms, curve)
        self._is_paced = order.pacing is not Pacing.ASAP
        self._at = self._micros = 0

    def at_end_of(self, hour_ms: int, *, is_dead: bool) -> int | None:
        """Micros planned; None where the only plan is to be fast. Call it for one hour after the other."""
        if not self._is_paced:
            return None
        passed = self._terms.passed(hour_ms)
        if not is_dead:
            share = rest_share(self._terms.pacing, self._at, passed)
            self._micros += (self._terms.limit_micros - self._micros) * share // PPB
        self._at = passed
        return self._micros


def is_dead(scenario: Scenario, hour: int) -> bool:
    return any(
        at(scenario, dead.from_h) <= scenario.start_ms + hour * HOUR_MS
        and scenario.start_ms + (hour + 1) * HOUR_MS <= at(scenario, dead.from_h + dead.for_h)
        for dead in scenario.traffic.dead
    )
