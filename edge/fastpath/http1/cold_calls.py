"""
Calls that memory has no answer for, a few milliseconds of them a turn of the event loop.

A reader or page that is new costs twenty times what a known one does. A worker that has just begun knows nobody: a
turn of the loop that answered all its connections would keep timers and known callers waiting for tens of
milliseconds.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from common.values.clock import Clock
from edge.fastpath.serve_cache.cached_serve import LookupCached

TURN_S = 0.004
"""What a turn of the loop may take for them, one call more or less."""


class ColdCalls:
    """One app's, all connections together. Those that must wait are resumed in the order they came."""

    def __init__(
        self, serve_uncached: LookupCached, loop: asyncio.AbstractEventLoop, clock: Clock
    ) -> None:
        self.was_put_off = False
        """Set by a `serve_uncached` that did not look at its call; cleared by whoever calls `put_off` then."""
        self._find_unmet = serve_uncached
        self._loop = loop
        self._clock = clock
        self._end_s = 0.0
        """Of this turn's share; 0 while the turn has had no such call."""
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_resuming = False

    @property
    def waiting(self) -> int:
        """Calls that were put off and not offered again yet."""
        return len(self._waiting)

    def serve_uncached(self, data: bytes, start: int, end: int, peer: str, /) -> bytes | None:
        """As `ServeFastPath.serve_uncached`; None, with `was_put_off`, where the turn's share is used up."""
        if self._may_begin():
            return self._find_unmet(data, start, end, peer)
        self.was_put_off = True
        return None

    def put_off(self, resume: Callable[[], None]) -> None:
        """*resume* offers the call again, in a later turn."""
        self.was_put_off = False
        self._waiting.append(resume)

    def _may_begin(self) -> bool:
        if not self._end_s:
            self._begin_turn()
            return True
        if self._waiting and not self._is_resuming:
            return False
        return self._clock.monotonic_s() < self._end_s

    def _begin_turn(self) -> None:
        self._end_s = self._clock.monotonic_s() + TURN_S
        self._loop.call_soon(self._next_turn)

    def _next_turn(self) -> None:
        self._end_s = 0.0
        if not self._waiting:
            return
        self._begin_turn()
        self._is_resuming = True
        try:
            while self._waiting and self._clock.monotonic_s() < self._end_s:
                self._waiting.popleft()()
        finally:
            self._is_resuming = False
