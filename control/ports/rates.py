"""Interface by which API processes share what callers spent of their rate limits, outside the path of any request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class RatesUnavailable(Exception):
    """The exchange is unavailable; until it is back, each process counts alone."""


@dataclass(frozen=True, slots=True)
class Spend:
    """
    How much one caller used of its rate: *seconds* of it.

    *max_s* limits how far that may put the caller ahead of the clock.
    """

    seconds: float
    max_s: float


class RateLimitSync(Protocol):
    """
    Exchange of spent rates. Every method raises `RatesUnavailable` at most a second after the outside stopped
    answering.

    Unsent values are then lost: limits are slightly wide for a moment, and no request waits.
    """

    async def report(self, spent: Mapping[str, Spend]) -> None:
        """Publishes *spent*, by caller digest; sends nothing where it is empty."""
        ...

    async def receive(self) -> Sequence[Mapping[str, Spend]]:
        """
        Returns what other processes published since the last `receive`, each item once, oldest first.

        The first call returns nothing, because earlier spending does not concern this process.
        Under load, the oldest items may be missing.
        """
        ...

    async def close(self) -> None: ...


class NoRateLimitSync:
    """Default where none is wired: this process is the only one."""

    async def report(self, spent: Mapping[str, Spend]) -> None:
        """Does nothing."""

    async def receive(self) -> Sequence[Mapping[str, Spend]]:
        return ()

    async def close(self) -> None:
        """Does nothing, because nothing is open."""
