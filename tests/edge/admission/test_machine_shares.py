"""Machines of one environment divide each limit: no more than the limit together, and all of it for one caller."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.service.channels import Channels
from common.values.clock import FixedClock
from common.values.environment import Environment
from edge.adapters.redis_limits import RedisLimitStore
from edge.state.limit_store import LimitStore, LimitStoreUnavailable, StoredLimits
from edge.state.machine_exchange import ALONE_S, BUSY_S, RESTING_S, MachineExchange
from edge.state.machine_shares import (
    HOLD_MS,
    MAX_SHARED_BUCKETS,
    MEMBER_MS,
    Holding,
    LimitTable,
    TableInvalid,
    parse_table,
)
from edge.state.quota_allocator import parse_shares
from edge.state.quota_exchange import QuotaExchange, QuotaLender
from edge.state.rate_limit import BURST, MACHINE_SLACK, Bucket, RateLimiter
from tests.support.servers import RedisServer

KEY = ("serve", "key")
MACHINES, WORKERS = 8, 2
BEAT_MS, STEP_MS = 100, 10
BEATS_PER_EXCHANGE = 3
"""A little slower than machines with demand exchange."""


class Table:
    """The store of all machines, in memory; *away*: it does not respond."""

    def __init__(self, clock: FixedClock) -> None:
        self.away = False
        self.raw = b""
        self._version = 0
        self._clock = clock

    async def read(self) -> StoredLimits:
        if self.away:
            raise LimitStoreUnavailable("away")
        return StoredLimits(str(self._version), self.raw, self._clock.now_ms())

    async def replace(self, version: str, raw: bytes) -> bool:
        if version != str(self._version):
            return False
        self._version += 1
        self.raw = raw
        return True

    async def close(self) -> None:
        """Nothing is open."""


class Pipe:
    """A worker's feed without a process."""

    def __init__(self, number: int, lender: QuotaLender, trade: QuotaExchange) -> None:
        self._number = number
        self._lender = lender
        self._trade = trade

    def send_shares(self, shares: bytes) -> None:
        self._lender.receive_demand(self._number, self._trade(shares))


class Machine:
    def __init__(self, name: str, table: LimitStore, clock: FixedClock) -> None:
        self.limiters = [RateLimiter(workers=WORKERS) for _ in range(WORKERS)]
        self.lender = QuotaLender(WORKERS)
        self.exchange = MachineExchange(name, self.lender, table, clock)
        self.lender.feeds = [
            Pipe(number, self.lender, QuotaExchange(limiter, clock))
            for number, limiter in enumerate(self.limiters)
        ]


