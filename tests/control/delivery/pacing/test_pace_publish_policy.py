"""When the delivery of a campaign is published to edges again."""

import pytest

from common.snapshot.model import Pace
from control.delivery.pacing.pace_publish_policy import is_due
from control.outbox.pace_objects import Bounds, Delivered

DAY = "2026-03-01"
TOTAL = Bounds(total_micros=100_000)
DAILY = Bounds(daily_micros=1_000)
GOAL = Bounds(goal=500)


def known(spent: int = 0, today: int = 0, counted: int = 0, day: str = DAY) -> Pace:
    return Pace("c", spent, today, day, counted)


def now(spent: int = 0, counted: int = 0, day: str = DAY) -> Delivered:
    return Delivered(spent, counted, day)


@pytest.mark.parametrize(
    ("bounds", "before", "after"),
    [
        (TOTAL, known(spent=5_000), now(spent=6_000)),
        (TOTAL, known(spent=99_999), now(spent=100_000)),
        (TOTAL, known(spent=5_000), now(spent=4_999)),
        (DAILY, known(spent=5_000, today=500), now(spent=5_010)),
        (DAILY, known(spent=5_000, today=999), now(spent=5_001)),
        (DAILY, known(spent=5_000, today=999, day="2026-02-28"), now(spent=5_010)),
        (DAILY, known(spent=5_000, day=""), now(spent=5_000)),
        (GOAL, known(counted=10), now(counted=15)),
        (GOAL, known(counted=499), now(counted=500)),
        (TOTAL, None, now(spent=1)),
    ],
)
def test_a_pace_is_due_after_a_step_a_crossing_or_if_edges_lack_it(
    bounds: Bounds, before: Pace | None, after: Delivered
) -> None:
    assert is_due(before, after, bounds)


@pytest.mark.parametrize(
    ("bounds", "before", "after"),
    [
        (TOTAL, known(spent=5_000), now(spent=5_999)),
        (TOTAL, known(spent=100_000), now(spent=100_000)),
        (DAILY, known(spent=5_000, today=500), now(spent=5_009)),
        (DAILY, known(spent=5_000, today=999, day="2026-02-28"), now(spent=5_009)),
        (GOAL, known(counted=10), now(counted=14)),
        (TOTAL, None, now()),
        (Bounds(), known(), now(spent=10**9, counted=10**6)),
    ],
)
def test_a_change_below_a_step_waits(bounds: Bounds, before: Pace | None, after: Delivered) -> None:
    assert not is_due(before, after, bounds)


@pytest.mark.parametrize(
    ("bounds", "after", "due"),
    [
        (TOTAL, now(spent=5_001), True),
        (TOTAL, now(spent=5_000), False),
        (GOAL, now(5_000, 1), True),
    ],
)
def test_the_slower_check_publishes_any_change(bounds: Bounds, after: Delivered, due: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_due(known(spent=5_000), after, bounds, 0) is due
