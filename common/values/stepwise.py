"""Long work as a generator that stops now and then, so that whoever has it done may let others have their turn."""

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")


def run_to_end(steps: Generator[None, None, T]) -> T:
    """What *steps* returns, all of it done at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found