class Fleet:
    """Machines of one environment, on one clock; each exchanges at a time of its own."""

    def __init__(
        self, limit: int, machines: int = MACHINES, store: LimitStore | None = None
    ) -> None:
        self.clock = FixedClock(0)
        self.limit = limit
        self.table = Table(self.clock)
        self.machines = [
            Machine(f"edge-{number}", store or self.table, self.clock) for number in range(machines)
        ]
        self._beats = 0

    async def join(self) -> None:
        """Two exchanges of each, so that all know of all."""
        for machine in self.machines * 2:
            await machine.exchange.step()
            machine.lender.allocate()

    async def beat(self, calls: dict[int, int]) -> int:
        """One beat with *calls*, by worker of the fleet, spread evenly; returns how many were admitted."""
        admitted = 0
        steps = BEAT_MS // STEP_MS
        for step in range(steps):
            now_ms = self.clock.now_ms()
            for worker, count in calls.items():
                limiter = self.machines[worker // WORKERS].limiters[worker % WORKERS]
                due = count * (step + 1) // steps - count * step // steps
                admitted += sum(limiter.take(KEY, self.limit, now_ms) == 0 for _ in range(due))
            self.clock.advance(ms=STEP_MS)
        self._beats += 1
        for number, machine in enumerate(self.machines):
            machine.lender.allocate()
            if (self._beats + number) % BEATS_PER_EXCHANGE == 0:
                await machine.exchange.step()
        return admitted


@pytest.mark.parametrize("limit", [20, 100, 1000])
async def test_one_caller_of_one_worker_gets_nine_tenths_of_the_limit(limit: int) -> None:
    fleet = Fleet(limit)
    await fleet.join()
    requested = {5: limit * 3 // 20}
    for _ in range(100):
        await fleet.beat(requested)
    steady = sum([await fleet.beat(requested) for _ in range(100)]) / 10
    assert 0.9 * limit <= steady <= 1.15 * limit


async def test_a_caller_that_spreads_over_all_machines_gets_the_limit() -> None:
    fleet = Fleet(160)
    await fleet.join()
    requested = dict.fromkeys(range(MACHINES * WORKERS), 16)
    for _ in range(60):
        await fleet.beat(requested)
    steady = sum([await fleet.beat(requested) for _ in range(100)]) / 10
    assert 160 <= steady <= 1.15 * 160


async def test_a_caller_that_moves_to_another_machine_has_its_rate_there_within_two_seconds() -> (
    None
):
    fleet = Fleet(200)
    await fleet.join()
    for _ in range(60):
        await fleet.beat({0: 30})
    for _ in range(20):
        await fleet.beat({14: 30})
    steady = sum([await fleet.beat({14: 30}) for _ in range(50)]) / 5
    assert steady >= 0.9 * 200


@pytest.mark.parametrize("workers", [[5], list(range(MACHINES * WORKERS))])
async def test_eight_machines_over_redis_hold_the_limit(
    workers: list[int], redis_server: RedisServer, namespace: str
) -> None:
    store = RedisLimitStore.open(redis_server.url, Channels(namespace), Environment.LIVE)
    fleet = Fleet(200, store=store)
    await fleet.join()
    requested = dict.fromkeys(workers, 40)
    admitted = sum([await fleet.beat(requested) for _ in range(60)])
    steady = sum([await fleet.beat(requested) for _ in range(50)])
    await store.close()
    assert steady >= 0.9 * 200 * 5
    assert admitted + steady <= 1.15 * 200 * 11 + BURST * 200


@settings(max_examples=40, deadline=None)
@given(
    limit=st.sampled_from([20, 200]),
    beats=st.lists(
        st.tuples(st.sets(st.integers(0, 15), min_size=1, max_size=16), st.integers(0, 3)),
        min_size=30,
        max_size=90,
    ),
)
async def test_no_movement_between_machines_gets_more_than_rate_and_burst(
    limit: int, beats: list[Any]
) -> None:
    """Each beat some workers of the fleet get a multiple of the limit, whichever the caller finds best."""
    fleet = Fleet(limit)
    await fleet.join()
    admitted = 0
    for workers, factor in beats:
        admitted += await fleet.beat(dict.fromkeys(workers, limit * factor // 2))
    seconds = len(beats) * BEAT_MS / 1000
    assert admitted <= 1.15 * limit * seconds + BURST * limit + MACHINES * WORKERS


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.floats(0, 1000), st.integers(0, 400)),
        min_size=20,
        max_size=200,
    )
)
def test_shares_never_exceed_the_slack_together(steps: list[Any]) -> None:
    """In any order and at any pace of exchanges, counting for each machine what it really holds."""
    table, now_ms = LimitTable(), 0
    for number in range(MACHINES):
        table.exchange(str(number), {}, now_ms)
    held = dict.fromkeys(range(MACHINES), MACHINE_SLACK / MACHINES)
    for number, demand, gap_ms in steps:
        for one in range(MACHINES):
            table.seen_ms[str(one)] = now_ms  # they exchange nothing else, and are there
        now_ms += gap_ms
        shares = table.exchange(str(number), {KEY: demand}, now_ms)
        held[number] = shares.get(KEY, table.equal)
        assert sum(held.values()) <= MACHINE_SLACK * 1.01
        assert min(held.values()) > 0


def test_a_lone_machine_has_all_of_every_limit() -> None:
    table = LimitTable()
    assert table.exchange("edge-1", {KEY: 100.0}, 0) == {}
    assert table.equal == 1.0


def test_a_share_grows_only_by_what_the_others_returned() -> None:
    table = LimitTable()
    for name in ("edge-1", "edge-2"):
        table.exchange(name, {}, 0)
    first = table.exchange("edge-1", {KEY: 100.0}, 100)[KEY]
    returned = table.exchange("edge-2", {}, 200)[KEY]
    second = table.exchange("edge-1", {KEY: 100.0}, 300)[KEY]
    assert first == pytest.approx(MACHINE_SLACK / 2)
    assert second == pytest.approx(MACHINE_SLACK - returned)
    assert second > 0.95


def test_a_silent_machine_keeps_its_equal_share_until_it_is_gone() -> None:
    table = LimitTable()
    for name in ("edge-1", "edge-2"):
        table.exchange(name, {}, 0)
    for ms in (HOLD_MS + 1, HOLD_MS + 200, HOLD_MS + 400):
        share = table.exchange("edge-1", {KEY: 100.0}, ms)[KEY]
    assert share == pytest.approx(MACHINE_SLACK / 2)
    table.exchange("edge-1", {KEY: 100.0}, MEMBER_MS + 1)
    assert list(table.seen_ms) == ["edge-1"]


def test_a_demand_that_ended_leaves_no_entry() -> None:
    table = LimitTable()
    for ms in range(0, 1000, 100):
        table.exchange("edge-1", {KEY: 100.0}, ms)
        table.exchange("edge-2", {}, ms + 50)
    assert table.holdings
    for ms in range(1000, 2000, 100):
        table.exchange("edge-1", {}, ms)
        table.exchange("edge-2", {}, ms + 50)
    assert not table.holdings


def test_the_table_is_bounded_and_takes_the_largest_demand() -> None:
    table = LimitTable()
    table.exchange("edge-1", {}, 0)
    demand: dict[Bucket, float] = {
        ("serve", str(number)): float(number + 1) for number in range(1000)
    }
    shares = table.exchange("edge-2", demand, 0)
    assert len(shares) == MAX_SHARED_BUCKETS
    assert ("serve", "999") in shares


def test_a_table_survives_its_encoding() -> None:
    table = LimitTable({"edge-1": 5}, {KEY: {"edge-1": Holding(2.5, 0.75)}})
    assert parse_table(table.encode()) == table
    assert parse_table(b"") == LimitTable()


@pytest.mark.parametrize("raw", [b"x", b"[]", b"[{},[1]]", b"[[],[]]", b'[{"a":"b"},[]]'])
def test_bytes_that_are_no_table_are_refused(raw: bytes) -> None:
    with pytest.raises(TableInvalid):
        parse_table(raw)


async def test_an_unreadable_table_is_replaced() -> None:
    fleet = Fleet(100, machines=1)
    fleet.table.raw = b"of another release"
    await fleet.machines[0].exchange.step()
    assert list(parse_table(fleet.table.raw).seen_ms) == ["edge-0"]


async def test_a_machine_without_the_store_keeps_its_share_and_then_has_the_equal_one() -> None:
    fleet = Fleet(1000, machines=4)
    await fleet.join()
    for _ in range(60):
        await fleet.beat({0: 150})
    fleet.table.away = True
    kept = sum([await fleet.beat({0: 150}) for _ in range(20)]) / 2
    for _ in range(60):
        await fleet.beat({0: 150})
    equal = sum([await fleet.beat({0: 150}) for _ in range(20)]) / 2
    assert kept >= 900
    assert 0.9 * 250 <= equal <= 1.15 * 250
    assert fleet.machines[0].exchange.failures > 0


async def test_a_lone_machine_exchanges_rarely_and_divides_nothing() -> None:
    fleet = Fleet(1000, machines=1)
    await fleet.join()
    alone = fleet.machines[0]
    assert alone.exchange.pause_s == ALONE_S
    assert alone.limiters[0].machines == 1
    fleet.machines.append(Machine("edge-1", fleet.table, fleet.clock))
    await fleet.join()
    assert alone.exchange.pause_s == RESTING_S
    await fleet.beat({0: 150})
    await fleet.join()
    assert alone.exchange.pause_s == BUSY_S


def test_a_worker_takes_shares_of_a_supervisor_of_an_earlier_release() -> None:
    assert parse_shares(b'[[["serve","key"],0.5]]') == ([(KEY, 0.5)], 1)
    assert parse_shares(b"[]") == ([], 1)
    assert parse_shares(b'[3,[[["serve","key"],0.5]]]') == ([(KEY, 0.5)], 3)
