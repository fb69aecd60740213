"""The word for an age."""

import pytest

from edge.snapshots.age import AgeState, classify_age


@pytest.mark.parametrize(
    ("age_s", "state"),
    [
        (None, AgeState.MISSING),
        (0.0, AgeState.CURRENT),
        (60.0, AgeState.CURRENT),
        (60.1, AgeState.DEGRADED),
        (3_600.1, AgeState.STALE),
        (86_400.0, AgeState.STALE),
        (86_400.1, AgeState.DEAD),
    ],
)
def test_an_age_is_judged_by_three_bounds(age_s: float | None, state: AgeState) -> None:
    assert classify_age(age_s, stale_after_s=3_600, snapshot_max_age_s=86_400) is state


def test_shorter_bounds_win_over_the_minute() -> None:
    assert classify_age(2.0, stale_after_s=1, snapshot_max_age_s=10) is AgeState.STALE
