"""Two builds are compared by what a unit of work costs each."""

import random
from math import log

import pytest

from loadtests.bench.pairs import cost, median_interval


def test_a_cost_above_one_is_slower_for_times_and_for_rates() -> None:
    assert cost("cpu_us_per_event", 2.0, 3.0) == 1.5
    assert cost("edge_per_cpu_s", 30_000.0, 20_000.0) == 1.5


@pytest.mark.parametrize(
    ("count", "expected"), [(1, (1, 1)), (5, (1, 5)), (9, (2, 8)), (12, (3, 10))]
)
def test_the_interval_of_a_median_is_that_of_the_sign_test(
    count: int, expected: tuple[float, float]
) -> None:
    assert median_interval([float(value) for value in range(count, 0, -1)]) == expected


def test_the_interval_holds_the_median_in_nineteen_cases_of_twenty() -> None:
    chance = random.Random(1)
    held = 0
    for _ in range(2_000):
        low, high = median_interval([chance.expovariate(1.0) for _ in range(9)])
        held += low <= log(2) <= high
    assert held >= 1_900
