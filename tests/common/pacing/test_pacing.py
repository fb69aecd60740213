"""How the pass-through follows the plan."""

from hypothesis import given
from hypothesis import strategies as st

from common.pacing.controller import (
    MIN_PASS_PPM,
    WHOLE,
    PassRateController,
    floor_of,
    next_pass_through,
    pace_ratio,
)

UNIT = 1_000
PLENTY = 1_000 * UNIT


def a_step(controller: PassRateController, now_ms: int, *, due: int = PLENTY) -> bool:
    return controller.step(
        planned_micros=PLENTY, due_micros=due, horizon_ms=4_000, unit_micros=UNIT, now_ms=now_ms
    )


def test_an_hour_without_traffic_does_not_inflate_the_ratio() -> None:
    floor = floor_of(1_000_000)
    assert pace_ratio(used_micros=5_000, planned_micros=1, floor_micros=floor) == 500_000
    assert pace_ratio(used_micros=7, planned_micros=0, floor_micros=floor_of(0)) == 7 * WHOLE


@given(current=st.integers(MIN_PASS_PPM, WHOLE), ratio=st.integers(0, 50 * WHOLE))
def test_a_step_counters_the_ratio_and_never_closes_pass_through(current: int, ratio: int) -> None:
    after = next_pass_through(current, ratio)

    assert MIN_PASS_PPM <= after <= WHOLE
    assert after <= current if ratio > WHOLE else after >= current


def test_the_step_down_is_twice_the_step_up() -> None:
    assert next_pass_through(500_000, 2 * WHOLE) == 400_000
    assert next_pass_through(500_000, WHOLE // 2) == 550_000
    assert next_pass_through(500_000, WHOLE * 104 // 100) == 500_000


def test_pass_through_falls_while_leases_run_out_and_holds_at_the_plans_pace() -> None:
    controller = PassRateController(0)
    controller.observe(PLENTY // 4, is_empty=True)
    assert a_step(controller, 1_000)
    assert controller.pass_rate_ppm == WHOLE * 8 // 10
    controller.observe(PLENTY // 4, is_empty=False)
    assert not a_step(controller, 2_000)


def test_after_an_hour_without_traffic_one_commit_restores_pass_through() -> None:
    controller = PassRateController(0, pass_rate_ppm=MIN_PASS_PPM)
    controller.observe(UNIT, is_empty=False)
    assert a_step(controller, 3_600_000, due=300 * PLENTY)
    assert controller.pass_rate_ppm == WHOLE


def test_a_budget_of_few_events_is_not_throttled() -> None:
    controller = PassRateController(0, pass_rate_ppm=MIN_PASS_PPM)
    controller.observe(50 * UNIT, is_empty=True)
    controller.step(
        planned_micros=4 * UNIT, due_micros=4 * UNIT, horizon_ms=4_000, unit_micros=UNIT, now_ms=1
    )
    assert controller.pass_rate_ppm == WHOLE
