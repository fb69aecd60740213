"""
One poll's records into PostgreSQL in one transaction: effect exactly once, whatever the log repeats.

Order inside: the position (a consumer that lost its partition stops here), the keys, the ledger, then rows and
sums of what was really new, then the marks. What the database refuses for its content is halved until the one
record is found that goes to the dead letters; when the database is away, `Unavailable` is raised and nothing is done.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from common.clock import Clock, to_ms
from common.snapshot.model import ObjectType
from common.tracking.event import EventRecord, valid_event_id
from common.tracking.event import invalid_event_id as invalid_id
from common.vocabulary import EventKind, Reason
from control.database import Database
from control.ingest import keys, ledger, marks, tally
from control.ingest.dead_letters import keep_dead_letters
from control.ingest.parse import Arrival, Parsed, dead_letter, parse_batches, to_dead_letter
from control.ports.events import RawBatch
from control.publishing.changes import Changes

LATE_AFTER_MS = 300_000
"""An event that took longer from the edge to here is `ok_late`."""
_CLASH_STATES = frozenset({"40001", "40P01"})
_CONTENT_CLASSES = ("22", "23")
_ATTEMPTS = 8
_ACCOUNTS_OF = text("select id, account_id from properties where id = any(:ids)")

Event = Arrival[EventRecord]
Positions = dict[int, int | None]
Flush = Callable[[AsyncSession, Changes, datetime], Awaitable[object]]
"""Tells the edges what changed, in the caller's transaction: `control.publishing.outbox.flush`."""


@dataclass(slots=True)
class Stored:
    """What one call did. ``duplicates`` are records, and valid events, that were counted before."""

    records: int = 0
    events: int = 0
    signals: int = 0
    duplicates: int = 0
    surplus_invalid: int = 0
    dead: int = 0
    charged_micros: int = 0
    positions: dict[int, int] = field(default_factory=dict)
    """The position each partition stands at now."""
    written: dict[str, int] = field(default_factory=dict)
    """Spool writer to its highest sequence committed without a gap."""

    def add(self, later: "Stored") -> None:
        for name in ("records", "events", "signals", "duplicates", "surplus_invalid", "dead"):
            setattr(self, name, getattr(self, name) + getattr(later, name))
        self.charged_micros += later.charged_micros
        self.positions |= later.positions
        self.written |= later.written


