"""
Ships records from the spool to the event log, in order, until the log can no longer lose them.

At-least-once delivery: a record in doubt is appended again, and ingest stores it once.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Protocol

import structlog

from common.tracking.event import CounterRecord, LogRecord, WriterId
from common.tracking.record import EncodedRecord
from edge.ports import EventLog, EventLogUnavailable
from edge.spool.segment import Segment, SegmentUnreadable

BATCH_RECORDS = 1_000
"""A larger batch needs fewer requests a record: the log has a dozen partitions, each with a request of its own."""
_POLL_S = 1.0
"""Of a source that has nothing to ship; a new record ends the wait."""
_SURELY_BEFORE_MS = 60_000
"""After so long, no record of the same writer with an earlier timestamp can follow."""
_BACK_OFF_S = (0.1, 0.2, 0.5, 1.0, 2.0)

_log = structlog.get_logger(__name__)


class ShipSource(Protocol):
    """What a `Shipper` reads from: a living `Spool` or an `OrphanSpool`."""

    writer: WriterId

    @property
    def last_sequence(self) -> int: ...

    @property
    def ended(self) -> bool: ...

    async def read(self, after: int, limit: int) -> list[EncodedRecord]: ...

    async def set_aside(self, segment: Segment) -> int: ...

    async def wait_beyond(self, sequence: int, timeout_s: float) -> None: ...

    def settle(self, through: int) -> None: ...


@dataclass(slots=True)
class ShipCounts:
    """Counts for metrics; they only grow."""

    appended: int = 0
    failed: int = 0
    """Steps that failed: the log was unavailable, or the spool could not be read."""
    generations: int = 0
    """Times that the log had lost its records, and everything unsettled was appended again."""
    filled: int = 0
    """Sequences whose record was damaged on disk: an empty record was appended in its place."""
    set_aside: int = 0
    """Segments that could not be read."""


class Shipper:
    """
    Ships one source's records into the log. `run` does the work; the other methods may be called meanwhile.

    *linger_s*: how long a batch that is not full waits for more. *settle_s*: how often the log's settled sequence and
    generation are read. *patience_s*: how long a damaged record's sequence stays open until an empty record takes its
    place. The intact record may still be in the log, not yet settled.
    *retry_s*: how long a segment that cannot be read is tried again; then it is set aside, and the next ones are
    shipped. *replayable_s*: how long its sequences stay open. Meanwhile they can be replayed.
    """

    def __init__(
        self,
        source: ShipSource,
        log: EventLog,
        *,
        after: int = 0,
        linger_s: float = 0.02,
        settle_s: float = 1.0,
        patience_s: float = 30.0,
        retry_s: float = 30.0,
        replayable_s: float = 900.0,
    ) -> None:
        self.counts = ShipCounts()
        self.settled = after
        self._source = source
        self._log = log
        self._linger_s = linger_s
        self._settle_s = settle_s
        self._patience_s = patience_s
        self._retry_s = retry_s
        self._replayable_s = replayable_s
        self._unreadable: tuple[int, float] | None = None
        """First sequence of the segment that cannot be read now, and since when."""
        self._position = after
        """Everything up to here was acknowledged by the log's present generation."""
        self._missing: dict[int, float] = {}
        """Sequences that could not be read, and when an empty record takes their place."""
        self._neighbour: EncodedRecord | None = None
        """The last record that was read."""
        self._generation: str | None = None
        self._fetched_s = float("-inf")

    @property
    def backlog(self) -> int:
        """Records on disk that the log has not acknowledged."""
        return self._source.last_sequence - self._position

    async def run(self) -> None:
        """Ships until the source has ended and all of it is settled. From a living spool it ships for ever."""
        failures = 0
        while not self._done():
            _stop_if_cancelled()
            try:
                await self._step()
            except (EventLogUnavailable, OSError) as error:
                self.counts.failed += 1
                if not failures:
                    _log.warning("ship_failed", waiting=self.backlog, reason=str(error))
                self._fetched_s = float("-inf")
                await asyncio.sleep(_BACK_OFF_S[min(failures, len(_BACK_OFF_S) - 1)])
                failures += 1
            else:
                if failures:
                    _log.info("ship_recovered", after_failures=failures)
                failures = 0

    async def drain(self, timeout_s: float) -> bool:
        """
        Waits, beside `run`, until the log has all records of the spool. False after *timeout_s*: the rest stays on
        disk.
        """
        self._linger_s = 0.0
        try:
            async with asyncio.timeout(timeout_s):
                while self.backlog:  # noqa: ASYNC110 - `run` moves it on, and the wait is bounded
                    await asyncio.sleep(0.01)
                await self._fetch_settled()
        except (TimeoutError, EventLogUnavailable):
            return False
        return True

    def _done(self) -> bool:
        return self._source.ended and self.settled >= self._source.last_sequence

    async def _step(self) -> None:
        if self._now_s() - self._fetched_s >= self._settle_s:
            await self._fetch_settled()
        if self.backlog < BATCH_RECORDS:
            await self._linger()
        try:
            records = await self._source.read(self._position, BATCH_RECORDS)
        except SegmentUnreadable as error:
            if not self._is_given_up(error.segment):
                raise
            await self._set_aside(error)
            return
        self._unreadable = None
        if records:
            await self._append(records)
        elif self.backlog:
            self._skip(self._source.last_sequence + 1, self._patience_s)
        await self._fill_missing()

    async def _linger(self) -> None:
        """Waits for a first record, then a little for more."""
        if not self.backlog:
            await self._source.wait_beyond(self._position, min(_POLL_S, self._settle_s))
        if self.backlog and self._linger_s:
            await asyncio.sleep(self._linger_s)

    async def _append(self, records: Sequence[EncodedRecord]) -> None:
        await self._log.append(records)
        self.counts.appended += len(records)
        for record in records:
            if record.sequence != self._position + 1:
                self._skip(record.sequence, self._patience_s)
            self._position = record.sequence
        self._neighbour = records[-1]

    def _is_given_up(self, segment: Segment) -> bool:
        if self._unreadable is None or self._unreadable[0] != segment.first:
            self._unreadable = segment.first, self._now_s()
        return self._now_s() - self._unreadable[1] >= self._retry_s

    async def _set_aside(self, error: SegmentUnreadable) -> None:
        after = self._position
        last = await self._source.set_aside(error.segment)
        self._unreadable = None
        self.counts.set_aside += 1
        self._skip(last + 1, self._replayable_s)
        _log.error(
            "spool_segment_set_aside",
            path=str(error.segment.path),
            records=self._position - after,
            reason=str(error),
        )

    def _skip(self, following: int, open_s: float) -> None:
        """Marks every sequence between the position and *following* as unreadable; they stay open *open_s*."""
        due_s = self._now_s() + open_s
        for sequence in range(self._position + 1, following):
            self._missing.setdefault(sequence, due_s)
        self._position = max(self._position, following - 1)

    async def _fetch_settled(self) -> None:
        """Reads the log's state. Settled records may be deleted; a new generation has lost all unsettled ones."""
        generation = await self._log.generation()
        if self._generation not in (None, generation):
            self.counts.generations += 1
            self._position = self.settled
        self._generation = generation
        settled = await self._log.settled(self._source.writer, self._position)
        self._position = max(self._position, min(settled, self._source.last_sequence))
        unfilled = min(self._missing, default=settled + 1)
        self.settled = max(self.settled, min(settled, self._position, unfilled - 1))
        self._source.settle(self.settled)
        self._fetched_s = self._now_s()

    async def _fill_missing(self) -> None:
        """Closes gaps with empty records: a gap would stall every reader that counts sequences."""
        now_s = self._now_s()
        # Oldest first. A segment that was lost has tens of thousands.
        waiting = takewhile(lambda one: one[1] <= now_s, self._missing.items())
        sequences = [sequence for sequence, _ in islice(waiting, BATCH_RECORDS)]
        if not sequences or self._neighbour is None:
            return
        nothing = _empty_beside(self._neighbour)
        key = str(self._source.writer).encode()
        writer = self._source.writer
        await self._log.append([LogRecord(writer, number, key, nothing) for number in sequences])
        self.counts.filled += len(sequences)
        for sequence in sequences:
            del self._missing[sequence]

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time()


def _stop_if_cancelled() -> None:
    """Ends the task even if a library lost the cancellation, as `asyncio.wait_for` does before Python 3.12."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _empty_beside(neighbour: EncodedRecord) -> CounterRecord:
    """An empty record. Its watermark promises only what is certain."""
    body = neighbour.body
    return CounterRecord(body.at_ms, body.at_ms - _SURELY_BEFORE_MS, body.is_test, rows=())
