"""A publisher with campaigns in a real database, records of its events, and what ingest made of them."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.ivt.windows import LIMITS, Limits
from common.snapshot.model import Goal
from common.tracking.event import (
    ConversionRecord,
    CounterRecord,
    CounterRow,
    EventRecord,
    LogRecord,
    RequestFacts,
    TokenKeys,
    WriterId,
)
from common.tracking.record import encode_record
from common.values.clock import FixedClock
from common.values.enums import EventKind, Format, Pacing, PricingModel, Reason, Source, Surface
from common.values.ids import new_id
from control.events.ingest.store import Store
from control.events.ingest.store_result import StoreResult
from control.outbox.changes import Changes
from control.ports.events import RawBatch, RawRecord
from control.storage.database import Database

NOW_MS = 1_790_000_000_000
FACTS = RequestFacts("203.0.113.0/24", "Firefox", "140", None, None, "c0ffee", prefetch=False)


@dataclass
class World:
    """One account with one property; all of it under ids of its own, so that tests share a database."""

    database: Database
    clock: FixedClock = field(default_factory=lambda: FixedClock(NOW_MS))
    account_id: str = field(default_factory=new_id)
    property_id: str = field(default_factory=new_id)
    slot_id: str = field(default_factory=new_id)
    source: str = field(default_factory=lambda: f"test/{uuid.uuid4().hex}")
    limits: Limits = LIMITS
    flushed: list[tuple[Any, ...]] = field(default_factory=list)

    async def open(self) -> "World":
        now = self.clock.now()
        async with self.database.service() as session:
            await session.execute(
                text(
                    "insert into accounts (id, name, currency, state, stopped, billing_mode, is_operator, "
                    "review_required, require_second_factor, address_verified_at, version, created_at, updated_at) "
                    "values (:id, 'A', 'EUR', 'active', false, 'invoiced', false, false, false, :now, 1, :now, :now)"
                ),
                {"id": self.account_id, "now": now},
            )
        await self.add_property(self.property_id)
        return self

    async def add_property(self, property_id: str) -> None:
        async with self.database.service() as session:
            await session.execute(
                text(
                    "insert into properties (id, account_id, name, kind, domain, status, verification, "
                    "allowed_origins, excluded_ip_ranges, timezone, consent_policy, token_ttl_seconds, "
                    "rate_limits, blocked_categories, blocked_ad_ids, payout, version, created_at, "
                    "updated_at) values (:id, :account, 'P', 'web', 'shop.example', 'verified', '{}', "
                    "'[]', '[]', 'UTC', 'require', 600, '{}', '[]', '[]', '{}', 1, :now, :now)"
                ),
                {"id": property_id, "account": self.account_id, "now": self.clock.now()},
            )

    async def add_campaign(
        self,
        *,
        pricing_model: PricingModel = PricingModel.CPM,
        budget_cents: int | None = None,
        daily_cents: int | None = None,
        timezone: str = "UTC",
        environment: str = "live",
        bill_in_session: bool = False,
        bid_cents: int = 100,
        pacing: Pacing = Pacing.EVEN,
        start_at: datetime | None = None,
        end_at: datetime | None = None,
        goal: Goal | None = None,
        **attribution: Any,
    ) -> str:
        """*attribution*: the rest of the campaign's terms."""
        campaign_id = new_id()
        async with self.database.service() as session:
            await session.execute(
                text(
                    "insert into campaigns (id, account_id, environment, property_ids, name, objective, "
                    "pricing_model, bid_cents, pacing, priority, timezone, budget_total_cents, budget_daily_cents, "
                    "frequency_caps, targeting, attribution, status, metadata_, version, created_at, "
                    "updated_at, start_at, end_at, goal) values (:id, :account, :environment, "
                    "jsonb_build_array(cast(:property as text)), 'C', 'traffic', :model, :bid, :pacing, "
                    "'auction', :timezone, :budget, :daily, '[]', "
                    "'{}', cast(:attribution as jsonb), 'active', "
                    "'{}', 1, :now, :now, :start_at, :end_at, cast(:goal as jsonb))"
                ),
                {
                    "pacing": pacing,
                    "start_at": start_at,
                    "end_at": end_at,
                    "goal": None
                    if goal is None
                    else orjson.dumps({"kind": f"{goal.kind}s", "total": goal.total}).decode(),
                    "id": campaign_id,
                    "account": self.account_id,
                    "environment": environment,
                    "property": self.property_id,
                    "model": pricing_model,
                    "bid": bid_cents,
                    "budget": budget_cents,
                    "daily": daily_cents,
                    "timezone": timezone,
                    "attribution": orjson.dumps(
                        attribution | {"bill_in_session": bill_in_session}
                    ).decode(),
                    "now": self.clock.now(),
                },
            )
        return campaign_id

    def store(self) -> Store:
        return Store(self.database, self.clock, self.flush, self.limits)

    async def ingest(
        self,
        records: Sequence[LogRecord | bytes],
        *,
        partition: int = 0,
        source: str | None = None,
        store: Store | None = None,
    ) -> StoreResult:
        """
        The records, behind what the partition holds already, by a new process unless *store* is given. *source*:
        another log than the test's.
        """
        store, source = store or self.store(), source or self.source
        before = await store.position(source, partition)
        poll = await store.prepare([to_batch(records, partition, after=before)])
        return await store.store(source, poll, {partition: before})

    def another_log(self) -> str:
        """A log that came back empty, and holds again what was sent anew."""
        return f"test/{uuid.uuid4().hex}"

    async def add_stray_row(self, record: LogRecord) -> None:
        """The row of *record*'s event is there, though no key says so: PostgreSQL refuses a second."""
        body = record.body
        assert isinstance(body, EventRecord)
        values = {
            "stored_day": self.clock.now().date(),
            "id": uuid.UUID(bytes=TokenKeys.of(body).valid(body.issued_ms, body.token_id.bytes)),
            "xid": "3",
            "account_id": "stray",
            "kind": "click",
            "at": self.clock.now(),
            "issued_at": self.clock.now(),
            "token_id": body.token_id,
            "property_id": body.property_id,
            "slot_id": body.slot_id,
            "ad_id": body.ad_id,
            "campaign_id": body.campaign_id,
            "is_test": False,
            "source": "auction",
            "surface": "web",
            "format": "banner",
            "valid": True,
            "reason": "ok",
            "judge_version": 1,
            "snapshot_version": 1,
            "price_micros": 0,
            "charged_micros": 0,
        }
        async with self.database.service() as session:
            await session.execute(
                text(
                    "insert into events "
                    "select (jsonb_populate_record(null::events, cast(:row as jsonb))).*"
                ),
                {"row": orjson.dumps(values).decode()},
            )

    async def rows(self, statement: str, **values: Any) -> list[Any]:
        async with self.database.service() as session:
            return list(await session.execute(text(statement), values))

    async def events(self) -> list[Any]:
        return await self.rows(
            "select * from events where account_id = :account order by xid, id",
            account=self.account_id,
        )

    async def spent_micros(self, campaign_id: str) -> int | None:
        rows = await self.rows(
            "select spent_micros from campaign_spend where campaign_id = :id", id=campaign_id
        )
        return rows[0][0] if rows else None

    async def flush(self, _session: AsyncSession, changes: Changes, _now: datetime) -> None:
        self.flushed.extend(changes.touched)


