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
"""A lag is measured up to one tick too short."""
BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1.0)
"""Upper bounds of the buckets."""
FORMER_BOUNDS_MS: Final = (5, 10, 25, 100, 1000)
"""Bounds of the deprecated counter of stalls; each is one of `BOUNDS_S`, too."""
_SCHEDSTAT = Path("/proc/thread-self/schedstat")

Clock = Callable[[], int]


class LoopLagMonitor:
    """
    Measures how late a timer of `TICK_S` runs, at each tick, in two histograms: ``all`` is the whole lag, ``own`` the
    lag without the time in which this thread was ready but had no core.

    *now_ns* returns the time, *waited_ns* the total time for which this thread was ready and had no core.
    """

    def __init__(self, now_ns: Clock = perf_counter_ns, waited_ns: Clock | None = None) -> None:
        self.lags = {"all": Histogram(BOUNDS_S), "own": Histogram(BOUNDS_S)}
        self._longest_ns = {"all": 0, "own": 0}
        self._now_ns = now_ns
        self._waited_ns = waited_ns
        self._due_ns = self._waited_before_ns = 0

    async def run(self) -> None:
        """Runs until cancelled; measures the thread that calls it."""
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            self._waited_ns = self._waited_ns or _time_without_core()
        self.start()
        handle = loop.call_later(TICK_S, lambda: None)

        def measure() -> None:
            nonlocal handle
            self.tick()
            handle = loop.call_later(TICK_S, measure)

        measure()
        try:
            await loop.create_future()
        finally:
            handle.cancel()

    def start(self) -> None:
        self._due_ns = self._now_ns()
        self._waited_before_ns = 0 if self._waited_ns is None else self._waited_ns()

    def tick(self) -> None:
        now_ns = self._now_ns()
        late_ns = max(0, now_ns - self._due_ns)
        waited_ns = 0 if self._waited_ns is None else self._waited_ns()
        self._observe("all", late_ns)
        self._observe("own", max(0, late_ns - waited_ns + self._waited_before_ns))
        self._due_ns = now_ns + round(TICK_S * 1e9)
        self._waited_before_ns = waited_ns

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


def _time_without_core() -> Clock:
    """Time without a core of the calling thread, as Linux counts it. Raises OSError if it does not."""
    file = os.open(_SCHEDSTAT, os.O_RDONLY)
    os.pread(file, 64, 0)

    def waited_ns() -> int:
        return int(os.pread(file, 64, 0).split()[1])

    return waited_ns
