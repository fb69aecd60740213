"""
The salt of the day, under which clients are told apart for windows: random, shared by edges, gone after its day.

It is derived from nothing, so once it is forgotten nobody can work out whose hash a stored one was, whatever keys they
hold. Edges agree on it through a `SaltStore`; without one a worker goes on with a random salt of its own, and windows
at ingest merely see one client as several.
"""

import asyncio
import os

from common.values.clock import Clock, SystemClock
from edge.ports import SaltStore, SaltStoreUnavailable

SALT_BYTES = 32
DAY_MS = 86_400_000
KEPT_BEYOND_MS = 300_000
"""How long a salt outlives its day in the store: clocks differ."""
_AHEAD_MS = 600_000
_LOOK_S = 5.0


class DailySalts:
    """Holds yesterday's salt for the minutes that clocks may differ by, never longer."""

    def __init__(self, store: SaltStore | None = None, clock: Clock | None = None) -> None:
        self.skipped = 0
        """How often the store could not be asked."""
        self._store = store
        self._clock = clock or SystemClock()
        self._salts: dict[int, bytes] = {}
        self._shared: set[int] = set()

    def of_day(self, now_ms: int) -> bytes:
        """32 bytes that change at midnight UTC; random ones of this process where the shared are not known yet."""
        day = now_ms // DAY_MS
        found = self._salts.get(day)
        if found is None:
            found = self._salts[day] = os.urandom(SALT_BYTES)
            self._forget(now_ms)
        return found

    async def look(self) -> None:
        """Asks for the salts of today and, towards its end, of tomorrow; forgets those of days that are over."""
        now_ms = self._clock.now_ms()
        self._forget(now_ms)
        for day in {now_ms // DAY_MS, (now_ms + _AHEAD_MS) // DAY_MS} - self._shared:
            await self._share(day)

    async def run(self, every_s: float = _LOOK_S) -> None:
        """Looks again every *every_s*, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(every_s)

    async def _share(self, day: int) -> None:
        if self._store is None:
            return
        own = self._salts.get(day) or os.urandom(SALT_BYTES)
        try:
            found = await self._store.agree(day, own, (day + 1) * DAY_MS + KEPT_BEYOND_MS)
        except SaltStoreUnavailable:
            self.skipped += 1
            return
        self._salts[day] = found
        self._shared.add(day)

    def _forget(self, now_ms: int) -> None:
        oldest = (now_ms - KEPT_BEYOND_MS) // DAY_MS
        self._salts = {day: salt for day, salt in self._salts.items() if day >= oldest}
        self._shared &= self._salts.keys()
