"""
Stores the decision log in its table.

Simpler than events: nothing is counted, so a repeated record is written once by its own id, and nothing waits for the
progress.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from prometheus_client import CollectorRegistry, Counter
from sqlalchemy.ext.asyncio import AsyncSession

from common.decision.record import DecisionRecord
from common.service.channels import Channels
from common.tracking.event import CounterRecord
from common.tracking.record import RecordInvalid, parse_record
from common.values.clock import Clock
from common.values.ids import is_uuid
from control.api.context import ControlContext
from control.events.ingest import positions
from control.events.ingest.column_arrays import ColumnInsert
from control.events.ingest.consumer import Consumer
from control.events.ingest.dead_letters import keep_dead_letters
from control.events.ingest.parse import dead_letter
from control.events.ingest.parsed_records import DeadLetter
from control.events.ingest.store import Positions
from control.events.ingest.store_result import StoreResult
from control.events.ingest.wiring import open_source
from control.foundation.settings import ControlSettings
from control.ports.events import RawBatch, RawRecord
from control.reporting.decision_log.retention import KEPT, find_instant
from control.storage.database import Database

_PUT = ColumnInsert(
    "decision_records",
    "day date, id uuid, account_id varchar, property_id uuid, is_test boolean, body bytea",
    "on conflict do nothing",
)


@asynccontextmanager
async def open_decisions(
    settings: ControlSettings, control: ControlContext, registry: CollectorRegistry
) -> AsyncIterator[Consumer[Sequence[RawBatch]]]:
    """The consumer of the decision log; connects at first use."""
    channels = Channels(settings.namespace).decisions
    async with open_source(settings, channels) as source:
        yield Consumer(
            source,
            DecisionStore(control.database, control.clock),
            clock=control.clock,
            metrics=DecisionMetrics(registry),
            batch=settings.ingest_batch,
            wait_ms=settings.ingest_wait_ms,
        )


class DecisionStore:
    """A poll is one transaction: its rows, its dead letters and its positions. Raises as `Store` of events does."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def position(self, source: str, partition: int) -> int | None:
        async with self._database.service() as session:
            return await positions.find_position(session, source, partition)

    async def recent_marks(self, since: datetime) -> dict[str, int]:
        """Empty: spools do not wait for this log to be read."""
        del since
        return {}

    async def prepare(self, batches: Sequence[RawBatch]) -> Sequence[RawBatch]:
        return batches

    async def store(
        self, source: str, batches: Sequence[RawBatch], before: Positions
    ) -> StoreResult:
        after = {batch.partition: batch.records[-1].position for batch in batches}
        moves = {partition: (before[partition], after[partition], None) for partition in after}
        now = self._clock.now()
        rows, dead = _sorted(batches, now)
        async with self._database.service() as session:
            await positions.move_positions(session, source, moves)
            await self._write(session, rows)
            await keep_dead_letters(session, source, dead, at=now)
        return StoreResult(
            records=len(rows) + len(dead), events=len(rows), dead=len(dead), positions=after
        )

    async def _write(self, session: AsyncSession, rows: Sequence[tuple[Any, ...]]) -> None:
        await _PUT.put(session, rows)


class DecisionMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.records = Counter(
            "placard_decisions_records",
            "Decision records, by outcome.",
            ["outcome"],
            registry=registry,
        )
        self.interruptions = Counter(
            "placard_decisions_backend_errors",
            "Failures of the decision log or the database.",
            registry=registry,
        )
        self.positions_moved = Counter(
            "placard_decisions_rebalances_detected",
            "Batches dropped because another consumer had stored them after a rebalance.",
            registry=registry,
        )

    def record(self, stored: StoreResult) -> None:
        self.records.labels("kept").inc(stored.events)
        self.records.labels("dead").inc(stored.dead)


def _sorted(
    batches: Iterable[RawBatch], now: datetime
) -> tuple[list[tuple[Any, ...]], list[DeadLetter]]:
    rows: list[tuple[Any, ...]] = []
    dead: list[DeadLetter] = []
    for batch in batches:
        for raw in batch.records:
            try:
                row = _find_row(raw, now)
            except RecordInvalid as error:
                dead.append(dead_letter(batch.partition, raw, str(error)))
                continue
            if row is not None:
                rows.append(row)
    return rows, dead


def _find_row(raw: RawRecord, now: datetime) -> tuple[Any, ...] | None:
    """Returns None where nothing is stored: for a closed gap, or a late record. Raises `RecordInvalid`."""
    body = parse_record(raw.raw).body
    if isinstance(body, CounterRecord):
        return None
    if not isinstance(body, DecisionRecord):
        raise RecordInvalid("an event, which belongs into a log of its own")
    if not all(is_uuid(one) for one in (body.id, body.account_id, body.property_id)):
        raise RecordInvalid("an id is no UUID")
    made_at = find_instant(UUID(body.id))
    if made_at is None:
        raise RecordInvalid("the id holds no instant")
    if not now - KEPT <= made_at <= now + KEPT:
        return None
    return (
        made_at.date(),
        UUID(body.id),
        body.account_id,
        UUID(body.property_id),
        body.is_test,
        orjson.dumps(body),
    )
