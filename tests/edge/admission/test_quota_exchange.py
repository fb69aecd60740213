"""Workers of one machine borrow shares of a limit: together they admit the limit, and one connection can use it all."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.values.clock import FixedClock
from edge.state.quota_allocator import SharePool, SharesInvalid, parse_amounts, shares_of
from edge.state.quota_exchange import QuotaExchange, QuotaLender
from edge.state.rate_limit import BURST, SLACK, RateLimiter

KEY = ("serve", "key")
BEAT_MS = 100
STEP_MS = 10


class Pipe:
    """A worker's feed without a process: what is sent is answered at once, unless it is cut."""

    def __init__(self, number: int, lending: QuotaLender, trade: QuotaExchange) -> None:
        self.cut = False
        self._number = number
        self._lending = lending
        self._trade = trade

    def send_shares(self, shares: bytes) -> None:
        if not self.cut:
            self._lending.receive_demand(self._number, self._trade(shares))


class Fleet:
    """Workers of one machine, and the clock they share."""

    def __init__(self, workers: int, limit: int) -> None:
        self.clock = FixedClock(0)
        self.limit = limit
        self.limiters = [RateLimiter(workers=workers) for _ in range(workers)]
        self.lending = QuotaLender(workers)
        self.pipes = [
            Pipe(number, self.lending, QuotaExchange(limiter, self.clock))
            for number, limiter in enumerate(self.limiters)
        ]
        self.lending.feeds = self.pipes

    def beat(self, calls: list[int]) -> list[int]:
        """One beat in which *calls* are made of each worker, spread evenly; how many passed."""
        passed = [0] * len(calls)
        steps = BEAT_MS // STEP_MS
        for step in range(steps):
            now_ms = self.clock.now_ms()
            for worker, limiter in enumerate(self.limiters):
                due = calls[worker] * (step + 1) // steps - calls[worker] * step // steps
                passed[worker] += sum(
                    limiter.take(KEY, self.limit, now_ms) == 0 for _ in range(due)
                )
            self.clock.advance(ms=STEP_MS)
        self.lending.allocate()
        return passed


@pytest.mark.parametrize("workers", [2, 4, 16])
def test_one_connection_gets_nine_tenths_of_the_limit_and_no_more_than_the_limit(
    workers: int,
) -> None:
    fleet = Fleet(workers, limit=1000)
    requested = [150] + [0] * (workers - 1)
    for _ in range(50):
        fleet.beat(requested)
    steady = sum(fleet.beat(requested)[0] for _ in range(50)) / 5
    assert 900 <= steady <= 1100


@pytest.mark.parametrize("workers", [2, 4])
def test_a_caller_below_its_limit_is_never_refused_by_any_worker(workers: int) -> None:
    fleet = Fleet(workers, limit=1000)
    for beat in range(200):
        requested = [0] * workers
        requested[beat // 20 % workers] = 90
        assert fleet.beat(requested)[beat // 20 % workers] == 90, beat


def test_workers_with_equal_demand_have_equal_shares() -> None:
    assert shares_of([5.0, 5.0]) == pytest.approx([SLACK / 2, SLACK / 2])


def test_the_share_of_a_worker_that_reports_nothing_is_not_redistributed() -> None:
    assert shares_of([9.0, 0.0], silent={1}) == pytest.approx([SLACK / 2, SLACK / 2])
    assert shares_of([0.0, 9.0], silent={1}) == pytest.approx([SLACK / 2, SLACK / 2])


def test_a_worker_that_has_not_reported_yet_counts_as_silent() -> None:
    pool = SharePool(2)
    pool.report(0, {KEY: 100})
    assert dict(pool.allocate()[0])[KEY] == pytest.approx(SLACK / 2)


def test_a_demand_that_ended_is_dropped() -> None:
    pool = SharePool(2)
    pool.report(0, {KEY: 100})
    turns = [pool.allocate() for _ in range(20)]
    assert turns[0] != [[], []]
    assert turns[-1] == [[], []]


def test_a_pool_without_demand_rests_until_there_is_some() -> None:
    pool = SharePool(2)
    begun = pool.beat_s
    for _ in range(20):
        pool.report(0, {})
        pool.allocate()
    resting = pool.beat_s
    pool.report(0, {KEY: 1})
    pool.allocate()

    assert resting > begun == pool.beat_s


@pytest.mark.parametrize("raw", [b"", b"{}x", b"[1]", b'[["a"]]', b'[[["a"],"x"]]', b"null"])
def test_bytes_that_are_not_amounts_are_refused(raw: bytes) -> None:
    with pytest.raises(SharesInvalid):
        parse_amounts(raw)


def test_shares_that_cannot_be_read_change_nothing() -> None:
    fleet = Fleet(2, limit=10)
    trade = QuotaExchange(fleet.limiters[0], fleet.clock)
    assert trade(b"nonsense") == b"[]"


@settings(max_examples=60, deadline=None)
@given(
    workers=st.integers(2, 4),
    limit=st.sampled_from([20, 200]),
    beats=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=30, max_size=120),
)
def test_no_movement_between_connections_gets_more_than_rate_and_burst(
    workers: int, limit: int, beats: list[Any]
) -> None:
    """Each beat one worker is asked a multiple of the limit, whichever the caller finds best."""
    fleet = Fleet(workers, limit)
    admitted = 0
    for target, factor in beats:
        requested = [0] * workers
        requested[target % workers] = limit * factor // 2
        admitted += sum(fleet.beat(requested))
    seconds = len(beats) * BEAT_MS / 1000
    assert admitted <= 1.10 * limit * seconds + BURST * limit + workers


@settings(max_examples=30, deadline=None)
@given(
    limit=st.sampled_from([20, 200]),
    beats=st.lists(
        st.tuples(st.integers(0, 1), st.booleans(), st.booleans()), min_size=60, max_size=120
    ),
)
def test_workers_cut_off_from_each_other_still_hold_the_limit_roughly(
    limit: int, beats: list[Any]
) -> None:
    """A share lent before the cut holds for less than a second; then both grant the equal one."""
    fleet = Fleet(2, limit)
    admitted = cuts = 0
    was_cut = False
    for target, cut, both in beats:
        fleet.pipes[1].cut = cut
        cuts += cut and not was_cut
        was_cut = cut
        requested = [limit, limit] if both else [limit * (target == 0), limit * (target == 1)]
        admitted += sum(fleet.beat(requested))
    seconds = len(beats) * BEAT_MS / 1000
    assert admitted <= 1.10 * limit * seconds + BURST * limit + cuts * limit + 2
