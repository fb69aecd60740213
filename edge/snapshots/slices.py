"""Long work in the thread of the loop, a slice at a time: between two of them requests have their turn."""

import asyncio
from collections.abc import Callable
from time import perf_counter

SLICE_S = 0.002
"""How long requests wait at most, a step of the work more or less."""


class Slices:
    """One piece of work; call `turn` after each of its steps."""

    def __init__(self, now_s: Callable[[], float] = perf_counter) -> None:
        self._now_s = now_s
        self._end_s = now_s() + SLICE_S

    async def turn(self) -> None:
        """Lets the loop go round once where the slice is over. Nothing waits before that."""
        if self._now_s() >= self._end_s:
            await asyncio.sleep(0)
            self._end_s = self._now_s() + SLICE_S
