"""
The salt of a day, which distinguishes clients in windows: random, shared among edges, deleted after its day.

It is not derived from any key. Once it is deleted, nobody can work out whose hash a stored one was, whatever keys they
hold. Edges agree on it through a `SaltStore`. Without the store a worker uses a random salt of its own, and windows at
ingest merely count one client as several.
"""

import asyncio
import os

from common.values.clock import Clock, SystemClock
from edge.ports import SaltStore, SaltStoreUnavailable

SALT_BYTES = 32
DAY_MS = 86_400_000
KEPT_BEYOND_MS = 300_000
"""How long a salt outlives its day in the store, because clocks differ."""
_AHEAD_MS = 600_000
_CHECK_S = 5.0


class DailySalts:
    """Holds yesterday's salt for the minutes that clocks may differ by, never longer."""

    def __init__(self, store: SaltStore | None = None, clock: Clock | None = None) -> None:
        self.skipped = 0
        """How often the store was unavailable."""
        self._store = store
        self._clock = clock or SystemClock()
        self._salts: dict[int, bytes] = {}
        self._shared: set[int] = set()

    def of_day(self, now_ms: int) -> bytes:
        """32 bytes that change at midnight UTC. Random bytes of this process while the shared salt is not known yet."""
        day = now_ms // DAY_MS
        found = self._salts.get(day)
        if found is None:
            found = self._salts[day] = os.urandom(SALT_BYTES)
            self._forget(now_ms)
        return found

    async def refresh(self) -> None:
        """Fetches today's salt and, near the end of the day, tomorrow's. Deletes those of past days."""
        now_ms = self._clock.now_ms()
        self._forget(now_ms)
        for day in {now_ms // DAY_MS, (now_ms + _AHEAD_MS) // DAY_MS} - self._shared:
            await self._share(day)

    async def run(self, every_s: float = _CHECK_S) -> None:
        """Repeats `look` every *every_s*, for ever."""
        while True:
            await self.refresh()
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
