"""How much should be spent by now, and how the pass-through follows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.pacing.controller import LEAST, next_pass_through, pace_ratio
from common.pacing.plan import WHOLE, daily_budget_micros, planned_share
from common.vocabulary import Pacing

SHARES = st.integers(0, WHOLE)


@pytest.mark.parametrize(
    ("daily", "remaining", "days", "today"),
    [
        (None, None, 3, None),
        (500, None, 3, 500),
        (None, 900, 3, 300),
        (500, 900, 3, 300),
        (200, 900, 3, 200),
        (500, -5, 3, 0),
        (None, 900, 0, 900),
    ],
)
def test_today_may_spend_the_daily_budget_or_its_part_of_the_rest(
    daily: int | None, remaining: int | None, days: int, today: int | None
) -> None:
    found = daily_budget_micros(daily_micros=daily, remaining_micros=remaining, remaining_days=days)

    assert found == today


@given(pacing=st.sampled_from(Pacing), earlier=SHARES, later=SHARES)
def test_a_plan_never_falls_and_ends_whole(pacing: Pacing, earlier: int, later: int) -> None:
    first, second = sorted((earlier, later))

    assert 0 <= planned_share(pacing, first) <= planned_share(pacing, second) <= WHOLE
    assert planned_share(pacing, WHOLE) == WHOLE


def test_front_loaded_runs_ahead_of_even_and_asap_of_both() -> None:
    quarter = WHOLE // 4

    assert planned_share(Pacing.EVEN, quarter) == 250_000
    assert planned_share(Pacing.FRONT_LOADED, quarter) == 328_125
    assert planned_share(Pacing.ASAP, quarter) == WHOLE


def test_a_dead_hour_does_not_blow_the_ratio_up() -> None:
    assert pace_ratio(used_micros=5_000, planned_micros=1, budget_micros=1_000_000) == 500_000
    assert pace_ratio(used_micros=7, planned_micros=0, budget_micros=0) == 7 * WHOLE


@given(current=st.integers(LEAST, WHOLE), ratio=st.integers(0, 50 * WHOLE))
def test_a_step_goes_against_the_ratio_and_never_shuts(current: int, ratio: int) -> None:
    after = next_pass_through(current, ratio)

    assert LEAST <= after <= WHOLE
    assert after <= current if ratio > WHOLE else after >= current


def test_the_step_down_is_twice_the_step_up() -> None:
    assert next_pass_through(500_000, 2 * WHOLE) == 400_000
    assert next_pass_through(500_000, WHOLE // 2) == 550_000
    assert next_pass_through(500_000, WHOLE) == 500_000
