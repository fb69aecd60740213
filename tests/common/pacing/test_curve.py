"""A week's traffic: additive, learned as far as it was seen, and never nothing where something may come."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.budget.local_day import local_day
from common.decision.rules.kinds.daypart import Window
from common.pacing.curve import (
    HOUR_MS,
    HOURS,
    MICRO,
    UNIFORM,
    Curve,
    in_dayparts,
    learned_weights,
    summed,
)
from common.values.clock import to_ms

WEIGHTS = st.lists(st.integers(0, 10**9), min_size=HOURS, max_size=HOURS)
INSTANTS = st.integers(0, 4 * 10**12)
MONDAY = 4 * 24
"""The epoch began on a Thursday."""


@given(WEIGHTS, INSTANTS, INSTANTS, INSTANTS)
def test_traffic_between_instants_adds_up(
    weights: list[int], first: int, second: int, third: int
) -> None:
    a, b, c = sorted((first, second, third))
    curve = Curve(weights)
    assert curve.until(a) <= curve.until(b) <= curve.until(c)
    week = curve.until(a + HOURS * HOUR_MS) - curve.until(a)
    assert week == sum(curve.weights) * HOUR_MS


def test_an_hour_is_its_weight() -> None:
    curve = Curve(range(HOURS))
    at_ms = 5 * HOUR_MS
    assert curve.until(at_ms + HOUR_MS) - curve.until(at_ms) == 5 * HOUR_MS
    assert curve.until(at_ms + HOUR_MS // 2) - curve.until(at_ms) == 5 * HOUR_MS // 2


@pytest.mark.parametrize("weights", [[1] * 167, [*([1] * 167), -1]])
def test_a_curve_has_a_weight_an_hour(weights: list[int]) -> None:
    with pytest.raises(ValueError, match="168"):
        Curve(weights)


def test_days_on_which_clocks_change_are_as_long_as_they_are() -> None:
    hours = {}
    for name, day in (("spring", 28), ("usual", 27)):
        found = local_day("Europe/Berlin", to_ms(datetime(2027, 3, day, 12, tzinfo=UTC)))
        traffic = UNIFORM.until(found.end_ms) - UNIFORM.until(found.start_ms)
        hours[name] = traffic / HOUR_MS
    assert hours == {"spring": 23, "usual": 24}


def test_without_requests_nothing_is_learned() -> None:
    assert learned_weights([0] * HOURS, [10] * HOURS) == (0,) * HOURS
    assert Curve([0] * HOURS).until(9) == UNIFORM.until(9)


def test_after_one_day_every_day_is_assumed_to_be_like_it() -> None:
    requests, seen = [0] * HOURS, [0] * HOURS
    for hour in range(24):
        requests[MONDAY + hour] = 1_000 * hour
        seen[MONDAY + hour] = 1
    weights = learned_weights(requests, seen)
    monday, tuesday = weights[MONDAY : MONDAY + 24], weights[MONDAY + 24 : MONDAY + 48]
    assert monday[23] > 20 * monday[1]
    assert all(abs(a - b) <= b // 50 for a, b in zip(monday[1:], tuesday[1:], strict=True))


def test_after_weeks_the_counted_traffic_decides() -> None:
    requests = [10_000 * (1 + hour // 24) for hour in range(HOURS)]
    weights = learned_weights(requests, [10] * HOURS)
    for counted, learned in zip(requests, weights, strict=True):
        assert abs(learned - counted * MICRO // 10) <= counted * MICRO // 1_000


def test_a_few_requests_change_the_curve_little() -> None:
    weights = learned_weights([*([0] * 167), 4], [4] * HOURS)
    assert max(weights) < 4 * min(weights)


@given(st.lists(st.integers(0, 10**6), min_size=HOURS, max_size=HOURS))
def test_an_hour_without_traffic_never_has_weight_zero(requests: list[int]) -> None:
    requests[0] += 1
    weights = learned_weights(requests, [10] * HOURS)
    assert min(weights) >= max(1, sum(requests) * MICRO // (10 * HOURS) // 1_000)


def test_slots_add_up() -> None:
    assert summed([[1] * HOURS, [2] * HOURS]) == (3,) * HOURS
    assert summed([]) == (0,) * HOURS


def test_only_hours_that_are_targeted_count() -> None:
    mornings = (Window(frozenset(range(5)), 8 * 60, 9 * 60 + 30),)
    monday_ms = to_ms(datetime(2027, 3, 1, tzinfo=UTC))
    weights = in_dayparts((60,) * HOURS, "Europe/Berlin", mornings, monday_ms)
    assert weights[MONDAY + 7 : MONDAY + 10] == (60, 30, 0)
    assert sum(weights) == 5 * 90


def test_a_repeated_query_of_an_instant_returns_the_same() -> None:
    curve = Curve(range(1, HOURS + 1))

    requested = [curve.until(at_ms) for at_ms in (HOUR_MS, HOUR_MS, 5, HOUR_MS)]

    assert requested == [HOUR_MS, HOUR_MS, 5, HOUR_MS]
