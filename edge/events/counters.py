"""
What this worker decided, counted in memory and written to the spool once a second as one record.

The record is also the worker's watermark: every event up to a second before it stands before it in the spool.
"""

import asyncio
from collections import Counter
from itertools import islice

from common.clock import Clock
from common.tracking.event import NOTHING_FOLLOWS_MS, CounterRecord
from edge.events.spool import Spool, SpoolFull
from edge.events.tally import Tally

_ROWS = 2_000
"""Of one record: far below what a frame or a message of the log may hold."""
_ON_ITS_WAY_MS = 1_000
"""Far longer than an event takes from its instant into the spool: Redis is asked about it for 50 ms at most."""
_TELL_MS = 60_000
"""How often a record says, too, what was appended and shipped."""

_FILL = "fill"
_Key = tuple[str, str, str | None, str | None, str, str | None, str | None, str | None, str | None]


class Counters:
    """``count`` is for requests and never waits; `run` writes. A spool that is full loses no count: it waits."""

    def __init__(self, spool: Spool, clock: Clock, *, is_test: bool) -> None:
        self._spool = spool
        self._clock = clock
        self._is_test = is_test
        self._partition_key = str(spool.writer).encode()
        self._rows: Counter[_Key] = Counter()
        self._keys: Counter[tuple[str, str]] = Counter()
        self._told_ms = 0
        self.tally = Tally()
        """Where the doorman counts fills, and calls by key."""

    def count(  # noqa: PLR0917 - keywords cost a third of the call
        self,
        property_id: str,
        slot_id: str,
        campaign_id: str | None,
        ad_id: str | None,
        outcome: str,
        country: str | None,
        device: str | None,
        surface: str,
        ad_format: str | None,
    ) -> None:
        """One decision, in the order of a `CounterRow`."""
        self._rows[
            (
                property_id,
                slot_id,
                campaign_id,
                ad_id,
                outcome,
                country,
                device,
                surface,
                ad_format,
            )
        ] += 1

    def count_key(self, property_id: str, key_id: str, calls: int) -> None:
        """So many calls with a key, that its limits let through."""
        self._keys[property_id, key_id] += calls

    def gather(self) -> None:
        """Takes over what is in the tally."""
        for row, country, device, count in self.tally.take():
            if len(row) == 2:  # noqa: PLR2004 - a key and its property
                self.count_key(row[0], row[1], count)
                continue
            property_id, slot_id, campaign_id, ad_id, surface, ad_format = row
            shown = property_id, slot_id, campaign_id, ad_id
            self._rows[(*shown, _FILL, country, device, surface, ad_format)] += count

    async def run(self, *, every_s: float = 1.0) -> None:
        """Flushes for ever; at once, so that a worker is known before its first event."""
        await self.flush()
        while True:
            await asyncio.sleep(every_s)
            await self.flush()

    async def flush(self, *, last: bool = False) -> None:
        """
        One record of everything since the last; also where nothing was counted, for the watermark's sake. *last*: none
        will follow, and no event; so it says what was appended, too.
        """
        self.gather()
        taken, self._rows = self._rows, Counter()
        now_ms = self._clock.now_ms()
        through_ms = NOTHING_FOLLOWS_MS if last else now_ms - _ON_ITS_WAY_MS
        tells = last or now_ms - self._told_ms >= _TELL_MS
        first = dict(islice(taken.items(), _ROWS))
        await self._write(now_ms, through_ms, first, tells=tells, keys=self._take_keys())
        for start in range(_ROWS, len(taken), _ROWS):
            part = dict(islice(taken.items(), start, start + _ROWS))
            await self._write(now_ms, through_ms, part)

    def _take_keys(self) -> dict[tuple[str, str], int]:
        """As many as a record may hold; the others wait for the next."""
        taken = dict(islice(self._keys.items(), _ROWS))
        for key in taken:
            del self._keys[key]
        return taken

    async def _write(
        self,
        now_ms: int,
        through_ms: int,
        taken: dict[_Key, int],
        *,
        tells: bool = False,
        keys: dict[tuple[str, str], int] | None = None,
    ) -> None:
        rows = tuple((*key, count) for key, count in taken.items())
        news = self._spool.appended.news_with(now_ms) if tells else ()
        shipped = self._spool.settled if tells else 0
        used = tuple((*key, count) for key, count in (keys or {}).items())
        record = CounterRecord(now_ms, through_ms, self._is_test, rows, news, shipped, used)
        try:
            await self._spool.append(record, self._partition_key)
        except SpoolFull:
            self._rows.update(taken)
            self._keys.update(keys or {})
            return
        if tells:
            self._spool.appended.told(news)
            self._told_ms = now_ms
