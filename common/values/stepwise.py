"""Long work as a generator that yields now and then, so that its caller can run other work in between."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def run_to_end(steps: Generator[None, None, T]) -> T:
    """Runs *steps* to its end without a pause, and returns its result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
