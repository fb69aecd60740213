"""
The probability with which a candidate is let by, moved in steps so that spend follows its plan.

A multiplicative controller on a pass-through probability, per campaign (Agarwal et al., KDD 2014), with the two lessons
that were paid for elsewhere: the denominator of the ratio has a floor, and the step down is twice the step up.

The plan itself is held by leases. The coin is there so that a lease lasts: of more requests than it is worth those that
come first would take it all in an instant, at every worker anew each second.
"""

from dataclasses import dataclass

WHOLE = 1_000_000
"""Parts per million."""
LEAST = 10_000
"""Never fully closed: one candidate of a hundred still shows whether there is demand."""
STEP_MS = 1_000
"""As often as workers report."""
FEW_UNITS = 5
"""With fewer planned in a horizon there is no coin: its chance would outweigh its plan, and leases hold it alone."""
_UP = 110
_DOWN = 80
_TOLERANCE = WHOLE // 20
"""A twentieth off the plan is on it, so that the coin rests."""
_FLOOR_DIVISOR = 100
_MAX_STEPS = 50
"""From `LEAST` to `WHOLE`."""


def floor_of(budget_micros: int) -> int:
    """The least a plan of a budget counts as: a hundredth of it."""
    return max(1, budget_micros // _FLOOR_DIVISOR)


def pace_ratio(*, used_micros: int, planned_micros: int, floor_micros: int) -> int:
    """
    Spend and in-flight over plan, in parts per million; `WHOLE` is on plan.

    *floor_micros*, above 0: what the plan counts as at least. In a dead hour a ratio of two tiny numbers says nothing,
    and would shut the campaign for the hours after.
    """
    return used_micros * WHOLE // max(planned_micros, floor_micros)


def next_pass_through(current: int, ratio: int) -> int:
    """One step from *current*: a tenth up when behind, a fifth down when ahead; `LEAST` … `WHOLE`."""
    if abs(ratio - WHOLE) <= _TOLERANCE:
        return current
    factor = _DOWN if ratio > WHOLE else _UP
    return min(WHOLE, max(LEAST, current * factor // 100))


@dataclass(slots=True)
class PassRateController:
    """
    Of one campaign. ``committed_micros`` since ``since_ms``, by all workers; ``is_empty``: one was asked and had
    nothing, so that what was committed says nothing of what could be.
    """

    since_ms: int
    pass_ppm: int = WHOLE
    committed_micros: int = 0
    is_empty: bool = False

    def hear(self, committed_micros: int, *, is_empty: bool) -> None:
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
        *planned_micros*: by the plan in the horizon; *due_micros*: the same with what is behind or ahead of it. True
        where the coin is another one now.

        At the pace since the last step so much would be used in the horizon; an empty lease counts as twice the plan.
        """
        used_micros = self.committed_micros * horizon_ms // max(1, now_ms - self.since_ms)
        floor_micros = FEW_UNITS * unit_micros
        before = self.pass_ppm
        if planned_micros < floor_micros:
            self.pass_ppm = WHOLE
        else:
            ratio = pace_ratio(
                used_micros=used_micros, planned_micros=due_micros, floor_micros=floor_micros
            )
            self.pass_ppm = self._stepped(2 * WHOLE if self.is_empty else ratio, now_ms)
        self.since_ms, self.committed_micros, self.is_empty = now_ms, 0, False
        return self.pass_ppm != before

    def _stepped(self, ratio: int, now_ms: int) -> int:
        """Down by one step; up by as many as seconds went by: in a dead hour nobody commits, and no step is made."""
        steps = (now_ms - self.since_ms) // STEP_MS if ratio < WHOLE else 1
        found = self.pass_ppm
        for _ in range(min(steps, _MAX_STEPS)):
            found = next_pass_through(found, ratio)
        return found
