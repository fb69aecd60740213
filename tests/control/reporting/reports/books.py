"""
A publisher with random traffic of some days, and what reports of it must say, counted one by one from the events feed's
rows, the decisions recorded and the signals sent.
"""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from common.tracking.event import EventRecord, LogRecord
from common.values.clock import to_iso
from common.values.enums import EventKind, Format, QualitySignal, Reason, Source, Surface
from common.values.environment import Environment
from control.ports.report_store import ReportStore
from control.reporting.reports.metrics import CountedEvents, Metric, Sum, figure_of
from control.reporting.reports.queries import NO_STORE, read_report
from control.reporting.reports.report_query import Report, ReportScope, ReportSpec
from control.reporting.reports.vocabulary import Dimension
from control.reporting.store.shipping import ship
from tests.control.events.ingest.world import Edge, World

REPORT = "/v1/reports/delivery"

HOUR = timedelta(hours=1)
_KINDS = (
    *[EventKind.IMPRESSION] * 6,
    *[EventKind.CLICK] * 2,
    EventKind.CONVERSION,
    *QualitySignal,
)
_REASONS = (*[Reason.OK] * 5, Reason.OK_CONSENT_LIMITED, Reason.BOT_USER_AGENT, Reason.PREFETCH)
_INVALID = {
    EventKind.IMPRESSION: Sum.INVALID_IMPRESSIONS,
    EventKind.CLICK: Sum.INVALID_CLICKS,
}
_VALID = {
    EventKind.IMPRESSION: Sum.IMPRESSIONS,
    EventKind.CLICK: Sum.CLICKS,
    EventKind.CONVERSION: Sum.CONVERSIONS,
}
_OF_SIGNALS: dict[EventKind | QualitySignal, Sum] = {
    one.of.kind: one
    for one in Sum
    if isinstance(one.of, CountedEvents)
    and isinstance(one.of.kind, QualitySignal)
    and one.of.is_valid
}


@dataclass
class Counted:
    """One thing that counts, with its dimensions and when it happened."""

    at: datetime
    values: dict[Dimension, str | None]
    sums: dict[Sum, int]


@dataclass
class Books:
    """``recorded``: decisions and quality signals, which the events list does not have."""

    world: World
    dice: Random
    edge: Edge
    slots: list[str] = field(default_factory=list)
    campaigns: list[str] = field(default_factory=list)
    ads: dict[str, list[uuid.UUID]] = field(default_factory=dict)
    properties: list[str] = field(default_factory=list)
    recorded: list[Counted] = field(default_factory=list)
    store: ReportStore = NO_STORE
    """Where hours are shipped before a report is read; `NO_STORE`: reports read PostgreSQL."""

    @classmethod
    async def open(cls, world: World, seed: int) -> "Books":
        books = cls(await world.open(), Random(seed), Edge(world))
        books.properties = [world.property_id, str(uuid.uuid4())]
        await world.add_property(books.properties[1])
        books.slots = [str(uuid.uuid4()) for _ in range(3)]
        books.campaigns = [await world.add_campaign(budget_cents=limit) for limit in (None, 3)]
        books.ads = {each: [uuid.uuid4(), uuid.uuid4()] for each in books.campaigns}
        return books

    async def happen(self, count: int, *, since: datetime, until: datetime) -> None:
        """So many events and half as many decisions, anywhere in the range, stored now."""
        records: list[LogRecord] = []
        for _ in range(count):
            at = since + (until - since) * self.dice.random()
            records.append(self._event(at))
            if self.dice.random() < 0.5:
                records.append(self._decision(at))
        await self.world.ingest(records)

    def _event(self, at: datetime) -> LogRecord:
        campaign = self.dice.choice(self.campaigns)
        at_ms = int(at.timestamp() * 1000)
        kind, reason = self.dice.choice(_KINDS), self.dice.choice(_REASONS)
        is_test = self.dice.random() < 0.1
        if is_test and reason.valid:
            reason = Reason.OK_TEST
        record = self.edge.event(
            campaign,
            kind=kind,
            property_id=uuid.UUID(self.dice.choice(self.properties)),
            slot_id=uuid.UUID(self.dice.choice(self.slots)),
            ad_id=self.dice.choice(self.ads[campaign]),
            issued_ms=at_ms - 60_000,
            at_ms=at_ms,
            price_micros=self.dice.randrange(1, 5000),
            source=self.dice.choice(list(Source)[:2]),
            surface=self.dice.choice(list(Surface)[:3]),
            format=self.dice.choice(list(Format)[:2]),
            country=self.dice.choice(["br", "de", None]),
            device=self.dice.choice(["mobile", "desktop", None]),
            is_test=is_test,
            reason=reason,
            value_cents=self.dice.randrange(1000) if kind is EventKind.CONVERSION else None,
        )
        if kind in _OF_SIGNALS and reason.valid and not is_test:
            self.recorded.append(self._signal(at, record))
        return record

    def _signal(self, at: datetime, record: LogRecord) -> Counted:
        body = record.body
        assert isinstance(body, EventRecord)
        is_late = at < self.world.clock.now() - timedelta(minutes=5) and body.reason is Reason.OK
        values: dict[Dimension, Any] = {
            each: getattr(body, each.column) for each in Dimension if each is not Dimension.REASON
        }
        values[Dimension.REASON] = Reason.OK_LATE if is_late else body.reason
        return Counted(at, _plain(values), {_OF_SIGNALS[body.kind]: 1})

    def _decision(self, at: datetime) -> LogRecord:
        campaign = self.dice.choice([*self.campaigns, None])
        ad = None if campaign is None else self.dice.choice(self.ads[campaign])
        values: dict[Dimension, Any] = {
            Dimension.PROPERTY: self.dice.choice(self.properties),
            Dimension.SLOT: self.dice.choice(self.slots),
            Dimension.CAMPAIGN: campaign,
            Dimension.AD: ad,
            Dimension.COUNTRY: self.dice.choice(["br", "de", None]),
            Dimension.DEVICE: self.dice.choice(["mobile", "tablet"]),
            Dimension.SURFACE: self.dice.choice(["web", "ios"]),
            Dimension.FORMAT: self.dice.choice(["banner", None]),
        }
        count = self.dice.randrange(1, 4)
        plain = _plain(values)
        fills = {Sum.FILLS: count} if campaign else {}
        self.recorded.append(Counted(at, plain, {Sum.REQUESTS: count, **fills}))
        caller = [plain[each] for each in list(values)[4:]]
        row = (*list(plain.values())[:4], "fill" if campaign else "no_candidates", *caller, count)
        at_ms = int(at.timestamp() * 1000)
        return self.edge.counter([row], at_ms=at_ms, through_ms=at_ms)

    async def counted(self) -> list[Counted]:
        """Everything live that counts, once each."""
        found = [_counted(row) for row in await self.world.events() if not row.is_test]
        return [*found, *self.recorded]

    async def report(self, question: ReportSpec) -> Report:
        scope = ReportScope(self.world.account_id, Environment.LIVE)
        if self.store is not NO_STORE:
            await ship(self.world.database, self.store)
        async with self.world.database.tenant(self.world.account_id, is_steady=True) as session:
            return await read_report(session, scope, question, store=self.store)


