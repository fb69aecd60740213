"""When a failed request is sent again. The rules are those of `clients/contract`."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from placard.errors import ApiError, NetworkError, PlacardError

LONGEST_PAUSE_S = 60.0
"""A client does not wait longer than this; it raises the error instead."""

_RATE_LIMITED, _SERVER_ERRORS = 429, 500


@dataclass(frozen=True, slots=True)
class Retries:
    """
    Pauses are ``base_s × 2^n × (0.5 + random)``, n from 0, and at least `Retry-After`: jitter spreads clients out, and
    half of the pause is certain.
    """

    most: int = 3
    base_s: float = 0.5
    draw: Callable[[], float] = random.random

    def pause_s(self, failure: PlacardError, retried: int, *, repeatable: bool) -> float | None:
        """The pause before the next attempt, after *retried* retries; None if there is none."""
        if retried >= self.most or not _may_repeat(failure, repeatable=repeatable):
            return None
        own = self.base_s * 2**retried * (0.5 + self.draw())
        pause = max(own, retry_after_s(failure))
        return pause if pause <= LONGEST_PAUSE_S else None


def retry_after_s(failure: PlacardError) -> float:
    """The wait that the service asked for; 0 where it asked for none."""
    found = failure.retry_after_s if isinstance(failure, ApiError) else None
    return 0.0 if found is None or math.isnan(found) else found


def _may_repeat(failure: PlacardError, *, repeatable: bool) -> bool:
    """
    *repeatable*: a second execution changes nothing. Other requests are sent again only if the first was not executed:
    it did not leave, or was refused before any work.
    """
    if isinstance(failure, NetworkError):
        return repeatable or not failure.was_sent
    if not isinstance(failure, ApiError):
        return False
    if failure.status == _RATE_LIMITED or failure.code in (
        "unavailable",
        "idempotency_in_progress",
    ):
        return True
    return repeatable and failure.status >= _SERVER_ERRORS
