"""GCRA in one worker's memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.admission.rate_limit import BURST, RateLimiter


def test_a_quiet_caller_may_take_a_burst_at_once() -> None:
    limiter = RateLimiter(workers=1)
    taken = [limiter.take("a", 10, 0) for _ in range(BURST * 10 + 1)]
    assert taken == [0] * (BURST * 10) + [1]


def test_one_caller_does_not_use_up_another_s_rate() -> None:
    limiter = RateLimiter(workers=1)
    while limiter.take("a", 1, 0) == 0:
        pass
    assert limiter.take("b", 1, 0) == 0


def test_after_the_named_wait_the_call_passes() -> None:
    limiter = RateLimiter(workers=1)
    while (wait_s := limiter.take("a", 1, 0)) == 0:
        pass
    assert limiter.take("a", 1, wait_s * 1000) == 0


def test_a_refused_call_uses_nothing_up() -> None:
    limiter = RateLimiter(workers=1)
    waits = {limiter.take("a", 1, 0) for _ in range(1000)}
    assert waits == {0, 1}


@pytest.mark.parametrize("workers", [2, 4])
def test_workers_share_a_limit_with_a_little_slack(workers: int) -> None:
    limiter = RateLimiter(workers=workers)
    admitted = _admitted_in_steady_state(limiter, limit=100, seconds=20)
    assert 100 <= admitted * workers <= 111


@given(st.integers(1, 2000), st.lists(st.integers(0, 400), min_size=50, max_size=300))
def test_no_pattern_of_calls_gets_more_than_rate_and_burst(limit: int, gaps: list[int]) -> None:
    limiter = RateLimiter(workers=1)
    now_ms, admitted = 0, 0
    for gap in gaps:
        now_ms += gap
        admitted += limiter.take("a", limit, now_ms) == 0
    assert admitted <= limit * now_ms / 1000 + BURST * limit


def test_the_table_is_bounded_and_forgets_the_longest_unused() -> None:
    limiter = RateLimiter(workers=1, max_buckets=2)
    while limiter.take("kept", 1, 0) == 0:
        pass
    limiter.take("old", 1, 0)
    limiter.take("kept", 1, 0)
    limiter.take("new", 1, 0)
    assert len(limiter) == 2
    assert limiter.take("kept", 1, 0) > 0


def _admitted_in_steady_state(limiter: RateLimiter, *, limit: int, seconds: int) -> float:
    """Calls a second after the burst is used up."""
    while limiter.take("a", limit, 0) == 0:
        pass
    admitted = sum(limiter.take("a", limit, ms) == 0 for ms in range(1, seconds * 1000 + 1))
    return admitted / seconds
