"""
What this worker decided, counted in memory and written to the spool once a second as one record; every two seconds
while it is idle.

The record is also the worker's watermark: every event older than a second before it precedes it in the spool.
"""

import asyncio
from collections import Counter
from collections.abc import Generator, Iterator
from itertools import islice

from common.service.cooperative import TimeSlice, run_cooperatively
from common.tracking.event import (
    NOTHING_FOLLOWS_MS,
    CapRow,
    CounterRecord,
    CounterRow,
    ExceededRow,
)
from common.values.clock import Clock
from edge.spool.serve_counter import GroupedCounter
from edge.spool.spool import Spool, SpoolFull

_ROWS = 500
"""
Rows of one record. Far below the limits of a frame and of a message of the log, and quick to
encode, write and send.
"""
_AT_ONCE = 200
"""Counts handled before the clock is checked: a fifth of a millisecond."""
_ON_ITS_WAY_MS = 1_000
"""Far longer than an event takes to reach the spool: the wait for Redis is 50 ms at most."""
_REPORT_S = 60.0
"""How often a record also reports what was appended and shipped; monotonic, because the clock may be set back."""
_LESS_OFTEN_AFTER = ((60, 4), (10, 2))
"""After 10 rounds without a count or an event, only every second round writes a record; after 60, every fourth."""

_FILL = "fill"
_Key = tuple[str, str, str | None, str | None, str, str | None, str | None, str | None, str | None]

_Exceeded = tuple[str, str, str, str, str, str, str, str]
"""An `ExceededRow` without its count."""


