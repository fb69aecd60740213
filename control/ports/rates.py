"""How the API's processes tell each other what callers spent of their rates, off the way of any call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class RatesUnavailable(Exception):
    """The others cannot be told or heard; until they can, each process counts for itself."""


@dataclass(frozen=True, slots=True)
class Spend:
    """What one caller used of its rate: *seconds* of it; *most_s* is how far ahead of the clock that may put it."""

    seconds: float
    max_s: float


class RateLimitSync(Protocol):
    """
    Raises `RatesUnavailable` a second after the outside stopped answering at the latest. What was to be told then is
    lost: a limit is a little wide for a moment, and no call ever waits.
    """

    async def tell(self, spent: Mapping[str, Spend]) -> None:
        """By callers' digests; nothing is sent where nothing was spent."""
        ...

    async def hear(self) -> Sequence[Mapping[str, Spend]]:
        """
        What others told since the last `hear`, each once, oldest first; at the first call nothing, for what was
        spent before this process began is none of its business. Under pressure the oldest may be missing.
        """
        ...

    async def close(self) -> None: ...


class NoRateLimitSync:
    """What stands where none was wired: this process is the only one."""

    async def tell(self, spent: Mapping[str, Spend]) -> None:
        """Nobody is told."""

    async def hear(self) -> Sequence[Mapping[str, Spend]]:
        return ()

    async def close(self) -> None:
        """Nothing is open."""
