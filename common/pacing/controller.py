"""
The pass-through probability of a candidate, changed in steps so that spend follows its plan.

It is a multiplicative controller on a pass-through probability, per campaign (Agarwal et al., KDD 2014), with two
lessons from other systems: the denominator of the ratio has a floor, and the step down is twice the step up.

Leases enforce the plan itself. The throttle makes a lease last. Without it, where there are more requests than the
lease is worth, the first ones would use all of it in an instant, at every worker, each second anew.
"""

from dataclasses import dataclass

WHOLE = 1_000_000
"""Parts per million."""
MIN_PASS_PPM = 10_000
"""Never fully closed: one candidate in a hundred still shows whether there is demand."""
STEP_MS = 1_000
"""The interval at which workers report."""
FEW_UNITS = 5
"""
With fewer units planned in a horizon there is no throttle:
its randomness would outweigh the plan, and leases suffice.
"""
_UP = 110
_DOWN = 80
_TOLERANCE = WHOLE // 20
"""Spend within a twentieth of the plan counts as on plan, so that the pass rate stays steady."""
_FLOOR_DIVISOR = 100
_MAX_STEPS = 50
"""Enough steps from `MIN_PASS_PPM` to `WHOLE`."""


def floor_of(budget_micros: int) -> int:
    """Returns the minimum that a budget's plan counts as: a hundredth of the budget."""
    return max(1, budget_micros // _FLOOR_DIVISOR)


def pace_ratio(*, used_micros: int, planned_micros: int, floor_micros: int) -> int:
    """
    Returns spend and in-flight over plan, in parts per million; `WHOLE` is on plan.

    *floor_micros*, above 0: the minimum that the plan counts as. In an hour without traffic, a ratio of two tiny
    numbers means nothing, and would throttle the campaign for hours.
    """
    return used_micros * WHOLE // max(planned_micros, floor_micros)


def next_pass_through(current: int, ratio: int) -> int:
    """One step from *current*: a tenth up when behind, a fifth down when ahead; `MIN_PASS_PPM` … `WHOLE`."""
    if abs(ratio - WHOLE) <= _TOLERANCE:
        return current
    factor = _DOWN if ratio > WHOLE else _UP
    return min(WHOLE, max(MIN_PASS_PPM, current * factor // 100))


@dataclass(slots=True)
class PassRateController:
    """
    Controls one campaign. ``committed_micros``: by all workers since ``since_ms``. ``is_empty``: a worker had a request
    and no lease left, so the committed amount does not show the possible one.
    """

    since_ms: int
    pass_rate_ppm: int = WHOLE
    committed_micros: int = 0
    is_empty: bool = False

    def observe(self, committed_micros: int, *, is_empty: bool) -> None:
        self.committed_micros += committed_micros
        self.is_empty |= is_empty

    def is_due(self, now_ms: int) -> bool:
        return now_ms - self.since_ms >= STEP_MS

    def step(
        self,
        *,
        planned_micros: int,
        due_micros: int,
        horizon_ms: int,
        unit_micros: int,
        now_ms: int,
    ) -> bool:
        """
        *planned_micros*: by the plan in the horizon; *due_micros*: the same with what spend is behind or ahead of it.
        Returns True where the pass rate changed.

        It extrapolates the pace since the last step over the horizon; an empty lease counts as twice the plan.
        """
        used_micros = self.committed_micros * horizon_ms // max(1, now_ms - self.since_ms)
        floor_micros = FEW_UNITS * unit_micros
        before = self.pass_rate_ppm
        if planned_micros < floor_micros:
            self.pass_rate_ppm = WHOLE
        else:
            ratio = pace_ratio(
                used_micros=used_micros, planned_micros=due_micros, floor_micros=floor_micros
            )
            self.pass_rate_ppm = self._stepped(2 * WHOLE if self.is_empty else ratio, now_ms)
        self.since_ms, self.committed_micros, self.is_empty = now_ms, 0, False
        return self.pass_rate_ppm != before

    def _stepped(self, ratio: int, now_ms: int) -> int:
        """
        Goes down by one step, and up by one step for each second that passed: without traffic no worker commits, and no
        step is made.
        """
        steps = (now_ms - self.since_ms) // STEP_MS if ratio < WHOLE else 1
        found = self.pass_rate_ppm
        for _ in range(min(steps, _MAX_STEPS)):
            found = next_pass_through(found, ratio)
        return found
