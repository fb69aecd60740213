"""
The probability with which a candidate is let by, moved in steps so that spend follows its plan.

A multiplicative controller on a pass-through probability, per campaign (Agarwal et al., KDD 2014), with the two lessons
that were paid for elsewhere: the denominator of the ratio has a floor, and the step down is twice the step up.
"""

from common.pacing.plan import WHOLE

LEAST = 10_000
"""Never fully closed: one candidate of a hundred still shows whether there is demand."""
_UP = 110
_DOWN = 80
_FLOOR_DIVISOR = 100


def pace_ratio(*, used_micros: int, planned_micros: int, budget_micros: int) -> int:
    """
    Spend and in-flight over plan, in parts per million; `WHOLE` is on plan.

    The plan counts as at least a hundredth of the budget: in a dead hour a ratio of two tiny numbers says nothing, and
    would shut the campaign for the hours after.
    """
    floor = max(1, budget_micros // _FLOOR_DIVISOR)
    return used_micros * WHOLE // max(planned_micros, floor)


def next_pass_through(current: int, ratio: int) -> int:
    """One step from *current*: a tenth up when behind, a fifth down when ahead; `LEAST` … `WHOLE`."""
    factor = _DOWN if ratio > WHOLE else _UP if ratio < WHOLE else 100
    return min(WHOLE, max(LEAST, current * factor // 100))