def _counted(row: Any) -> Counted:
    values = {each: getattr(row, each.column) for each in Dimension}
    kind = EventKind(row.kind)
    sums = {Sum.CHARGED_MICROS: row.charged_micros}
    if row.valid:
        sums[_VALID[kind]] = 1
        sums[Sum.VALUE_CENTS] = row.value_cents or 0
    elif kind in _INVALID:
        sums[_INVALID[kind]] = 1
    return Counted(row.at, _plain(values), sums)


def _plain(values: dict[Dimension, Any]) -> dict[Dimension, str | None]:
    return {each: None if value is None else str(value) for each, value in values.items()}


def _as_shown(dimension: Dimension, value: Any) -> Any:
    """Countries are stored in lower case and shown in capitals."""
    return value.upper() if dimension is Dimension.COUNTRY and value else value


def expected(
    counted: Iterable[Counted],
    question: ReportSpec,
    periods: Sequence[datetime],
    metrics: Sequence[Metric],
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Period and values of ``group_by`` to the figures: groups in which nothing counts are left out."""
    sums: dict[tuple[Any, ...], dict[Sum, int]] = defaultdict(lambda: dict.fromkeys(Sum, 0))
    for one in counted:
        if not question.from_at <= one.at < question.to_at:
            continue
        if any(one.values.get(each) not in wanted for each, wanted in question.filters.items()):
            continue
        period = max(start for start in periods if start <= one.at)
        key = (period, *(_as_shown(each, one.values.get(each)) for each in question.group_by))
        for name, value in one.sums.items():
            sums[key][name] += value
    shown = {
        key: {metric.value: figure_of(metric, values) for metric in metrics}
        for key, values in sums.items()
    }
    return {key: figures for key, figures in shown.items() if any(figures.values())}


def shown(
    report: Report, question: ReportSpec, periods: Sequence[datetime]
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """A report's rows in the form of `expected`; rows whose figures are all 0 are left out."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in report.rows:
        key = (row.get("period", periods[0]), *(row[each.column] for each in question.group_by))
        assert key not in found
        figures = {metric.value: row[metric] for metric in question.metrics}
        if any(figures.values()):
            found[key] = figures
    return found


def day(number: int) -> datetime:
    return datetime(2026, 3, number, tzinfo=UTC)


def lately(world: World) -> dict[str, str]:
    hour = world.clock.now().replace(minute=0, second=0, microsecond=0)
    return {
        "from": to_iso(hour - timedelta(hours=2)),
        "to": to_iso(hour + timedelta(hours=1)),
        "environment": "live",
    }
