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


class SharedSlice:
    """
    One time slice of each turn of the event loop, shared by tasks of one kind.

    Many tasks may become ready in one turn, as when one answer of a server resolves them all. Those that find the
    slice over continue in later turns, in the order in which they came.
    """

    def __init__(self, now_s: Callable[[], float] = perf_counter) -> None:
        self._now_s = now_s
        self._end_s: float | None = None
        """When this turn's slice ends; None while no task has used it."""

    async def checkpoint(self) -> None:
        """Returns in a turn whose slice is not over. Call it before each step, which may exceed the slice."""
        while self._end_s is not None and self._now_s() >= self._end_s:  # noqa: ASYNC110 - an event would resume all in one turn
            await asyncio.sleep(0)
        if self._end_s is None:
            self._end_s = self._now_s() + SLICE_S
            asyncio.get_running_loop().call_soon(self._end_turn)

    def _end_turn(self) -> None:
        self._end_s = None


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
