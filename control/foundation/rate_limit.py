"""Rates of callers of the management API: GCRA in this process's memory, one number a caller."""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from common.values.errors import ErrorCode, Refused
from control.ports.rates import Spend

_MAX_CALLERS = 100_000
_MAX_TOLD = 5_000
"""Callers told of at once: more are limited in each process alone, for a moment."""
_MAX_DEBT = 4
"""Bursts that a caller may be ahead by calling many processes at once."""
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

    @property
    def burst_s(self) -> float:
        """How far ahead of the clock a caller may be."""
        return self.interval_s * self.burst


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
    Callers are kept by digest: no address and no e-mail stays here, or leaves the process with what was spent.
    """

    def __init__(self, *, max_callers: int = _MAX_CALLERS) -> None:
        self._due_s: OrderedDict[str, float] = OrderedDict()
        self._spent: dict[str, Spend] = {}
        self._most = max_callers

    def admit(self, caller: str, rate: Rate, now_s: float, *, cost: int = 1) -> float:
        """
        0.0 and the call counts; or the seconds after which one would be admitted, and it does not. *cost*: what one
        counts as, where not calls are counted but bytes; at most the burst.
        """
        name = _digest(caller)
        due_s = max(self._due_s.get(name, now_s), now_s)
        wait_s = due_s - now_s - rate.interval_s * (rate.burst - cost)
        if wait_s > _ROUNDING:
            return wait_s
        cost_s = rate.interval_s * cost
        self._set(name, due_s + cost_s)
        spent = self._spent.get(name)
        if spent is not None or len(self._spent) < _MAX_TOLD:
            seconds = cost_s + (spent.seconds if spent else 0.0)
            self._spent[name] = Spend(seconds, _MAX_DEBT * rate.burst_s)
        return 0.0

    def take_spent(self) -> dict[str, Spend]:
        """By callers' digests: what was admitted here since the last time."""
        taken, self._spent = self._spent, {}
        return taken

    def charge(self, spent: Mapping[str, Spend], now_s: float) -> None:
        """
        What other processes admitted counts here too, also beyond a burst: else each of them would give the whole rate
        between two exchanges. Nobody gets into more debt than a few bursts by it.
        """
        for name, one in spent.items():
            due_s = max(self._due_s.get(name, now_s), now_s)
            self._set(name, max(due_s, min(due_s + one.seconds, now_s + one.max_s)))

    def standing(self, caller: str, rate: Rate, now_s: float) -> RateStanding:
        """Counts nothing."""
        used_s = max(self._due_s.get(_digest(caller), now_s) - now_s, 0.0)
        free_s = rate.burst_s - used_s
        left = max(math.floor(free_s / rate.interval_s + _ROUNDING), 0)
        wait_s = 0 if left else math.ceil(rate.interval_s - free_s)
        return RateStanding(rate, left, wait_s)

    def forget(self, caller: str) -> None:
        """Its next call finds a full burst, in this process."""
        name = _digest(caller)
        self._due_s.pop(name, None)
        self._spent.pop(name, None)

    def _set(self, name: str, due_s: float) -> None:
        self._due_s[name] = due_s
        self._due_s.move_to_end(name)
        if len(self._due_s) > self._most:
            self._due_s.popitem(last=False)


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


def _digest(caller: str) -> str:
    return hashlib.blake2s(caller.encode(), digest_size=12).hexdigest()
