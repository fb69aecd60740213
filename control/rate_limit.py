"""Rates of callers of the management API: GCRA in this process's memory, one number a caller."""

import math
from collections import OrderedDict
from dataclasses import dataclass

from common.errors import ErrorCode, Refused

_MOST_CALLERS = 100_000
_ROUNDING = 1e-9
"""Less than a float's error of seconds since boot."""


@dataclass(frozen=True, slots=True)
class Rate:
    """*count* calls in *period_s* seconds, and *burst* at once after a rest."""

    count: int
    period_s: float
    burst: int

    @property
    def interval_s(self) -> float:
        return self.period_s / self.count


@dataclass(frozen=True, slots=True)
class RateStanding:
    """What a caller may still do now: *left* calls at once, the next after *wait_s* whole seconds."""

    rate: Rate
    left: int
    wait_s: int

    @property
    def headers(self) -> dict[str, str]:
        """Those of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it."""
        rate = self.rate
        return {
            "RateLimit-Policy": f'"default";q={rate.count};w={math.ceil(rate.period_s)}',
            "RateLimit": f'"default";r={self.left};t={self.wait_s}',
        }


class RateLimiter:
    """
    The generic cell rate algorithm: per caller the theoretical arrival time of its next call.

    Bounded: with more callers than fit, the one idle longest is forgotten, and starts with a full burst again.
    """

    def __init__(self, *, most_callers: int = _MOST_CALLERS) -> None:
        self._due_s: OrderedDict[str, float] = OrderedDict()
        self._most = most_callers

    def admit(self, caller: str, rate: Rate, now_s: float) -> float:
        """0.0 and the call counts; or the seconds after which one would be admitted, and it does not."""
        due_s = max(self._due_s.get(caller, now_s), now_s)
        wait_s = due_s - now_s - rate.interval_s * (rate.burst - 1)
        if wait_s > _ROUNDING:
            return wait_s
        self._due_s[caller] = due_s + rate.interval_s
        self._due_s.move_to_end(caller)
        if len(self._due_s) > self._most:
            self._due_s.popitem(last=False)
        return 0.0

    def standing(self, caller: str, rate: Rate, now_s: float) -> RateStanding:
        """Counts nothing."""
        used_s = max(self._due_s.get(caller, now_s) - now_s, 0.0)
        free_s = rate.interval_s * rate.burst - used_s
        left = max(math.floor(free_s / rate.interval_s + _ROUNDING), 0)
        wait_s = 0 if left else math.ceil(rate.interval_s - free_s)
        return RateStanding(rate, left, wait_s)

    def forget(self, caller: str) -> None:
        """Its next call finds a full burst."""
        self._due_s.pop(caller, None)


def check_rate(limiter: RateLimiter, caller: str, rate: Rate, now_s: float) -> RateStanding:
    """Count one call of *caller*, or raise `Refused` (``rate_limited``) that says how long to wait."""
    wait_s = limiter.admit(caller, rate, now_s)
    if wait_s <= 0:
        return limiter.standing(caller, rate, now_s)
    seconds = math.ceil(wait_s)
    raise Refused(
        ErrorCode.RATE_LIMITED,
        f"Too many calls: {rate.count} in {rate.period_s:g} s are fine. Wait {seconds} s.",
        retry_after_s=seconds,
        headers=RateStanding(rate, 0, seconds).headers,
    )
