"""Splits long work on the event loop's thread into slices; other tasks of the loop run between two slices."""

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

SLICE_S = 0.002
"""The longest that other tasks wait, give or take one step of the work."""
AT_ONCE = 100
"""Items between two steps of most work: some tenths of a millisecond."""


class TimeSlice:
    """The time slice of one piece of work. Call `checkpoint` after each of its steps."""

    def __init__(self, now_s: Callable[[], float] = perf_counter) -> None:
        self._now_s = now_s
        self._end_s = now_s() + SLICE_S

    async def checkpoint(self) -> None:
        """Yields to the event loop once if the slice is over. Otherwise returns at once."""
        if self._now_s() >= self._end_s:
            await asyncio.sleep(0)
            self._end_s = self._now_s() + SLICE_S


async def run_cooperatively(steps: Generator[None, None, T], slices: TimeSlice | None = None) -> T:
    """
    Runs *steps* and returns its result; the loop may run wherever it yields. *slices*: the slices
    of the whole work.
    """
    slices = slices or TimeSlice()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
        await slices.checkpoint()


def batches(items: Iterable[T], size: int = AT_ONCE) -> Iterator[list[T]]:
    """Yields *items* in lists of at most *size*, for work that is one step a list."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
