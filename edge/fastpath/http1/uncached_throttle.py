"""
Limits the time that uncached requests may take in one turn of the event loop to a few milliseconds.

A new client or page costs twenty times as much as a cached one. The cache of a worker that has just started is empty:
if one turn of the loop answered all its connections, timers and cached requests would wait for tens of milliseconds.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from common.values.clock import Clock
from edge.fastpath.serve_cache.cache_filler import LookupCached

SLICE_S = 0.004
"""Time that one turn of the loop may spend on uncached requests; one request may exceed it."""


class UncachedThrottle:
    """The uncached requests of all connections of one app. Those that must wait resume in the order they came."""

    def __init__(
        self, serve_uncached: LookupCached, loop: asyncio.AbstractEventLoop, clock: Clock
    ) -> None:
        self.was_put_off = False
        """Set where `serve_uncached` did not look at its request; `put_off` clears it."""
        self._serve_uncached = serve_uncached
        self._loop = loop
        self._clock = clock
        self._end_s = 0.0
        """When this turn's share ends; 0 while the turn has had no uncached request."""
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_resuming = False

    @property
    def waiting(self) -> int:
        """The number of requests that were put off and have not resumed yet."""
        return len(self._waiting)

    def serve_uncached(self, data: bytes, start: int, end: int, peer: str, /) -> bytes | None:
        """As `ServeFastPath.serve_uncached`, but None, with `was_put_off` set, where the turn's share is used up."""
        if self._may_begin():
            return self._serve_uncached(data, start, end, peer)
        self.was_put_off = True
        return None

    def put_off(self, resume: Callable[[], None]) -> None:
        """Queues *resume*, which retries the request in a later turn."""
        self.was_put_off = False
        self._waiting.append(resume)

    def _may_begin(self) -> bool:
        if not self._end_s:
            self._begin_slice()
            return True
        if self._waiting and not self._is_resuming:
            return False
        return self._clock.monotonic_s() < self._end_s

    def _begin_slice(self) -> None:
        self._end_s = self._clock.monotonic_s() + SLICE_S
        self._loop.call_soon(self._next_slice)

    def _next_slice(self) -> None:
        self._end_s = 0.0
        if not self._waiting:
            return
        self._begin_slice()
        self._is_resuming = True
        try:
            while self._waiting and self._clock.monotonic_s() < self._end_s:
                self._waiting.popleft()()
        finally:
            self._is_resuming = False
