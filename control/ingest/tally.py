"""Rows and sums of the events that were really new: the feed's table, the hours, the counts of each ad."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from common.clock import from_ms
from common.tracking.event import CounterRecord, EventRecord
from common.vocabulary import EventKind, Reason
from control.ingest.columns import ColumnInsert
from control.ingest.parse import Arrival

HOUR_MS = 3_600_000
IN_SESSION = "in_session"
"""Attribution of a conversion that a page told with its own token."""

_KINDS = (EventKind.IMPRESSION, EventKind.CLICK, EventKind.CONVERSION)

_EVENTS = ColumnInsert(
    "events",
    "stored_day date, id uuid, account_id varchar, kind varchar, at timestamptz, issued_at timestamptz, "
    "token_id uuid, property_id uuid, slot_id uuid, ad_id uuid, campaign_id uuid, is_test boolean, "
    "source varchar, surface varchar, format varchar, valid boolean, reason varchar, "
    "judge_version smallint, snapshot_version bigint, price_micros bigint, charged_micros bigint, "
    "value_cents bigint, currency varchar, order_id varchar, attribution varchar",
    "order by id",
)
_HOUR_KEY = (
    "hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test, reason"
)
_HOURS = ColumnInsert(
    "event_hourly",
    "hour timestamptz, property_id uuid, slot_id uuid, campaign_id uuid, ad_id uuid, kind varchar, "
    "format varchar, source varchar, surface varchar, is_test boolean, reason varchar, "
    "account_id varchar, count bigint, charged_micros bigint, value_cents bigint, last_at timestamptz",
    f"order by {_HOUR_KEY} on conflict ({_HOUR_KEY}) do update set "
    "count = event_hourly.count + excluded.count, "
    "charged_micros = event_hourly.charged_micros + excluded.charged_micros, "
    "value_cents = event_hourly.value_cents + excluded.value_cents, "
    "last_at = greatest(event_hourly.last_at, excluded.last_at)",
)
_SERVE_KEY = "hour, property_id, slot_id, campaign_id, ad_id, is_test, outcome"
_SERVES = ColumnInsert(
    "serve_hourly",
    "hour timestamptz, property_id uuid, slot_id uuid, campaign_id uuid, ad_id uuid, is_test boolean, "
    "outcome varchar, account_id varchar, count bigint",
    f"order by {_SERVE_KEY} on conflict ({_SERVE_KEY}) "
    "do update set count = serve_hourly.count + excluded.count",
)
_ADS = ColumnInsert(
    "ad_counts",
    "ad_id uuid, account_id varchar, impressions bigint, clicks bigint, conversions bigint",
    "order by ad_id on conflict (ad_id) do update set "
    "impressions = ad_counts.impressions + excluded.impressions, "
    "clicks = ad_counts.clicks + excluded.clicks, "
    "conversions = ad_counts.conversions + excluded.conversions",
)
_AD_SLOTS = ColumnInsert(
    "ad_slot_counts",
    "ad_id uuid, slot_id uuid, account_id varchar, impressions bigint, clicks bigint, conversions bigint",
    "order by ad_id, slot_id on conflict (ad_id, slot_id) do update set "
    "impressions = ad_slot_counts.impressions + excluded.impressions, "
    "clicks = ad_slot_counts.clicks + excluded.clicks, "
    "conversions = ad_slot_counts.conversions + excluded.conversions",
)


@dataclass(frozen=True, slots=True)
class Counted:
    """One new event or quality signal with its final verdict. ``event_id`` is None for a signal."""

    arrival: Arrival[EventRecord]
    account_id: str
    event_id: uuid.UUID | None
    reason: Reason
    charged_micros: int


async def store_events(session: AsyncSession, counted: Iterable[Counted], *, today: date) -> None:
    """The rows of the feed; quality signals are none."""
    rows = [_event_row(one, today) for one in counted if one.event_id is not None]
    await _EVENTS.put(session, rows)


async def add_hours(session: AsyncSession, counted: Iterable[Counted]) -> None:
    """Rows are locked in the order of their keys, by every consumer alike."""
    sums: dict[tuple[Any, ...], list[Any]] = {}
    for one in counted:
        body = one.arrival.body
        hour, at = from_ms(body.at_ms // HOUR_MS * HOUR_MS), from_ms(body.at_ms)
        ids = (body.property_id, body.slot_id, body.campaign_id, body.ad_id)
        traits = (body.kind, body.format, body.source, body.surface, body.is_test, one.reason)
        total = sums.setdefault((hour, *ids, *traits), [one.account_id, 0, 0, 0, at])
        total[1] += 1
        total[2] += one.charged_micros
        total[3] += body.value_cents or 0
        total[4] = max(total[4], at)
    rows = [(*key, *total) for key, total in sums.items()]
    await _HOURS.put(session, rows)


async def add_ads(session: AsyncSession, counted: Iterable[Counted]) -> None:
    """Valid events only."""
    sums: dict[uuid.UUID, list[Any]] = {}
    for one in counted:
        if one.event_id is None or not one.reason.valid:
            continue
        total = sums.setdefault(one.arrival.body.ad_id, [one.account_id, 0, 0, 0])
        total[1 + _KINDS.index(one.arrival.body.kind)] += 1
    rows = [(ad_id, *total) for ad_id, total in sums.items()]
    await _ADS.put(session, rows)


async def add_ad_slots(session: AsyncSession, counted: Iterable[Counted]) -> None:
    """Valid events only, and none of a preview: whoever previews an ad says nothing of its readers."""
    sums: dict[tuple[uuid.UUID, uuid.UUID], list[Any]] = {}
    for one in counted:
        body = one.arrival.body
        if one.event_id is None or not one.reason.valid or body.preview:
            continue
        total = sums.setdefault((body.ad_id, body.slot_id), [one.account_id, 0, 0, 0])
        total[1 + _KINDS.index(body.kind)] += 1
    await _AD_SLOTS.put(session, [(*key, *total) for key, total in sums.items()])


async def add_serves(
    session: AsyncSession, counters: Iterable[Arrival[CounterRecord]], accounts: dict[str, str]
) -> None:
    """What edges decided; rows of a property that is unknown are left out."""
    sums: dict[tuple[Any, ...], int] = {}
    for one in counters:
        hour = from_ms(one.body.at_ms // HOUR_MS * HOUR_MS)
        for property_id, slot_id, campaign_id, ad_id, outcome, count in one.body.rows:
            if property_id not in accounts:
                continue
            ids = (property_id, slot_id, campaign_id, ad_id)
            key = (hour, *ids, one.body.is_test, outcome, accounts[property_id])
            sums[key] = sums.get(key, 0) + count
    rows = [(*key, count) for key, count in sums.items()]
    await _SERVES.put(session, rows)


def _event_row(one: Counted, today: date) -> tuple[Any, ...]:
    body = one.arrival.body
    in_session = body.kind is EventKind.CONVERSION
    return (
        *(today, one.event_id, one.account_id, body.kind),
        *(from_ms(body.at_ms), from_ms(body.issued_ms), body.token_id),
        *(body.property_id, body.slot_id, body.ad_id, body.campaign_id, body.is_test),
        *(body.source, body.surface, body.format, one.reason.valid, one.reason),
        *(body.judge_version, body.snapshot_version, body.price_micros, one.charged_micros),
        *(body.value_cents, body.currency, body.order_id, IN_SESSION if in_session else None),
    )
