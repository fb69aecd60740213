"""Measures the event loop's lag: how late a timer runs."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter_ns
from typing import Final

from edge.runtime.latency import Histogram

TICK_S = 0.002
"""The interval of a thread that works. A lag is measured up to one interval too short."""
IDLE_TICK_S = 0.008
"""The interval of a thread that used less than `_IDLE_SHARE` of a core: 500 ticks a second cost 2 % of one."""
_IDLE_SHARE = 0.05
RESTING_TICK_S = 0.5
"""
The interval of a thread that used less than `_RESTING_SHARE` of a core: nothing calls it, and 125 ticks a second would
be most of what it does. The first stall after such a rest may be missed; it is measured from the next tick on.
"""
_RESTING_SHARE = 0.03
BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1.0)
"""Upper bounds of the buckets."""
FORMER_BOUNDS_MS: Final = (5, 10, 25, 100, 1000)
"""Bounds of the deprecated counter of stalls; each is one of `BOUNDS_S`, too."""
_SCHEDSTAT = Path("/proc/thread-self/schedstat")

Clock = Callable[[], int]
ThreadTimes = Callable[[], tuple[int, int]]
"""Returns for how many nanoseconds this thread ran, and for how many it was ready and had no core."""


class LoopLagMonitor:
    """
    Measures how late a timer runs, at each tick, in two histograms: ``all`` is the whole lag, ``own`` the lag without
    the time in which this thread was ready but had no core. ``interval_s``: until the next tick.
    """

    def __init__(self, now_ns: Clock = perf_counter_ns, times: ThreadTimes | None = None) -> None:
        self.lags = {"all": Histogram(BOUNDS_S), "own": Histogram(BOUNDS_S)}
        self.interval_s = TICK_S
        self._longest_ns = {"all": 0, "own": 0}
        self._now_ns = now_ns
        self._times = times
        self._due_ns = self._ticked_ns = self._ran_ns = self._waited_ns = 0

    async def run(self) -> None:
        """Runs until cancelled; measures the thread that calls it."""
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            self._times = self._times or _thread_times()
        self.start()
        handle = loop.call_later(self.interval_s, lambda: None)

        def measure() -> None:
            nonlocal handle
            self.tick()
            handle = loop.call_later(self.interval_s, measure)

        measure()
        try:
            await loop.create_future()
        finally:
            handle.cancel()

    def start(self) -> None:
        self._due_ns = self._ticked_ns = self._now_ns()
        self._ran_ns, self._waited_ns = self._read_times()

    def tick(self) -> None:
        now_ns = self._now_ns()
        late_ns = max(0, now_ns - self._due_ns)
        ran_ns, waited_ns = self._read_times()
        self._observe("all", late_ns)
        self._observe("own", max(0, late_ns - waited_ns + self._waited_ns))
        self.interval_s = self._choose_interval_s(ran_ns - self._ran_ns, now_ns - self._ticked_ns)
        self._due_ns = now_ns + round(self.interval_s * 1e9)
        self._ticked_ns, self._ran_ns, self._waited_ns = now_ns, ran_ns, waited_ns

    def _choose_interval_s(self, ran_ns: int, took_ns: int) -> float:
        if self._times is None or ran_ns >= _IDLE_SHARE * took_ns:
            return TICK_S
        return RESTING_TICK_S if ran_ns < _RESTING_SHARE * took_ns else IDLE_TICK_S

    def _read_times(self) -> tuple[int, int]:
        return (0, 0) if self._times is None else self._times()

    def take_longest_s(self, part: str) -> float:
        """The longest lag since the last call, in seconds."""
        longest_ns, self._longest_ns[part] = self._longest_ns[part], 0
        return longest_ns / 1e9

    def count_over(self, part: str, bound_ms: int) -> int:
        """Ticks that were later than *bound_ms*, one of `FORMER_BOUNDS_MS`."""
        return sum(self.lags[part].counts[BOUNDS_S.index(bound_ms / 1000) + 1 :])

    def _observe(self, part: str, late_ns: int) -> None:
        self._longest_ns[part] = max(late_ns, self._longest_ns[part])
        self.lags[part].observe(late_ns / 1e9)


def _thread_times() -> ThreadTimes:
    """Times of the calling thread, as Linux counts them. Raises OSError if it does not."""
    file = os.open(_SCHEDSTAT, os.O_RDONLY)
    os.pread(file, 64, 0)

    def times() -> tuple[int, int]:
        ran, waited, _ = os.pread(file, 64, 0).split()
        return int(ran), int(waited)

    return times
