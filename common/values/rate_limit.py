"""
The generic cell rate algorithm (GCRA; ITU-T I.371, annex A): of each caller it stores one instant, its theoretical
arrival time. Until then the caller is ahead of its rate, and a call moves that instant by its cost.
"""

from collections.abc import Hashable
from typing import final

from common.values.generation_cache import GenerationCache


def wait_for(due: float, now: float, cost: float, burst: float) -> float:
    """
    Returns the time until a call of *cost* is admitted; 0 or less: now.

    *due*: the caller's instant. *cost*: the time between two calls at its rate. *burst*: how far a caller may be ahead.
    """
    return max(due - now, 0.0) + cost - burst


@final
class RateTable:
    """
    The instants of the callers that called last. A caller without one may use a full burst.

    All times are in one unit, and *now* never in another. *max_callers*: callers of a generation, see
    `GenerationCache`. *max_debt*: how many bursts a caller can be ahead at most, whatever its instant is: this limits
    how long a clock that was set back keeps a caller out. Belongs to one thread.
    """

    def __init__(self, max_callers: int, *, max_debt: int = 1) -> None:
        self._due = GenerationCache(max_callers)
        self._max_debt = max_debt

    def take(self, caller: Hashable, now: float, cost: float, burst: float) -> float:
        """Returns `wait_for`, and counts the call where it is admitted. A refused call uses nothing up."""
        due: float = self._due.get(caller) or 0.0
        if due > now + burst * self._max_debt:
            due = now + burst * self._max_debt
            self._due.put(caller, due)
        wait = wait_for(due, now, cost, burst)
        if wait <= 0:
            self._due.put(caller, now + wait + burst)
        return wait

    def ahead(self, caller: Hashable, now: float) -> float:
        """Returns the time until *caller* has a full burst again."""
        due: float = self._due.get(caller) or 0.0
        return max(due - now, 0.0)

    def set_ahead(self, caller: Hashable, now: float, ahead: float) -> None:
        self._due.put(caller, now + ahead)

    def forget(self, caller: Hashable) -> None:
        """The next call of *caller* has a full burst."""
        self._due.discard(caller)

    def __len__(self) -> int:
        return len(self._due)
