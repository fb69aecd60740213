"""
Stores one poll's records in PostgreSQL in one transaction: each takes effect exactly once, even if the log repeats it.

The order inside: move the position (a consumer that lost its partition stops here), find new records, take keys, hold
conversions to be attributed, take orders, fill the staging table, charge the ledger. Then write rows and sums of what
was really new, then the marks. From the ledger on, other consumers wait for the campaigns. So the staging table is
filled before, with each event's expected cost.

If the database refuses the content, or code did not foresee it, the poll is halved until the one faulty record is
found, which becomes a dead letter. Where no record at all can be stored, `EveryRecordFails` is raised instead
(`control.events.ingest.fault_run`). If the database is unavailable, `Unavailable` is raised and nothing is done.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import asyncpg
import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from common.ivt.windows import LIMITS, Limits, Window
from common.snapshot.model import ObjectType
from common.values.clock import Clock, to_ms
from common.values.enums import Reason
from common.values.errors import UNFORESEEN
from control.demand.campaigns.completion import complete_spent
from control.events.ingest import (
    conversions,
    keys,
    ledger,
    positions,
    staging_table,
    write_aggregates,
    writer_reconciliation_hours,
)
from control.events.ingest.cap_lookups import add_cap_lookups
from control.events.ingest.dead_letters import keep_dead_letters
from control.events.ingest.exceeded import add_exceeded
from control.events.ingest.fault_run import FaultRun
from control.events.ingest.key_calls import add_key_calls
from control.events.ingest.late_days import mark_late_days
from control.events.ingest.parse import UNREADABLE, Parser, dead_letter, to_dead_letters
from control.events.ingest.parsed_records import Arrival, Conversion, Counter, Event, Parsed
from control.events.ingest.sequences import take_new
from control.events.ingest.store_result import StoreResult
from control.events.ingest.tracing import IngestTracing, TracedRecord, find_traced
from control.events.ingest.window_restore import recall
from control.events.ingest.windows import Windows
from control.outbox.changes import Changes
from control.ports.events import RawBatch, RawRecord
from control.storage.database import Database, TransactionsClashed

LATE_AFTER_MS = 300_000
"""An event that took longer from the edge to here is `ok_late`."""
_CONTENT_CLASSES = ("22", "23")
_FAULTS = (DBAPIError, asyncpg.PostgresError, *UNFORESEEN)
_ATTEMPTS = 8
_SLICE = 100
"""Records parsed without a pause, about a millisecond: PostgreSQL idles while its responses are not read."""
_ACCOUNTS_OF = text("select id, account_id from properties where id = any(:ids)")
_log: structlog.stdlib.BoundLogger = structlog.get_logger("ingest")

Positions = dict[int, int | None]
Flush = Callable[[AsyncSession, Changes, datetime], Awaitable[object]]
"""Publishes the changes to the edges, in the caller's transaction: `control.outbox.outbox.flush`."""
Arrivals = Sequence[Arrival]
TakeNew = Callable[[AsyncSession, Arrivals], Awaitable[Arrivals]]
"""Returns the records not stored before. Once that transaction commits, no later call returns them."""


@dataclass(slots=True)
class Poll:
    """The batches read at once, and their parsed records."""

    batches: Sequence[RawBatch]
    parsed: Parsed


