"""
Rate limits of clients (`common.values.rate_limit`), in this worker's memory.

Each worker grants its share of a limit. If a client's connections do not spread evenly, the workers of a machine borrow
from each other off the request path (`edge.state.quota_allocator`), and the machines of an environment in the same way
(`edge.state.machine_shares`). Shares are equal while nothing is received from the supervisor. It uses no network: the
limits hold when everything else is down.

Instants are of the machine's monotonic clock: after its wall clock was set, nobody is refused for calls of an earlier
or a later hour.
"""

from collections.abc import Iterable
from math import ceil, inf

from common.values.rate_limit import RateTable

BURST = 3
"""A client that was idle may use this many seconds' worth at once."""
SLACK = 1.05
"""Sum of all shares, as a multiple of the limit. Clients do not spread evenly, and shares change a moment apart."""
MACHINE_SLACK = 1.03
"""Sum of the machines' shares, as a multiple of the limit, where there are several."""
MAX_BUSY_BUCKETS = 1000
"""Buckets for which a worker borrows at a time; the others keep their equal share."""
_MAX_BUCKETS = 200_000
"""More calls than a worker can answer in `BURST` seconds, so an evicted bucket has recovered."""
_BUSY_MS = 200.0
"""A client this far ahead of the worker's equal share may need more."""
_BUSY_CALLS, _BUSY_PART = 1.5, 0.9
"""With several machines, also this many calls, but not more than this part of the burst: shares are small there."""
_BORROWED_MS = 600
"""How long a share is valid without being confirmed."""
_ROUNDING_MS = 0.001

Bucket = tuple[str, ...]


class _BorrowedShare:
    """*factor*: this worker's share of a bucket's limit, as a multiple of the equal one."""

    __slots__ = ("factor", "until_ms")

    def __init__(self) -> None:
        self.factor = 1.0
        self.until_ms = 0


class RateLimiter:
    """One worker's buckets; those that were not used lately are evicted. Belongs to one event loop."""

    def __init__(self, *, workers: int, max_buckets: int = _MAX_BUCKETS) -> None:
        self.workers = workers
        self.machines = 1
        self._table = RateTable(max_buckets)
        self._paces: dict[int, tuple[float, float, float]] = {}
        self._borrowed: dict[Bucket, _BorrowedShare] = {}
        self._demand: dict[Bucket, int] = {}
        self._share = 1.0
        self._burst_ms = 0.0
        self._divide()

    def _divide(self) -> None:
        """Sets the equal share of this worker, as a part of the limit, and its part of the burst."""
        share = SLACK / self.workers if self.workers > 1 else 1.0
        if self.machines > 1:
            share *= MACHINE_SLACK / self.machines
        self._share = share
        self._burst_ms = BURST * 1000.0 / (share * self.workers * self.machines) + _ROUNDING_MS
        self._paces.clear()

    def set_machines(self, machines: int) -> None:
        """
        Divides every limit by *machines*. Shares that were adopted stay what they are. Clients stay as many
        milliseconds ahead as they were, which changes what they used by less than one burst.
        """
        if machines == self.machines:
            return
        before, self.machines = self._share, machines
        self._divide()
        for borrowed in self._borrowed.values():
            borrowed.factor *= before / self._share

    def take(self, bucket: Bucket, per_second: int, now_ms: int, calls: int = 1) -> int:
        """
        0 if *calls* may pass; otherwise the whole seconds, at least 1, after which they may be repeated.

        *per_second* is the limit over all workers of all machines. Refused calls use nothing up.
        """
        interval_ms, allowed_ms, busy_ms = self._paces.get(per_second) or self._pace(per_second)
        cost_ms = interval_ms if calls == 1 else min(interval_ms * calls, allowed_ms)
        borrowed = self._borrowed.get(bucket) if self._borrowed else None
        if borrowed is not None:
            if now_ms < borrowed.until_ms:
                self._record_demand(bucket, calls)
                return self._take_borrowed(bucket, borrowed.factor, cost_ms, allowed_ms, now_ms)
            self._give_back(bucket, now_ms)
        wait_ms = self._table.take(bucket, now_ms, cost_ms, allowed_ms)
        if wait_ms + allowed_ms > busy_ms:
            self._record_demand(bucket, calls)
        return 0 if wait_ms <= 0 else ceil(wait_ms / 1000)

    def _take_borrowed(
        self, bucket: Bucket, factor: float, cost_ms: float, allowed_ms: float, now_ms: int
    ) -> int:
        """
        As many calls are admitted at once as with the equal share; only the rate differs. The wait is that of the
        smaller share, because a larger one may end before.
        """
        wait_ms = self._table.take(bucket, now_ms, cost_ms / factor, allowed_ms / factor)
        return 0 if wait_ms <= 0 else ceil(wait_ms * max(1.0, factor) / 1000)

    def take_demand(self) -> dict[Bucket, int]:
        """Calls since the last report, for buckets of which this worker may need another share."""
        demand, self._demand = self._demand, {}
        return demand

    def adopt(self, shares: Iterable[tuple[Bucket, float]], now_ms: int) -> None:
        """*shares*: the part of each bucket's limit, 1.0 for all of it. They are valid for `_BORROWED_MS`."""
        for bucket, share in shares:
            borrowed = self._borrowed.get(bucket)
            if borrowed is None:
                if len(self._borrowed) >= MAX_BUSY_BUCKETS * self.workers:
                    continue
                borrowed = self._borrowed[bucket] = _BorrowedShare()
            factor = share / self._share
            self._rescale(bucket, borrowed.factor / factor, now_ms)
            borrowed.factor = factor
            borrowed.until_ms = now_ms + _BORROWED_MS

    def drop_expired(self, now_ms: int) -> None:
        """Returns to the equal share wherever another was not confirmed in time."""
        for bucket in [
            name for name, borrowed in self._borrowed.items() if borrowed.until_ms <= now_ms
        ]:
            self._give_back(bucket, now_ms)

    def _give_back(self, bucket: Bucket, now_ms: int) -> None:
        self._rescale(bucket, self._borrowed.pop(bucket).factor, now_ms)

    def _rescale(self, bucket: Bucket, factor: float, now_ms: int) -> None:
        """Keeps the number of calls that *bucket* is ahead, so that a change of its share grants none by itself."""
        self._table.set_ahead(bucket, now_ms, self._table.ahead(bucket, now_ms) * factor)

    def _record_demand(self, bucket: Bucket, calls: int) -> None:
        cached = self._demand.get(bucket)
        if cached is not None:
            self._demand[bucket] = cached + calls
        elif len(self._demand) < MAX_BUSY_BUCKETS:
            self._demand[bucket] = calls

    def _pace(self, per_second: int) -> tuple[float, float, float]:
        """
        Milliseconds between calls, how far ahead of them a client may be, and from when on its demand is reported.
        There are few different limits.
        """
        interval_ms = 1000 / (per_second * self._share)
        allowed_ms = max(self._burst_ms, interval_ms)
        busy_ms = _BUSY_MS if self.workers > 1 else inf
        if self.machines > 1:
            busy_ms = max(_BUSY_MS, min(_BUSY_CALLS * interval_ms, _BUSY_PART * allowed_ms))
        pace = self._paces[per_second] = (interval_ms, allowed_ms, busy_ms)
        return pace

    def __len__(self) -> int:
        return len(self._table)
