"""
Schedules pulls from the second source of snapshots: never often, never from all edges at the same moment, and ever more
rarely while it fails.
"""

import random

from common.values.clock import Clock
from edge.ports import SnapshotPull

_EVERY_S = 1.0
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 5.0
_SPREAD_S = 0.5
"""Redis fails for all edges at once. Their pulls from the control plane are spread over so long."""
_FORGET_S = 10.0
"""If it was not needed for so long, the next need starts afresh."""


class Fallback:
    """Call `due` before each pull, `done` after it."""

    def __init__(self, source: SnapshotPull, clock: Clock, rng: random.Random) -> None:
        self.source = source
        self.failures = 0
        self.was_used = False
        """Whether it was ever used."""
        self._clock = clock
        self._rng = rng
        self._pause_s = _FIRST_PAUSE_S
        self._next_s: float | None = None
        self._wanted_s = 0.0

    def due(self) -> bool:
        """Whether to pull now. Call it whenever a pull is wanted."""
        now_s = self._clock.monotonic_s()
        if self._next_s is None or now_s - self._wanted_s > _FORGET_S:
            self._next_s = now_s + self._rng.uniform(0.0, _SPREAD_S)
            self._pause_s = _FIRST_PAUSE_S
        self._wanted_s = now_s
        return now_s >= self._next_s

    def done(self, *, well: bool) -> None:
        self.was_used = True
        if well:
            self._pause_s, pause_s = _FIRST_PAUSE_S, _EVERY_S
        else:
            self.failures += 1
            pause_s = self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)
        self._next_s = self._clock.monotonic_s() + pause_s * self._rng.uniform(0.5, 1.0)