class Store:
    """
    Caches each property's account, which never changes, and the windows of its partitions.

    May be shared by tasks, each with its own partitions.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        flush: Flush,
        limits: Limits = LIMITS,
        *,
        take: TakeNew = take_new,
        tracing: IngestTracing | None = None,
    ) -> None:
        """
        *limits*: of the windowed verdicts. *take*: replaces `take_new` for records whose sequences were already
        skipped. *tracing*: None where traces are off.
        """
        self._database = database
        self._clock = clock
        self._flush = flush
        self._limits = limits
        self._windows = Windows(limits)
        self._take_new = take
        self._tracing = tracing
        self._parser = Parser()
        self._faults = FaultRun()
        self._accounts: dict[str, str] = {}

    async def position(self, source: str, partition: int) -> int | None:
        """
        The last stored position of *source*'s partition; reading continues from there. Raises `Unavailable`.

        If other consumers stored from it meanwhile, the window of recent client activity is restored.
        """
        async with self._database.service() as session:
            position, at_ms = await positions.find_place(session, source, partition)
            if self._windows.lacks(partition, position):
                window = Window() if at_ms is None else await recall(session, at_ms, self._limits)
                self._windows.put(partition, window, position)
            return position

    async def recent_marks(self, since: datetime) -> dict[str, int]:
        """Recently active spool writers: each one's highest committed sequence without a gap. Raises `Unavailable`."""
        async with self._database.service() as session:
            return await positions.recent_marks(session, since)

    async def prepare(self, batches: Sequence[RawBatch]) -> Poll:
        """
        Does all that needs no position lock, while another poll is being stored.

        PostgreSQL's responses to that poll are read between slices.
        """
        parsed, now_ms = Parsed(), self._clock.now_ms()
        for batch in sorted(batches, key=lambda batch: batch.partition):
            for first in range(0, len(batch.records), _SLICE):
                some = RawBatch(batch.partition, batch.records[first : first + _SLICE])
                read = self._parser.parse([some], now_ms=now_ms)
                self._windows.judge(read.events)
                parsed.add(read)
                await asyncio.sleep(0)
        return Poll(batches, parsed)

    async def store(self, source: str, poll: Poll, before: Positions) -> StoreResult:
        """
        *before*: the position of each partition when it was read.

        Raises `PositionMoved` (read it again), `Unavailable` and `EveryRecordFails`; a part may then be stored, its
        position with it.
        """
        self._check_readable(poll.parsed)
        try:
            return await self._store_parsed(source, poll.parsed, poll.batches, before)
        except _FAULTS as error:
            refusal = _refusal(error)
        await self._try_alone(source, poll.parsed, refusal)
        return await self._store_halves(source, poll.batches, before, refusal)

    def _check_readable(self, parsed: Parsed) -> None:
        """Raises `EveryRecordFails`: code did not foresee how these records are written, nor those before."""
        if not parsed.events and not parsed.conversions:
            for one in parsed.dead:
                if one.reason.startswith(UNREADABLE):
                    self._faults.add(one.partition, one.position)
                    self._faults.check(one.reason)

    async def _try_alone(self, source: str, parsed: Parsed, refusal: str) -> None:
        """Looks for a record of a refused poll that can be stored. Raises `EveryRecordFails`."""
        telling: Arrivals = [*parsed.events, *parsed.conversions]
        for one in self._faults.sample(telling or parsed.counters):
            if await self._can_store(source, one):
                if telling:
                    self._faults.clear()
                return
            self._faults.add(one.partition, one.position)
        self._faults.check(refusal)

    async def _can_store(self, source: str, one: Arrival) -> bool:
        """Stores one record and undoes it."""
        poll = await self.prepare([RawBatch(one.partition, (RawRecord(one.position, one.raw),))])
        try:
            async with self._database.service() as session:
                await self._write(session, source, poll.parsed)
                await session.rollback()
        except _FAULTS as error:
            _refusal(error)
            return False
        return True

    async def _store_part(self, source: str, poll: Poll, before: Positions) -> StoreResult:
        try:
            return await self._store_parsed(source, poll.parsed, poll.batches, before)
        except _FAULTS as error:
            refusal = _refusal(error)
        return await self._store_halves(source, poll.batches, before, refusal)

    async def _store_halves(
        self, source: str, batches: Sequence[RawBatch], before: Positions, refusal: str
    ) -> StoreResult:
        flat = [(batch.partition, raw) for batch in batches for raw in batch.records]
        if len(flat) == 1:
            partition, raw = flat[0]
            self._faults.add(partition, raw.position)
            self._faults.check(refusal)
            parsed = Parsed(dead=[dead_letter(partition, raw, f"refused: {refusal}")])
            return await self._store_parsed(source, parsed, batches, before)
        stored = StoreResult()
        for half in (flat[: len(flat) // 2], flat[len(flat) // 2 :]):
            parts = [
                RawBatch(partition, tuple(raw for other, raw in half if other == partition))
                for partition in sorted({partition for partition, _ in half})
            ]
            poll = await self.prepare(parts)
            stored.add(await self._store_part(source, poll, {**before, **stored.positions}))
        return stored

    async def _store_parsed(
        self, source: str, parsed: Parsed, batches: Sequence[RawBatch], before: Positions
    ) -> StoreResult:
        """Retries clashes between consumers (deadlock, serialisation)."""
        begun_ns = time.time_ns()
        after = {batch.partition: batch.records[-1].position for batch in batches}
        reached: dict[int, int] = {}
        oldest_ms = min((one.at_ms for one in parsed.events), default=None)
        for one in parsed.events:
            reached[one.partition] = max(reached.get(one.partition, 0), one.at_ms)
        moves = {
            partition: (before[partition], after[partition], reached.get(partition))
            for partition in after
        }
        for attempt in range(_ATTEMPTS):
            try:
                async with self._database.service() as session:
                    await positions.move_positions(session, source, moves)
                    stored = await self._write(session, source, parsed)
            except TransactionsClashed:
                if attempt + 1 == _ATTEMPTS:
                    raise
                await asyncio.sleep(0.01 * attempt)
            else:
                if parsed.events or parsed.conversions:
                    self._faults.clear()
                stored.positions = after
                if self._tracing is not None:
                    self._tracing.report(stored.traced, begun_ns=begun_ns)
                if oldest_ms is not None:
                    stored.delay_s = max(0, self._clock.now_ms() - oldest_ms) / 1000
                for partition, through in after.items():
                    self._windows.stored(partition, through)
                return stored
        raise AssertionError("the last attempt returns or raises")

    async def _write(self, session: AsyncSession, source: str, parsed: Parsed) -> StoreResult:
        now = self._clock.now()
        for one in parsed.events:
            one.reason, one.charged_micros = one.judged, one.foreseen_micros
        await self._learn_accounts(session, parsed)
        arrivals = parsed.arrivals
        fresh = await self._take_new(session, arrivals)
        counters = [one for one in fresh if isinstance(one, Counter)]
        events, with_accounts, homeless = self._with_accounts(fresh)
        dead = [*parsed.dead, *to_dead_letters(homeless, "unknown property")]
        firsts = await keys.take(session, [one for one in events if one.valid])
        held = await conversions.hold(session, with_accounts, self._accounts)
        valid = (await keys.take_orders(session, firsts, self._accounts, now.date())).events
        others = [one for one in events if not one.valid]
        invalid = await keys.take_invalid(session, others)
        taken = {id(one) for one in (*valid, *invalid, *held, *counters)}
        new = [one for one in events if id(one) in taken]
        listed = [one for one in new if one.shared_fields.is_listed]
        mark_late(new, now)
        known: list[Arrival] = [*events, *with_accounts, *counters]
        repeated = [one for one in known if id(one) not in taken]
        came, hourly = (
            positions.collect(arrivals, dead),
            writer_reconciliation_hours.count(known, repeated, dead),
        )
        if new:
            await staging_table.fill(session, new, self._accounts)
        charged = await ledger.charge(session, listed, self._accounts)
        if new:
            await staging_table.correct(session, charged.changed)
            await write_aggregates.add_staged(session, today=now.date())
        await write_aggregates.add_serves(session, counters, self._accounts)
        await add_exceeded(session, counters, self._accounts)
        await add_key_calls(session, counters, self._accounts)
        await add_cap_lookups(session, counters, self._accounts)
        await mark_late_days(session, new, counters, self._accounts, now)
        await keep_dead_letters(session, source, dead, at=now)
        written = await positions.mark_writers(session, came, now)
        await positions.mark_time(session, counters, written)
        await writer_reconciliation_hours.add(session, hourly)
        await self._share_with_edges(session, charged.used_up, now)
        surplus = len(others) - len(invalid)
        kept = len(new) + len(counters) + len(held)
        return StoreResult(
            records=len(arrivals) + len(parsed.dead),
            events=len(listed),
            signals=len(new) - len(listed),
            conversions=len(held),
            duplicates=len(arrivals) - len(homeless) - kept - surplus,
            surplus_invalid=surplus,
            dead=len(dead),
            charged_micros=sum([one.charged_micros for one in listed]),
            written=written,
            traced=self._find_traced(events, with_accounts, taken),
        )

    def _find_traced(
        self, events: list[Event], conversions: list[Conversion], taken: set[int]
    ) -> list[TracedRecord]:
        return [] if self._tracing is None else find_traced(events, conversions, taken)

    async def _share_with_edges(
        self, session: AsyncSession, exhausted: Sequence[str], now: datetime
    ) -> None:
        """Publishes that these campaigns' budgets are used up. Done last, because it blocks every other change."""
        if exhausted:
            await complete_spent(session, exhausted, now)
            changes = Changes()
            for campaign_id in exhausted:
                changes.touch(ObjectType.CAMPAIGN, campaign_id)
            await self._flush(session, changes, now)

    def _with_accounts(
        self, arrivals: Arrivals
    ) -> tuple[list[Event], list[Conversion], list[Event | Conversion]]:
        """Events and conversions of known properties, and those of unknown ones."""
        events = [one for one in arrivals if isinstance(one, Event)]
        conversions = [one for one in arrivals if isinstance(one, Conversion)]
        known = [one for one in events if one.shared_fields.property_id in self._accounts]
        at_home = [one for one in conversions if self._is_at_home(one)]
        if len(known) == len(events) and len(at_home) == len(conversions):
            return known, conversions, []
        homeless = [one for one in events if one.shared_fields.property_id not in self._accounts]
        return (
            known,
            at_home,
            [*homeless, *(one for one in conversions if not self._is_at_home(one))],
        )

    async def _learn_accounts(self, session: AsyncSession, parsed: Parsed) -> None:
        wanted = {one.shared_fields.property_id for one in parsed.events}
        wanted |= {row[0] for one in parsed.counters for row in one.body.rows}
        wanted |= {row[0] for one in parsed.counters for row in one.body.keys}
        wanted |= {row[0] for one in parsed.counters for row in one.body.exceeded}
        wanted |= {row[0] for one in parsed.counters for row in one.body.caps}
        wanted |= {one.property_id for one in parsed.conversions if one.property_id is not None}
        missing = sorted(wanted - self._accounts.keys())
        if missing:
            rows = await session.execute(_ACCOUNTS_OF, {"ids": missing})
            self._accounts |= {row[0]: row[1] for row in rows}

    def _is_at_home(self, conversion: Conversion) -> bool:
        return conversion.property_id is None or conversion.property_id in self._accounts


def mark_late(events: Sequence[Event], now: datetime) -> None:
    before_ms = to_ms(now) - LATE_AFTER_MS
    for one in events:
        if one.at_ms < before_ms and one.reason is Reason.OK:
            one.reason = Reason.OK_LATE


def _refusal(error: Exception) -> str:
    """Why records cannot be stored. Raises *error* where the database failed, whatever they hold."""
    if not isinstance(error, DBAPIError | asyncpg.PostgresError):
        _log.error("ingest_record_failed", exc_info=error)
        return repr(error)
    if not _sqlstate(error).startswith(_CONTENT_CLASSES):
        raise error
    return str(error)


def _sqlstate(error: DBAPIError | asyncpg.PostgresError) -> str:
    original = error.orig if isinstance(error, DBAPIError) else error
    return getattr(original, "sqlstate", None) or ""
