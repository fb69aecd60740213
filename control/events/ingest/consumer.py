"""
The loop between the event log and the store: polls as often as needed and stores each record exactly once.

While one poll is being stored, the next is read and prepared, if there is enough to read. The database and this process
then work at the same time.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

import asyncpg
import structlog
from prometheus_client import Counter
from sqlalchemy.exc import DBAPIError

from common.values.clock import Clock
from common.values.errors import Unavailable
from control.events.ingest.positions import PositionMoved
from control.events.ingest.store import Positions
from control.events.ingest.store_result import StoreResult
from control.ports.events import EventSource, EventSourceUnavailable, RawBatch
from control.storage.database import describe_error

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_REPUBLISH_S = 5.0
_TROUBLES = (EventSourceUnavailable, Unavailable, DBAPIError, asyncpg.PostgresError)
_WRITERS_KEPT = timedelta(days=2)
"""Marks of writers silent for longer are no longer published. A spool they left is sent again and deduplicated."""

_log = structlog.get_logger(__name__)


Prepared = TypeVar("Prepared")


class BatchStore(Protocol[Prepared]):
    """Where a consumer stores what it read: `control.events.ingest.store.Store`, or the store of another log."""

    async def position(self, source: str, partition: int) -> int | None: ...

    async def recent_marks(self, since: datetime) -> dict[str, int]: ...

    async def prepare(self, batches: Sequence[RawBatch]) -> Prepared: ...

    async def store(self, source: str, prepared: Prepared, before: Positions) -> StoreResult: ...


@dataclass(slots=True)
class _Read(Generic[Prepared]):
    batches: list[RawBatch]
    prepared: Prepared | None

    @property
    def count(self) -> int:
        return sum(len(one.records) for one in self.batches)


class ConsumerMetrics(Protocol):
    interruptions: Counter
    positions_moved: Counter

    def record(self, stored: StoreResult) -> None: ...


class Consumer(Generic[Prepared]):
    """
    Takes the partitions that the log assigns, continues each after its position in PostgreSQL, and stores poll by poll.

    If the log or the database is unavailable or fails, it waits (0.1 s, doubling to 5 s) and continues after the last
    commit. So it does after a fault of its own, which must not end the consumers of other partitions. Nothing is
    skipped. Partitions for which the log does not respond count as a failure, too; the others are read meanwhile.
    """

    def __init__(
        self,
        source: EventSource,
        store: BatchStore[Prepared],
        *,
        clock: Clock,
        metrics: ConsumerMetrics,
        batch: int,
        wait_ms: int,
    ) -> None:
        self._source = source
        self._store = store
        self._clock = clock
        self._metrics = metrics
        self._batch = batch
        self._wait_ms = wait_ms
        self._generation = ""
        self._positions: dict[int, int | None] = {}
        self._ahead: asyncio.Task[_Read[Prepared]] | None = None
        self._republished_s = float("-inf")
        self.error: str | None = "The event log and the database were not reached yet."
        """Why the last step failed, or did not reach all partitions; None where it succeeded."""

    async def run(self, stop: asyncio.Event) -> None:
        """Runs until *stop* is set; the current batch is finished first."""
        pause_s = _FIRST_PAUSE_S
        try:
            while not stop.is_set():
                try:
                    await self.step()
                except Exception as error:  # noqa: BLE001 - whatever it was, other partitions are read on
                    self._note_failure(error, pause_s)
                    await _wait(stop, pause_s)
                    pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
                else:
                    pause_s = _FIRST_PAUSE_S
        finally:
            await self._drop_ahead()

    def _note_failure(self, error: Exception, pause_s: float) -> None:
        self._positions.clear()
        self._metrics.interruptions.inc()
        if isinstance(error, _TROUBLES):
            self.error = describe_error(error)
            _log.warning("ingest_backend_unavailable", reason=self.error, retry_in_s=pause_s)
        else:
            self.error = f"{type(error).__name__}: {error}"
            _log.error("ingest_failed", exc_info=error, retry_in_s=pause_s)

    async def step(self) -> int:
        """
        Stores one poll and returns how many records it held. Returns within the wait where there are none.

        Raises `EventSourceUnavailable`, `Unavailable` and, if the database fails, `DBAPIError`.
        """
        await self._take_partitions()
        read = await self._next()
        if read.prepared is not None:
            await self._store_read(read.batches, read.prepared)
        await self._republish()
        self._note_silence()
        return read.count

    async def _next(self) -> _Read[Prepared]:
        """Returns the poll that was read ahead, or polls now. Begins to read ahead if there is more."""
        ahead, self._ahead = self._ahead, None
        read = await (self._read() if ahead is None else ahead)
        lost = {one.partition for one in read.batches} - self._positions.keys()
        if lost:
            # The partition was lost during the read-ahead: another consumer has it, or it is sought again before the
            # next read.
            kept = [one for one in read.batches if one.partition not in lost]
            read = _Read(kept, await self._store.prepare(kept) if kept else None)
        if read.count >= self._batch // 2:
            self._ahead = asyncio.create_task(self._read())
        return read

    async def _read(self) -> _Read[Prepared]:
        batches = await self._source.poll(most=self._batch, wait_ms=self._wait_ms)
        batches = [one for one in batches if one.records and one.partition in self._positions]
        return _Read(batches, await self._store.prepare(batches) if batches else None)

    async def _take_partitions(self) -> None:
        """Drops the read-ahead on every change of assignment: new partitions are read from the sought position."""
        generation = await self._source.generation()
        assigned = await self._source.assigned()
        if generation != self._generation or assigned - self._positions.keys():
            await self._drop_ahead()
            self._generation = generation
            self._republished_s = float("-inf")
        for lost in self._positions.keys() - assigned:
            del self._positions[lost]
        for partition in sorted(assigned - self._positions.keys()):
            position = await self._store.position(generation, partition)
            await self._source.seek(partition, position)
            self._positions[partition] = position

    async def _drop_ahead(self) -> None:
        """Makes every partition be sought again, because the log was read beyond the stored position."""
        self._positions.clear()
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.cancel()
            await asyncio.wait({ahead})
            if not ahead.cancelled():
                ahead.exception()  # its partitions are read again, and the next read shows whether that fails, too

    async def _store_read(self, batches: Sequence[RawBatch], prepared: Prepared) -> None:
        before = {one.partition: self._positions[one.partition] for one in batches}
        try:
            stored = await self._store.store(self._generation, prepared, before)
        except PositionMoved:
            self._metrics.positions_moved.inc()
            self._positions.clear()
            return
        except BaseException:
            # Records that were polled but not stored must be polled again.
            self._positions.clear()
            raise
        self._positions.update(stored.positions)
        self._metrics.record(stored)
        for partition, through in stored.positions.items():
            await self._source.settle(partition, through, stored.written)

    def _note_silence(self) -> None:
        """The other partitions are read meanwhile."""
        silent = sorted(self._source.silent() & self._positions.keys())
        if not silent:
            self.error = None
            return
        error = f"The event log does not respond for partitions {', '.join(map(str, silent))}."
        if error != self.error:
            _log.warning("ingest_partitions_silent", partitions=silent)
        self.error = error
        self._metrics.interruptions.inc()

    async def _republish(self) -> None:
        """Publishes the committed marks again, for a log that lost its memory."""
        now_s = self._clock.monotonic_s()
        if now_s - self._republished_s < _REPUBLISH_S:
            return
        self._republished_s = now_s
        marks = await self._store.recent_marks(self._clock.now() - _WRITERS_KEPT)
        for partition, position in self._positions.items():
            if position is not None:
                await self._source.settle(partition, position, marks)


async def _wait(stop: asyncio.Event, max_s: float) -> None:
    try:
        async with asyncio.timeout(max_s):
            await stop.wait()
    except TimeoutError:
        return
