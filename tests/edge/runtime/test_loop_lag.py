"""A stall of the loop is measured, and distinguished from waiting for a core."""

import asyncio
from time import perf_counter

from edge.runtime.loop_lag import (
    FORMER_BOUNDS_MS,
    IDLE_TICK_S,
    RESTING_TICK_S,
    TICK_S,
    LoopLagMonitor,
)

_MS = 1_000_000


class Times:
    """A clock, how long of it the thread ran, and how long it had no core; moved by hand."""

    def __init__(self) -> None:
        self.now_ns = self.ran_ns = self.waited_ns = 0

    def watch(self) -> LoopLagMonitor:
        watch = LoopLagMonitor(lambda: self.now_ns, lambda: (self.ran_ns, self.waited_ns))
        watch.start()
        watch.tick()
        return watch

    def turn(
        self, watch: LoopLagMonitor, *, late_ms: float, waited_ms: float = 0, ran: float = 1
    ) -> None:
        """*ran*: the share of the time without *waited_ms* for which the thread ran."""
        took_ms = watch.interval_s * 1000 + late_ms
        self.now_ns += round(took_ms * _MS)
        self.ran_ns += round((took_ms - waited_ms) * ran * _MS)
        self.waited_ns += round(waited_ms * _MS)
        watch.tick()


def _over(watch: LoopLagMonitor, part: str) -> dict[int, int]:
    counts = {bound_ms: watch.count_over(part, bound_ms) for bound_ms in FORMER_BOUNDS_MS}
    return {bound_ms: count for bound_ms, count in counts.items() if count}


def test_an_iteration_in_time_is_no_stall() -> None:
    times = Times()
    watch = times.watch()
    times.turn(watch, late_ms=0)
    assert watch.lags["all"].counts[0] == 2
    assert watch.take_longest_s("all") == 0


def test_a_stall_is_counted_by_the_bounds_it_passes() -> None:
    times = Times()
    watch = times.watch()
    times.turn(watch, late_ms=12)
    assert _over(watch, "all") == _over(watch, "own") == {5: 1, 10: 1}
    assert watch.lags["all"].sum_s == 0.012


def test_waiting_for_a_core_is_not_counted_as_an_own_stall() -> None:
    times = Times()
    watch = times.watch()
    times.turn(watch, late_ms=30, waited_ms=24)
    assert _over(watch, "all") == {5: 1, 10: 1, 25: 1}
    assert _over(watch, "own") == {5: 1}


def test_the_longest_stall_is_reported_once() -> None:
    times = Times()
    watch = times.watch()
    for late_ms in (7, 8, 6):
        times.turn(watch, late_ms=late_ms)
    assert watch.take_longest_s("own") == 0.008
    assert watch.take_longest_s("own") == 0


def test_an_idle_thread_is_measured_less_often_until_it_works() -> None:
    times = Times()
    watch = times.watch()
    times.turn(watch, late_ms=0, ran=0.04)
    assert watch.interval_s == IDLE_TICK_S
    times.turn(watch, late_ms=0, ran=0.01)
    assert watch.interval_s == RESTING_TICK_S
    times.turn(watch, late_ms=6)
    assert _over(watch, "own") == {5: 1}
    assert watch.interval_s == TICK_S


async def test_a_callback_that_blocks_the_loop_is_counted() -> None:
    watch = LoopLagMonitor()
    watching = asyncio.create_task(watch.run())
    await asyncio.sleep(0)
    until_s = perf_counter() + RESTING_TICK_S + 0.04
    while perf_counter() < until_s:
        pass
    await asyncio.sleep(2 * RESTING_TICK_S)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert _over(watch, "all")[25] >= 1


async def test_lag_is_measured_from_the_start_of_a_run_to_its_end() -> None:
    times = Times()
    times.now_ns = 3_600_000 * _MS
    watch = LoopLagMonitor(lambda: times.now_ns, lambda: (times.ran_ns, times.waited_ns))
    watching = asyncio.create_task(watch.run())
    await asyncio.sleep(0)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    await asyncio.sleep(2 * RESTING_TICK_S)
    assert sum(watch.lags["all"].counts) == 1, "a tick followed the end"
    assert watch.take_longest_s("all") == 0