class Edge:
    """One spool writer: numbers its records."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.writer = WriterId("edge-1", uuid.uuid4().hex)
        self._sequences = count(1)

    def wrap(self, body: EventRecord | CounterRecord | ConversionRecord) -> LogRecord:
        return LogRecord(self.writer, next(self._sequences), b"client", body)

    def event(self, campaign_id: str | None = None, **changes: Any) -> LogRecord:
        return self.wrap(an_event(self.world, campaign_id, **changes))

    def counter(self, rows: Sequence[tuple[Any, ...]], **changes: Any) -> LogRecord:
        now_ms = self.world.clock.now_ms()
        record = CounterRecord(now_ms, now_ms, is_test=False, rows=tuple(rows))
        return self.wrap(replace(record, **changes))


def a_count(  # noqa: PLR0917 - a row's parts, in their order
    property_id: str,
    slot_id: str,
    outcome: str,
    count: int,
    campaign_id: str | None = None,
    ad_id: str | None = None,
) -> CounterRow:
    """Of nobody knows where, on nobody knows what."""
    return (property_id, slot_id, campaign_id, ad_id, outcome, None, None, "web", None, count)


def an_event(world: World, campaign_id: str | None = None, **changes: Any) -> EventRecord:
    """A valid live impression of 1 000 micros, a second after its serve, of a client of its own."""
    now_ms = world.clock.now_ms()
    record = EventRecord(
        kind=EventKind.IMPRESSION,
        token_id=uuid.UUID(new_id()),
        issued_ms=now_ms - 2000,
        at_ms=now_ms - 1000,
        property_id=uuid.UUID(world.property_id),
        slot_id=uuid.UUID(world.slot_id),
        ad_id=uuid.uuid4(),
        campaign_id=uuid.UUID(campaign_id or new_id()),
        is_test=False,
        consent_limited=False,
        preview=False,
        source=Source.AUCTION,
        surface=Surface.WEB,
        format=Format.BANNER,
        pricing_model=PricingModel.CPM,
        price_micros=1000,
        snapshot_version=7,
        facts=replace(FACTS, client_hash=uuid.uuid4().hex[:16]),
        reason=Reason.OK,
        judge_version=1,
        value_cents=None,
        currency=None,
        order_id=None,
    )
    return replace(record, **changes)


def to_batch(
    records: Sequence[LogRecord | bytes], partition: int = 0, *, after: int | None = None
) -> RawBatch:
    start = 0 if after is None else after + 1
    return RawBatch(
        partition,
        tuple(
            RawRecord(start + place, one if isinstance(one, bytes) else encode_record(one))
            for place, one in enumerate(records)
        ),
    )
