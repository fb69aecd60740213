"""GCRA in one worker's memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.state.rate_limit import BURST, RateLimiter


def test_an_idle_caller_may_send_a_burst_at_once() -> None:
    limiter = RateLimiter(workers=1)
    taken = [limiter.take(("a",), 10, 0) for _ in range(BURST * 10 + 1)]
    assert taken == [0] * (BURST * 10) + [1]


def test_one_caller_does_not_consume_anothers_rate() -> None:
    limiter = RateLimiter(workers=1)
    while limiter.take(("a",), 1, 0) == 0:
        pass
    assert limiter.take(("b",), 1, 0) == 0


def test_a_call_after_the_stated_wait_is_admitted() -> None:
    limiter = RateLimiter(workers=1)
    while (wait_s := limiter.take(("a",), 1, 0)) == 0:
        pass
    assert limiter.take(("a",), 1, wait_s * 1000) == 0


def test_a_refused_call_consumes_nothing() -> None:
    limiter = RateLimiter(workers=1)
    waits = {limiter.take(("a",), 1, 0) for _ in range(1000)}
    assert waits == {0, 1}


@pytest.mark.parametrize("workers", [2, 4])
def test_workers_share_a_limit_with_a_small_tolerance(workers: int) -> None:
    limiter = RateLimiter(workers=workers)
    admitted = _admitted_in_steady_state(limiter, limit=100, seconds=20)
    assert 100 <= admitted * workers <= 106


@given(st.integers(1, 2000), st.lists(st.integers(0, 400), min_size=50, max_size=300))
def test_no_pattern_of_calls_gets_more_than_rate_and_burst(limit: int, gaps: list[int]) -> None:
    limiter = RateLimiter(workers=1)
    now_ms, admitted = 0, 0
    for gap in gaps:
        now_ms += gap
        admitted += limiter.take(("a",), limit, now_ms) == 0
    assert admitted <= limit * now_ms / 1000 + BURST * limit


def test_the_table_is_bounded_and_keeps_the_buckets_in_use() -> None:
    limiter = RateLimiter(workers=1, max_buckets=2)
    while limiter.take(("used",), 1, 0) == 0:
        pass
    for number in range(20):
        limiter.take((f"other {number}",), 1, 0)
        assert len(limiter) <= 4
        assert limiter.take(("used",), 1, 0) > 0


def test_a_batch_counts_as_its_number_of_calls() -> None:
    limiter = RateLimiter(workers=1)
    taken = [limiter.take(("a",), 10, 0, calls=5) for _ in range(7)]
    assert taken == [0] * 6 + [1]


def test_a_batch_larger_than_the_burst_consumes_the_burst() -> None:
    limiter = RateLimiter(workers=1)
    assert limiter.take(("a",), 1, 0, calls=10) == 0
    assert limiter.take(("a",), 1, 0) == 1
    assert limiter.take(("a",), 1, 1000) == 0


def test_a_clock_set_back_refuses_no_caller() -> None:
    limiter = RateLimiter(workers=1)
    while limiter.take(("a",), 1, 3_600_000) == 0:
        pass
    limiter.take(("a",), 1, 0)
    assert limiter.take(("a",), 1, 0) == 1
    assert limiter.take(("a",), 1, 1000) == 0


def test_only_callers_near_their_share_are_reported() -> None:
    limiter = RateLimiter(workers=2)
    for ms in range(0, 1000, 100):
        limiter.take(("slow",), 100, ms)
        for _ in range(10):
            limiter.take(("fast",), 100, ms)
    assert list(limiter.take_demand()) == [("fast",)]
    assert limiter.take_demand() == {}


def test_a_single_worker_reports_no_demand() -> None:
    limiter = RateLimiter(workers=1)
    while limiter.take(("a",), 10, 0) == 0:
        pass
    assert limiter.take_demand() == {}


def test_an_adopted_share_changes_the_rate_and_not_the_burst() -> None:
    limiter = RateLimiter(workers=2)
    limiter.adopt([(("a",), 1.0)], 0)
    at_once = sum(limiter.take(("a",), 100, 0) == 0 for _ in range(1000))
    limiter.adopt([(("a",), 1.0)], 500)
    after = sum(limiter.take(("a",), 100, 500) == 0 for _ in range(1000))
    assert (at_once, after) == (150, 50)


def test_a_share_that_is_not_confirmed_is_returned() -> None:
    limiter = RateLimiter(workers=2)
    limiter.adopt([(("a",), 0.01)], 0)
    while limiter.take(("a",), 100, 0) == 0:
        pass
    limiter.drop_expired(1000)
    admitted = sum(limiter.take(("a",), 100, 2000) == 0 for _ in range(1000))
    assert 50 <= admitted <= 60


def _admitted_in_steady_state(limiter: RateLimiter, *, limit: int, seconds: int) -> float:
    """Calls a second after the burst is used up."""
    while limiter.take(("a",), limit, 0) == 0:
        pass
    admitted = sum(limiter.take(("a",), limit, ms) == 0 for ms in range(1, seconds * 1000 + 1))
    return admitted / seconds
