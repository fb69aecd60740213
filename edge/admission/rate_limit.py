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

    def take(self, bucket: Hashable, per_second: int, now_ms: int) -> int:
        """
        0 where the call may pass; else the whole seconds, at least 1, after which it may be made again.

        *per_second* is the limit over all workers; a refused call uses nothing up.
        """
        interval_ms = 1000 / (per_second * self._share)
        allowed_ms = max(BURST * 1000.0, interval_ms)
        buckets = self._full_at_ms
        at_ms = max(buckets.pop(bucket, 0.0), now_ms) + interval_ms
        wait_ms = at_ms - now_ms - allowed_ms
        if wait_ms > 0:
            buckets[bucket] = at_ms - interval_ms
            return ceil(wait_ms / 1000)
        buckets[bucket] = at_ms
        if len(buckets) > self._max_buckets:
            del buckets[next(iter(buckets))]
        return 0

    def __len__(self) -> int:
        return len(self._full_at_ms)
