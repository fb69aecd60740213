"""Long work in the thread of the loop, a slice at a time: between two of them requests have their turn."""

import asyncio
from collections.abc import Callable, Generator
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

SLICE_S = 0.002
"""How long requests wait at most, a step of the work more or less."""


class TimeSlice:
    """One piece of work; call `checkpoint` after each of its steps."""

    def __init__(self, now_s: Callable[[], float] = perf_counter) -> None:
        self._now_s = now_s
        self._end_s = now_s() + SLICE_S

    async def checkpoint(self) -> None:
        """Lets the loop go round once where the slice is over. Nothing waits before that."""
        if self._now_s() >= self._end_s:
            await asyncio.sleep(0)
            self._end_s = self._now_s() + SLICE_S


async def run_cooperatively(steps: Generator[None, None, T], slices: TimeSlice | None = None) -> T:
    """What *steps* returns at its end; the loop may go round wherever it yields. *slices*: of the whole work."""
    slices = slices or TimeSlice()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
        await slices.checkpoint()
