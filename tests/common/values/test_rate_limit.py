"""GCRA, against the leaky bucket that it is equal to (ITU-T I.371, annex A)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.values.rate_limit import RateTable


@given(
    st.integers(1, 20),
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), min_size=1, max_size=100),
)
def test_the_limiter_admits_what_a_leaky_bucket_admits(
    bursts: int, calls: list[tuple[int, int]]
) -> None:
    """A bucket of size *burst* leaks one unit of time a unit; a call pours in its cost."""
    table, burst = RateTable(10), 10.0 * bursts
    level, now = 0.0, 0
    for passed, cost in calls:
        now += passed
        level = max(0.0, level - passed)
        wait = table.take("a", now, cost, burst)
        assert wait == level + cost - burst
        if wait <= 0:
            level += cost
        assert table.ahead("a", now) == level


@pytest.mark.parametrize("max_debt", [1, 3])
def test_a_clock_set_back_refuses_no_caller_for_long(max_debt: int) -> None:
    table = RateTable(10, max_debt=max_debt)
    table.set_ahead("a", 1_000_000.0, 5.0)
    assert table.take("a", 0.0, 1.0, 2.0) == max_debt * 2.0 + 1.0 - 2.0
    assert table.take("a", max_debt * 2.0, 1.0, 2.0) <= 0