class Store:
    """May be shared by tasks; keeps only which account a property belongs to, which never changes."""

    def __init__(self, database: Database, clock: Clock, flush: Flush) -> None:
        self._database = database
        self._clock = clock
        self._flush = flush
        self._accounts: dict[str, str] = {}

    async def position(self, source: str, partition: int) -> int | None:
        """The last position stored of *source*'s partition. Raises `Unavailable`."""
        async with self._database.service() as session:
            return await marks.find_position(session, source, partition)

    async def recent_marks(self, since: datetime) -> dict[str, int]:
        """Spool writers heard of since then: the highest sequence committed without a gap. Raises `Unavailable`."""
        async with self._database.service() as session:
            return await marks.recent_marks(session, since)

    async def store(self, source: str, batches: Sequence[RawBatch], before: Positions) -> Stored:
        """
        *before*: the position each of the partitions stood at when it was read.

        Raises `PositionMoved` (read anew) and `Unavailable`; a part may then be stored, its position with it.
        """
        try:
            parsed = parse_batches(batches, now_ms=self._clock.now_ms())
            return await self._store_parsed(source, parsed, batches, before)
        except DBAPIError as error:
            if not _sqlstate(error).startswith(_CONTENT_CLASSES):
                raise
            return await self._store_halves(source, batches, before, str(error.orig))

    async def _store_halves(
        self, source: str, batches: Sequence[RawBatch], before: Positions, refusal: str
    ) -> Stored:
        flat = [(batch.partition, raw) for batch in batches for raw in batch.records]
        if len(flat) == 1:
            partition, raw = flat[0]
            parsed = Parsed(dead=[dead_letter(partition, raw, f"refused: {refusal}")])
            return await self._store_parsed(source, parsed, batches, before)
        stored = Stored()
        for half in (flat[: len(flat) // 2], flat[len(flat) // 2 :]):
            parts = [
                RawBatch(partition, tuple(raw for other, raw in half if other == partition))
                for partition in sorted({partition for partition, _ in half})
            ]
            stored.add(await self.store(source, parts, {**before, **stored.positions}))
        return stored

    async def _store_parsed(
        self, source: str, parsed: Parsed, batches: Sequence[RawBatch], before: Positions
    ) -> Stored:
        """Clashes of two consumers (deadlock, serialisation) are tried again."""
        after = {batch.partition: batch.records[-1].position for batch in batches}
        moves = {partition: (before[partition], after[partition]) for partition in after}
        for attempt in range(_ATTEMPTS):
            try:
                async with self._database.service() as session:
                    await marks.move_positions(session, source, moves)
                    stored = await self._write(session, source, parsed)
            except DBAPIError as error:
                if _sqlstate(error) not in _CLASH_STATES or attempt + 1 == _ATTEMPTS:
                    raise
                await asyncio.sleep(0.01 * attempt)
            else:
                stored.positions = after
                return stored
        raise AssertionError("the last attempt returns or raises")

    async def _write(self, session: AsyncSession, source: str, parsed: Parsed) -> Stored:
        now = self._clock.now()
        await self._learn_accounts(session, parsed)
        homeless = [one for one in parsed.events if str(one.body.property_id) not in self._accounts]
        events = [one for one in parsed.events if str(one.body.property_id) in self._accounts]
        dead = [*parsed.dead, *(to_dead_letter(one, "unknown property") for one in homeless)]
        fresh = await keys.take_records(session, events)
        counters = await keys.take_records(session, parsed.counters)
        new, surplus = await self._take_events(session, fresh)
        shown = [one for one in new if isinstance(one.body.kind, EventKind)]
        billing = await ledger.charge(session, shown, self._accounts)
        counted = [self._count(one, billing.charges.get(one.place), now) for one in new]
        await tally.store_events(session, counted, today=now.date())
        await tally.add_hours(session, counted)
        await tally.add_ads(session, counted)
        await tally.add_ad_slots(session, counted)
        await tally.add_serves(session, counters, self._accounts)
        await keep_dead_letters(session, source, dead, at=now)
        arrivals: list[Arrival[Any]] = [*parsed.events, *parsed.counters]
        written = await marks.mark_writers(session, arrivals, dead, now)
        await marks.mark_time(session, counters, written)
        await self._tell_edges(session, billing.exhausted, now)
        return Stored(
            records=len(arrivals) + len(parsed.dead),
            events=len(shown),
            signals=len(new) - len(shown),
            duplicates=len(events) - len(new) - surplus + len(parsed.counters) - len(counters),
            surplus_invalid=surplus,
            dead=len(dead),
            charged_micros=sum(one.charged_micros for one in counted),
            written=written,
        )

    async def _take_events(
        self, session: AsyncSession, fresh: Sequence[Event]
    ) -> tuple[list[Event], int]:
        """Those that count now, in their order, and how many invalid ones found no place."""
        invalid = [one for one in fresh if not one.body.reason.valid]
        first = await keys.take_valid(session, [one for one in fresh if one.body.reason.valid])
        valid = await keys.take_orders(session, first, self._accounts)
        kept = await keys.take_invalid(session, invalid)
        return sorted([*valid, *kept], key=_place), len(invalid) - len(kept)

    async def _tell_edges(
        self, session: AsyncSession, exhausted: Sequence[str], now: datetime
    ) -> None:
        """That these campaigns' budgets are used up. Last, for it holds up every other change."""
        if exhausted:
            await ledger.complete(session, exhausted, now)
            changes = Changes()
            for campaign_id in exhausted:
                changes.touch(ObjectType.CAMPAIGN, campaign_id)
            await self._flush(session, changes, now)

    def _count(self, one: Event, made: ledger.Charge | None, now: datetime) -> tally.Counted:
        body = one.body
        reason = body.reason
        if made is not None and made.clipped:
            reason = Reason.OK_OVER_BUDGET
        elif reason is Reason.OK and to_ms(now) - body.at_ms > LATE_AFTER_MS:
            reason = Reason.OK_LATE
        event_id = None
        if isinstance(body.kind, EventKind):
            valid = reason.valid
            event_id = valid_event_id(body) if valid else invalid_id(body, one.writer, one.sequence)
        account = self._accounts[str(body.property_id)]
        return tally.Counted(one, account, event_id, reason, made.micros if made else 0)

    async def _learn_accounts(self, session: AsyncSession, parsed: Parsed) -> None:
        wanted = {str(one.body.property_id) for one in parsed.events}
        wanted |= {row[0] for one in parsed.counters for row in one.body.rows}
        missing = sorted(wanted - self._accounts.keys())
        if missing:
            rows = await session.execute(_ACCOUNTS_OF, {"ids": missing})
            self._accounts |= {row[0]: row[1] for row in rows}


def _place(one: Event) -> tuple[int, int]:
    return one.place


def _sqlstate(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""