class Counters:
    """``count`` is for requests and never waits; `run` writes. A full spool loses no count: counts wait in memory."""

    def __init__(self, spool: Spool, clock: Clock, *, is_test: bool) -> None:
        self._spool = spool
        self._clock = clock
        self._is_test = is_test
        self._partition_key = str(spool.writer).encode()
        self._rows: Counter[_Key] = Counter()
        self._keys: Counter[tuple[str, str]] = Counter()
        self._exceeded: Counter[_Exceeded] = Counter()
        self._cap_lookups: Counter[str] = Counter()
        self._cap_unknown: Counter[str] = Counter()
        self._reported_s = 0.0
        self._idle_rounds = 0
        self._written_through = 0
        """The spool's last sequence at the end of the last flush."""
        self._flushing = asyncio.Lock()
        self.tally = GroupedCounter()
        """Where the native cache counts fills, and calls by key."""

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
        """Counts one decision. The arguments are in the order of a `CounterRow`."""
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
        """Counts calls with a key that passed its limits."""
        self._keys[property_id, key_id] += calls

    def count_exceeded(self, row: _Exceeded) -> None:
        """Counts one event beyond the rate of its address, which is not stored by itself."""
        self._exceeded[row] += 1

    def count_cap_lookup(self, property_id: str, *, answered: bool) -> None:
        """Counts one decision that needed the user's frequency counts."""
        self._cap_lookups[property_id] += 1
        if not answered:
            self._cap_unknown[property_id] += 1

    def gather(self) -> None:
        """Takes over the counts of `tally`."""
        for _ in self._gathering():
            pass

    async def run(self, *, every_s: float = 1.0) -> None:
        """
        Flushes for ever. The first flush comes at once, so that the worker is known before its first event. The
        watermark of a worker that is idle moves half as often, and a quarter as often after a minute.
        """
        await self.flush()
        while True:
            await asyncio.sleep(every_s)
            await self.flush_if_due()

    async def flush_if_due(self) -> None:
        """One round of `run`."""
        self._idle_rounds = self._idle_rounds + 1 if self._is_idle() else 0
        idle = self._idle_rounds
        every = next((every for after, every in _LESS_OFTEN_AFTER if idle > after), 1)
        if idle % every == 0:
            await self.flush()

    async def flush(self, *, last: bool = False) -> None:
        """
        Writes everything counted since the last record. Also writes where nothing was counted, because of the
        watermark. *last*: no record and no event will follow, so the record reports what was appended, too. Works in
        slices; the record may include counts made meanwhile.
        """
        async with self._flushing:
            slices = TimeSlice()
            await run_cooperatively(self._gathering(), slices)
            taken, self._rows = self._rows, Counter()
            now_ms = self._clock.now_ms()
            through_ms = NOTHING_FOLLOWS_MS if last else now_ms - _ON_ITS_WAY_MS
            reports = last or self._clock.monotonic_s() - self._reported_s >= _REPORT_S
            keys, exceeded = self._take_keys(), self._take_exceeded()
            caps = self._take_caps()
            counted = iter(taken.items())
            for _ in range(0, max(1, len(taken)), _ROWS):
                rows = await run_cooperatively(_laid_out(counted), slices)
                await self._write(
                    now_ms,
                    through_ms,
                    rows,
                    reports=reports,
                    keys=keys,
                    exceeded=exceeded,
                    caps=caps,
                )
                reports, keys, exceeded, caps = False, {}, {}, ()
            self._written_through = self._spool.last_sequence

    def _is_idle(self) -> bool:
        """Whether there was neither a count nor an event since the last flush."""
        self.gather()
        counts = self._rows, self._keys, self._exceeded, self._cap_lookups
        return not any(counts) and self._spool.last_sequence == self._written_through

    def _gathering(self) -> Generator[None, None, None]:
        taken = self.tally.take()
        while taken:
            for row, country, device, count in taken[-_AT_ONCE:]:
                if len(row) == 2:  # noqa: PLR2004 - a key and its property
                    self.count_key(row[0], row[1], count)
                    continue
                property_id, slot_id, campaign_id, ad_id, surface, ad_format = row
                shown = property_id, slot_id, campaign_id, ad_id
                self._rows[(*shown, _FILL, country, device, surface, ad_format)] += count
            del taken[-_AT_ONCE:]
            yield

    def _take_keys(self) -> dict[tuple[str, str], int]:
        """As many as a record may hold; the others wait for the next record."""
        taken = dict(islice(self._keys.items(), _ROWS))
        for key in taken:
            del self._keys[key]
        return taken

    def _take_exceeded(self) -> dict[_Exceeded, int]:
        """As `_take_keys`."""
        taken = dict(islice(self._exceeded.items(), _ROWS))
        for row in taken:
            del self._exceeded[row]
        return taken

    def _take_caps(self) -> tuple[CapRow, ...]:
        """As `_take_keys`."""
        taken = tuple(
            (property_id, count, self._cap_unknown.pop(property_id, 0))
            for property_id, count in islice(self._cap_lookups.items(), _ROWS)
        )
        for property_id, _, _ in taken:
            del self._cap_lookups[property_id]
        return taken

    async def _write(
        self,
        now_ms: int,
        through_ms: int,
        rows: tuple[CounterRow, ...],
        *,
        reports: bool,
        keys: dict[tuple[str, str], int],
        exceeded: dict[_Exceeded, int],
        caps: tuple[CapRow, ...],
    ) -> None:
        appended = self._spool.appended.changes_with(now_ms) if reports else ()
        shipped = self._spool.settled if reports else 0
        used = tuple((*key, count) for key, count in keys.items())
        beyond: tuple[ExceededRow, ...] = tuple((*row, count) for row, count in exceeded.items())
        record = CounterRecord(
            now_ms, through_ms, self._is_test, rows, appended, shipped, used, beyond, caps
        )
        try:
            await self._spool.append(record, self._partition_key)
        except SpoolFull:
            for row in rows:
                self._rows[row[:-1]] += row[-1]
            self._keys.update(keys)
            self._exceeded.update(exceeded)
            for property_id, lookups, unknown in caps:
                self._cap_lookups[property_id] += lookups
                self._cap_unknown[property_id] += unknown
            return
        if reports:
            self._spool.appended.mark_reported(appended)
            self._reported_s = self._clock.monotonic_s()


def _laid_out(
    counted: Iterator[tuple[_Key, int]],
) -> Generator[None, None, tuple[CounterRow, ...]]:
    """The rows of the next record."""
    rows: list[CounterRow] = []
    while len(rows) < _ROWS:
        some = [(*key, count) for key, count in islice(counted, _AT_ONCE)]
        if not some:
            break
        rows += some
        yield
    return tuple(rows)
