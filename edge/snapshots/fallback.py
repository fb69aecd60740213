"""
When the second source of snapshots is asked: never often, never by all edges at the same moment, and ever more seldom
while it fails.
"""

import random

from common.values.clock import Clock
from edge.ports import SnapshotPull

_EVERY_S = 1.0
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 5.0
_SPREAD_S = 0.5
"""Redis dies for all edges at once; over so long they come to the control plane."""
_FORGET_S = 10.0
"""Not needed for so long, the next need is a new one."""


class Fallback:
    """`due` before each asking, `done` after it."""

    def __init__(self, source: SnapshotPull, clock: Clock, rng: random.Random) -> None:
        self.source = source
        self.failures = 0
        self.asked = False
        """Whether it ever was."""
        self._clock = clock
        self._rng = rng
        self._pause_s = _FIRST_PAUSE_S
        self._next_s: float | None = None
        self._wanted_s = 0.0

    def due(self) -> bool:
        """Whether it may be asked now, as it is wanted."""
        now_s = self._clock.monotonic_s()
        if self._next_s is None or now_s - self._wanted_s > _FORGET_S:
            self._next_s = now_s + self._rng.uniform(0.0, _SPREAD_S)
            self._pause_s = _FIRST_PAUSE_S
        self._wanted_s = now_s
        return now_s >= self._next_s

    def done(self, *, well: bool) -> None:
        self.asked = True
        if well:
            self._pause_s, pause_s = _FIRST_PAUSE_S, _EVERY_S
        else:
            self.failures += 1
            pause_s = self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)
        self._next_s = self._clock.monotonic_s() + pause_s * self._rng.uniform(0.5, 1.0)
