"""The loop between the event log and the store: as often as it takes, and never twice."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

import structlog
from prometheus_client import Counter
from sqlalchemy.exc import DBAPIError

from common.clock import Clock
from common.errors import Unavailable
from control.database import describe_trouble
from control.ingest.marks import PositionMoved
from control.ingest.store import Positions, Stored
from control.ports.events import EventSource, EventSourceUnavailable, RawBatch

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0
_REPUBLISH_S = 1.0
_WRITERS_KEPT = timedelta(days=2)
"""Writers silent for longer are no more told what is committed; a spool they left is sent again and collapses."""

_log = structlog.get_logger(__name__)


class BatchStore(Protocol):
    """Where a consumer puts what it read: `control.ingest.store.Store`, or the one of another log."""

    async def position(self, source: str, partition: int) -> int | None: ...

    async def recent_marks(self, since: datetime) -> dict[str, int]: ...

    async def store(
        self, source: str, batches: Sequence[RawBatch], before: Positions
    ) -> Stored: ...


class ConsumerMetrics(Protocol):
    interruptions: Counter
    positions_moved: Counter

    def note(self, stored: Stored) -> None: ...


class Consumer:
    """
    Takes the partitions the log assigns, continues each behind its position in PostgreSQL, stores poll by poll.

    The log or the database away or in trouble: it waits (0.1 s doubling to 5 s) and goes on where the last commit
    stood. Nothing is skipped.
    """

    def __init__(
        self,
        source: EventSource,
        store: BatchStore,
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
        self._republished_s = float("-inf")
        self.trouble: str | None = "The event log and the database were not reached yet."
        """Why the last step could not be done, None when it could."""

    async def run(self, stop: asyncio.Event) -> None:
        """Until *stop* is set; the batch at hand is finished."""
        pause_s = _FIRST_PAUSE_S
        while not stop.is_set():
            try:
                await self.step()
            except (EventSourceUnavailable, Unavailable, DBAPIError) as error:
                self.trouble = describe_trouble(error)
                self._positions.clear()
                self._metrics.interruptions.inc()
                _log.warning("ingest_waits", reason=self.trouble, pause_s=pause_s)
                await _wait(stop, pause_s)
                pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
            else:
                pause_s = _FIRST_PAUSE_S

    async def step(self) -> int:
        """
        One poll, stored; gives how many records it held. Returns within the wait where there are none.

        Raises `EventSourceUnavailable`, `Unavailable` and, from a database in trouble, `DBAPIError`.
        """
        await self._take_partitions()
        batches = await self._source.poll(most=self._batch, wait_ms=self._wait_ms)
        batches = [one for one in batches if one.records and one.partition in self._positions]
        if batches:
            await self._store_batches(batches)
        await self._republish()
        self.trouble = None
        return sum(len(one.records) for one in batches)

    async def _take_partitions(self) -> None:
        generation = await self._source.generation()
        if generation != self._generation:
            self._positions.clear()
            self._generation = generation
        assigned = await self._source.assigned()
        for lost in self._positions.keys() - assigned:
            del self._positions[lost]
        for partition in sorted(assigned - self._positions.keys()):
            position = await self._store.position(generation, partition)
            await self._source.seek(partition, position)
            self._positions[partition] = position

    async def _store_batches(self, batches: list[RawBatch]) -> None:
        try:
            stored = await self._store.store(self._generation, batches, self._positions)
        except PositionMoved:
            self._metrics.positions_moved.inc()
            self._positions.clear()
            return
        except BaseException:
            # What was polled but not stored must be polled again.
            self._positions.clear()
            raise
        self._positions.update(stored.positions)
        self._metrics.note(stored)
        for partition, through in stored.positions.items():
            await self._source.settle(partition, through, stored.written)

    async def _republish(self) -> None:
        """Says again what is committed, for a log that lost its memory."""
        now_s = self._clock.monotonic_s()
        if now_s - self._republished_s < _REPUBLISH_S:
            return
        self._republished_s = now_s
        marks = await self._store.recent_marks(self._clock.now() - _WRITERS_KEPT)
        for partition, position in self._positions.items():
            if position is not None:
                await self._source.settle(partition, position, marks)


async def _wait(stop: asyncio.Event, most_s: float) -> None:
    try:
        async with asyncio.timeout(most_s):
            await stop.wait()
    except TimeoutError:
        return
