"""What remains of a budget, by the last pace that the control plane published."""

import pytest

from common.budget.remaining import left_micros
from common.snapshot.model import Budget, Pace

TODAY = "2026-11-21"


def a_pace(*, ever: int = 0, today: int = 0, day: str = TODAY) -> Pace:
    return Pace("c", spent_micros=ever, spent_today_micros=today, day=day)


@pytest.mark.parametrize(
    ("budget", "pace", "left"),
    [
        (Budget(100, 30), None, 30),
        (Budget(100, None), a_pace(ever=40), 60),
        (Budget(None, 30), a_pace(ever=40, today=10), 20),
        (Budget(100, 30), a_pace(ever=90, today=10), 10),
        (Budget(100, 30), a_pace(ever=60, today=25), 5),
        (Budget(100, 30), a_pace(ever=60, today=25, day="2026-11-20"), 30),
        (Budget(100, 30), a_pace(ever=60, today=25, day="2026-11-22"), 5),
        (Budget(100, None), a_pace(ever=140), 0),
        (Budget(None, None), None, 0),
    ],
)
def test_the_tighter_bound_of_the_day_counts(budget: Budget, pace: Pace | None, left: int) -> None:
    assert left_micros(budget, pace, TODAY) == left
