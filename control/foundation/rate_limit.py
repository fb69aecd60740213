"""Rate limits of management API callers (`common.values.rate_limit`), in this process's memory."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from common.values.rate_limit import RateTable
from control.ports.rates import Spend

_MAX_CALLERS = 50_000
_MAX_REPORTED = 5_000
"""Callers reported to other processes at once. For a moment, each process limits any further caller alone."""
_MAX_DEBT = 4
"""Debt limit, in bursts, of a caller that calls many processes at once."""
_ROUNDING = 1e-9
"""More than the rounding error of a float that holds seconds since boot."""


@dataclass(frozen=True, slots=True)
class Rate:
    """*count* calls in *period_s* seconds, with up to *burst* calls at once after a rest."""

    count: int
    period_s: float
    burst: int

    @property
    def interval_s(self) -> float:
        return self.period_s / self.count

    @property
    def burst_s(self) -> float:
        """How far, in seconds, a caller may be ahead of the clock."""
        return self.interval_s * self.burst


@dataclass(frozen=True, slots=True)
class RateStatus:
    """Current state of a caller: *left* calls are allowed at once; the next is allowed after *wait_s* whole seconds."""

    rate: Rate
    left: int
    wait_s: int

    @property
    def headers(self) -> dict[str, str]:
        """Headers of draft-ietf-httpapi-ratelimit-headers: the policy and what is left of it."""
        rate = self.rate
        return {
            "RateLimit-Policy": f'"default";q={rate.count};w={math.ceil(rate.period_s)}',
            "RateLimit": f'"default";r={self.left};t={self.wait_s}',
        }


class RateLimiter:
    """
    Admits calls, and exchanges with other processes what each of them admitted.

    The table is bounded: when it is full, callers that were idle longest are evicted and regain a full burst. Callers
    are stored as digests, so no address or e-mail is stored here or sent to other processes.
    """

    def __init__(self, *, max_callers: int = _MAX_CALLERS) -> None:
        self._table = RateTable(max_callers, max_debt=_MAX_DEBT)
        self._spent: dict[str, Spend] = {}

    def admit(self, caller: str, rate: Rate, now_s: float, *, cost: int = 1) -> float:
        """
        Returns 0.0 and counts the call, or returns the seconds until one would be admitted and counts nothing.

        *cost*: how many calls this one counts as, where bytes are limited instead of calls; at most the burst.
        """
        name, cost_s = _digest(caller), rate.interval_s * cost
        wait_s = self._table.take(name, now_s, cost_s, rate.burst_s + _ROUNDING)
        if wait_s > 0:
            return wait_s
        spent = self._spent.get(name)
        if spent is not None or len(self._spent) < _MAX_REPORTED:
            seconds = cost_s + (spent.seconds if spent else 0.0)
            self._spent[name] = Spend(seconds, _MAX_DEBT * rate.burst_s)
        return 0.0

    def take_spent(self) -> dict[str, Spend]:
        """Returns what was admitted here since the last call, by caller digest, and resets it."""
        taken, self._spent = self._spent, {}
        return taken

    def charge(self, spent: Mapping[str, Spend], now_s: float) -> None:
        """
        Counts what other processes admitted, even beyond a burst.

        Otherwise each process would grant the whole rate between two exchanges. The debt is capped at a few bursts.
        """
        for name, one in spent.items():
            ahead_s = self._table.ahead(name, now_s)
            self._table.set_ahead(name, now_s, max(ahead_s, min(ahead_s + one.seconds, one.max_s)))

    def status(self, caller: str, rate: Rate, now_s: float) -> RateStatus:
        """Returns the caller's current state without counting a call."""
        free_s = rate.burst_s - self._table.ahead(_digest(caller), now_s)
        left = max(math.floor(free_s / rate.interval_s + _ROUNDING), 0)
        wait_s = 0 if left else math.ceil(rate.interval_s - free_s)
        return RateStatus(rate, left, wait_s)

    def reset(self, caller: str) -> None:
        """Resets *caller* in this process: its next call has a full burst."""
        name = _digest(caller)
        self._table.forget(name)
        self._spent.pop(name, None)

    def __len__(self) -> int:
        return len(self._table)


def check_rate(limiter: RateLimiter, caller: str, rate: Rate, now_s: float) -> RateStatus:
    """Counts one call of *caller*. Raises `Refused` (``rate_limited``) with the seconds to wait."""
    wait_s = limiter.admit(caller, rate, now_s)
    if wait_s <= 0:
        return limiter.status(caller, rate, now_s)
    seconds = math.ceil(wait_s)
    raise Refused(
        ErrorCode.RATE_LIMITED,
        Message(
            "Too many requests: at most {max_requests} in {period_s:g} s are allowed. Wait "
            "{wait_s} s.",
            max_requests=rate.count,
            period_s=rate.period_s,
            wait_s=seconds,
        ),
        retry_after_s=seconds,
        headers=RateStatus(rate, 0, seconds).headers,
    )


def _digest(caller: str) -> str:
    return hashlib.blake2s(caller.encode(), digest_size=12).hexdigest()
