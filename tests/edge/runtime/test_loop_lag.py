"""A stall of the loop is seen, and told apart from waiting for a core."""

import asyncio
from time import perf_counter

from edge.runtime.loop_lag import FORMER_BOUNDS_MS, TICK_S, LoopLagMonitor

_MS = 1_000_000


class Times:
    """A clock, and how long of it the thread had no core; moved by hand."""

    def __init__(self) -> None:
        self.now_ns = self.waited_ns = 0

    def watch(self) -> LoopLagMonitor:
        watch = LoopLagMonitor(lambda: self.now_ns, lambda: self.waited_ns)
        watch.start()
        watch.tick()
        return watch

    def turn(self, watch: LoopLagMonitor, *, late_ms: float, waited_ms: float = 0) -> None:
        self.now_ns += round(TICK_S * 1e9 + late_ms * _MS)
        self.waited_ns += round(waited_ms * _MS)
        watch.tick()


def _over(watch: LoopLagMonitor, part: str) -> dict[int, int]:
    counts = {bound_ms: watch.count_over(part, bound_ms) for bound_ms in FORMER_BOUNDS_MS}
    return {bound_ms: count for bound_ms, count in counts.items() if count}


def test_a_turn_in_time_is_no_stall() -> None:
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


def test_waiting_for_a_core_is_no_stall_of_our_own() -> None:
    times = Times()
    watch = times.watch()
    times.turn(watch, late_ms=30, waited_ms=24)
    assert _over(watch, "all") == {5: 1, 10: 1, 25: 1}
    assert _over(watch, "own") == {5: 1}


def test_the_longest_is_said_once() -> None:
    times = Times()
    watch = times.watch()
    for late_ms in (7, 8, 6):
        times.turn(watch, late_ms=late_ms)
    assert watch.take_longest_s("own") == 0.008
    assert watch.take_longest_s("own") == 0


async def test_a_callback_that_keeps_the_loop_is_seen() -> None:
    watch = LoopLagMonitor()
    watching = asyncio.create_task(watch.run())
    await asyncio.sleep(0)
    until_s = perf_counter() + 0.03
    while perf_counter() < until_s:
        pass
    await asyncio.sleep(2 * TICK_S)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert _over(watch, "all")[25] >= 1
