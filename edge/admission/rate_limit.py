"""
How often a caller may come: GCRA, one instant a bucket, in this worker's memory.

A worker grants its share of a limit, with a little slack because callers do not spread evenly over workers. No
network is asked: when everything else is down, the limits still hold.
"""

from collections.abc import Hashable
from math import ceil

BURST = 3
"""A caller that was quiet may take this many seconds' worth at once."""
_SLACK = 1.1
_MAX_BUCKETS = 1_000_000


class RateLimiter:
    """One worker's buckets, the least recently used forgotten first. Belongs to one event loop."""

    def __init__(self, *, workers: int, max_buckets: int = _MAX_BUCKETS) -> None:
        self._share = _SLACK / workers if workers > 1 else 1.0
        self._max_buckets = max_buckets
        self._full_at_ms: dict[Hashable, float] = {}
        self._paces: dict[int, tuple[float, float]] = {}

    def take(self, bucket: Hashable, per_second: int, now_ms: int) -> int:
        """
        0 where the call may pass; else the whole seconds, at least 1, after which it may be made again.

        *per_second* is the limit over all workers; a refused call uses nothing up.
        """
        pace = self._paces.get(per_second) or self._pace(per_second)
        interval_ms, allowed_ms = pace
        buckets = self._full_at_ms
        before_ms = buckets.pop(bucket, 0.0)
        at_ms = max(before_ms, now_ms) + interval_ms
        wait_ms = at_ms - now_ms - allowed_ms
        if wait_ms > 0:
            buckets[bucket] = before_ms
            return ceil(wait_ms / 1000)
        buckets[bucket] = at_ms
        if len(buckets) > self._max_buckets:
            del buckets[next(iter(buckets))]
        return 0

    def _pace(self, per_second: int) -> tuple[float, float]:
        """Milliseconds between calls, and how far ahead of them a caller may be. There are few different limits."""
        interval_ms = 1000 / (per_second * self._share)
        pace = self._paces[per_second] = (interval_ms, max(BURST * 1000.0, interval_ms))
        return pace

    def __len__(self) -> int:
        return len(self._full_at_ms)
