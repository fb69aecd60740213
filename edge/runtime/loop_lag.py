"""How long the event loop keeps everybody waiting: a timer that sees how late it is."""

import asyncio
import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter_ns

TICK_S = 0.002
"""A stall is seen as up to a tick shorter than it is."""
BOUNDS_MS = (5, 10, 25, 100, 1000)
_SCHEDSTAT = Path("/proc/thread-self/schedstat")
_MS = 1_000_000

Clock = Callable[[], int]


class LoopLagMonitor:
    """
    *now_ns* gives time, *waited_ns* how long of it this thread was ready and had no core. Every stall is counted twice:
    ``all`` of it, and as ``own`` what was not waited for a core, which somebody else had.
    """

    def __init__(self, now_ns: Clock = perf_counter_ns, waited_ns: Clock | None = None) -> None:
        self.stalls: dict[str, Counter[int]] = {"all": Counter(), "own": Counter()}
        """By the bounds that were passed, in ms."""
        self._longest_ns = {"all": 0, "own": 0}
        self._now_ns = now_ns
        self._waited_ns = waited_ns
        self._due_ns = self._waited_before_ns = 0

    async def run(self) -> None:
        """Until cancelled; of the thread that calls it."""
        loop = asyncio.get_running_loop()
        with suppress(OSError):
            self._waited_ns = self._waited_ns or _time_without_core()
        self.start()
        handle = loop.call_later(TICK_S, lambda: None)

        def turn() -> None:
            nonlocal handle
            self.tick()
            handle = loop.call_later(TICK_S, turn)

        turn()
        try:
            await loop.create_future()
        finally:
            handle.cancel()

    def start(self) -> None:
        self._due_ns = self._now_ns()
        self._waited_before_ns = 0 if self._waited_ns is None else self._waited_ns()

    def tick(self) -> None:
        now_ns = self._now_ns()
        late_ns = now_ns - self._due_ns
        waited_ns = 0 if self._waited_ns is None else self._waited_ns()
        if late_ns > _MS:
            self._note("all", late_ns)
            self._note("own", late_ns - waited_ns + self._waited_before_ns)
        self._due_ns = now_ns + round(TICK_S * 1e9)
        self._waited_before_ns = waited_ns

    def take_longest_s(self, part: str) -> float:
        """Since this was asked the last time."""
        longest_ns, self._longest_ns[part] = self._longest_ns[part], 0
        return longest_ns / 1e9

    def _note(self, part: str, late_ns: int) -> None:
        self._longest_ns[part] = max(late_ns, self._longest_ns[part])
        for bound_ms in BOUNDS_MS:
            if late_ns > bound_ms * _MS:
                self.stalls[part][bound_ms] += 1


def _time_without_core() -> Clock:
    """Of the calling thread, as Linux counts it. Raises OSError where it does not."""
    file = os.open(_SCHEDSTAT, os.O_RDONLY)
    os.pread(file, 64, 0)

    def waited_ns() -> int:
        return int(os.pread(file, 64, 0).split()[1])

    return waited_ns
