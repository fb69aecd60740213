"""Writes rows and sums of the events that were really new: the feed's table, the hours, the counts of each ad."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms
from common.values.enums import Attribution, EventKind
from control.events.ingest.column_arrays import ColumnInsert
from control.events.ingest.parsed_records import HOUR_MS, Counter
from control.events.ingest.report_queue import (
    ADD_HOURS,
    DECISION,
    HOUR_COLUMNS,
    HOUR_KEY,
    IS_OPEN,
    QUEUED,
    to_store,
)
from control.events.ingest.staging_table import STAGE

_SHARED = (
    "id, account_id, kind, at, issued_at, token_id, property_id, slot_id, ad_id, campaign_id, is_test, source, "
    "surface, format, valid, reason, judge_version, snapshot_version, price_micros, charged_micros, value_cents, "
    "currency, order_id, country, device, person, attribution, event_name, signs, network, client, lists_version, "
    "live_reason, agent_family, agent_major, agent_pattern"
)
_ROWS = (
    f"insert into events (stored_day, {_SHARED}) "  # noqa: S608 - constants only
    f"select :today, {_SHARED} from {STAGE} where id is not null"
)
_HOUR_GROUP = HOUR_KEY.replace(
    "country, device, attribution",
    "coalesce(country, '') as country, coalesce(device, '') as device, coalesce(attribution, '') as attribution",
)
_HOUR_ORDER = (
    "campaign_id, slot_id, kind, reason, hour, property_id, ad_id, format, source, surface, is_test, "
    "country, device, attribution"
)
"""The key's columns, the most selective first: comparisons are the cost of sorting."""
_HOURS = (
    f"insert into event_hourly ({HOUR_COLUMNS}) "  # noqa: S608 - constants only
    f"select date_trunc('hour', at, 'UTC') as {_HOUR_GROUP}, account_id, count(*), sum(charged_micros), "
    f"coalesce(sum(value_cents), 0), max(at) from {STAGE} where not preview and not {IS_OPEN} "
    f"group by {HOUR_KEY}, account_id order by {_HOUR_ORDER} {ADD_HOURS}"
)
_QUEUE, _COARSE_HOURS = to_store(
    f"(select date_trunc('hour', at, 'UTC') as {_HOUR_GROUP}, account_id, 1 as count, charged_micros, "  # noqa: S608 - constants only
    f"coalesce(value_cents, 0) as value_cents, at as last_at from {STAGE} where not preview) each_event"
)
"""The store sums events itself, for less than PostgreSQL would spend on grouping them."""
_COUNTS = ", ".join(
    f"count(*) filter (where kind = '{kind}')"
    for kind in (EventKind.IMPRESSION, EventKind.CLICK, EventKind.CONVERSION)
)
_ADS = (
    "insert into ad_counts (ad_id, account_id, impressions, clicks, conversions) "  # noqa: S608 - constants only
    f"select ad_id, min(account_id), {_COUNTS} from {STAGE} where id is not null and valid and not preview "
    "group by ad_id order by ad_id on conflict (ad_id) do update set "
    "impressions = ad_counts.impressions + excluded.impressions, "
    "clicks = ad_counts.clicks + excluded.clicks, "
    "conversions = ad_counts.conversions + excluded.conversions"
)
_AD_SLOTS = (
    "insert into ad_slot_counts (ad_id, slot_id, account_id, impressions, clicks, conversions) "  # noqa: S608 - constants only
    f"select ad_id, slot_id, min(account_id), {_COUNTS} from {STAGE} "
    f"where id is not null and valid and not preview and attribution is distinct from '{Attribution.VIEW_THROUGH}' "
    "group by ad_id, slot_id order by ad_id, slot_id on conflict (ad_id, slot_id) do update set "
    "impressions = ad_slot_counts.impressions + excluded.impressions, "
    "clicks = ad_slot_counts.clicks + excluded.clicks, "
    "conversions = ad_slot_counts.conversions + excluded.conversions"
)
_TOUCHED = (
    "token_id, at, issued_at, account_id, property_id, slot_id, ad_id, campaign_id, is_test, person, source, surface, "
    "format, pricing_model, price_micros, snapshot_version, country, device"
)


def _touches(table: str, which: str) -> str:
    """SQL that stores the touches to which a later conversion may be attributed."""
    day = "cast(at at time zone 'UTC' as date)"
    return (
        f"insert into {table} (day, {_TOUCHED}) select {day}, {_TOUCHED} from {STAGE} "  # noqa: S608 - constants only
        f"where {which} and valid and not preview order by 1, token_id on conflict do nothing"
    )


_CLICKS = _touches("click_touches", f"kind = '{EventKind.CLICK}'")
_VIEWS = _touches("view_touches", f"kind = '{EventKind.IMPRESSION}' and person is not null")
STATEMENTS = {
    "rows": _ROWS,
    "hours": _HOURS,
    "queue": _QUEUE,
    "coarse_hours": _COARSE_HOURS,
    "ads": _ADS,
    "clicks": _CLICKS,
    "views": _VIEWS,
    "ad_slots": _AD_SLOTS,
}
*_FIRST, _LAST = STATEMENTS
_WITH = ", ".join(f"{name} as ({STATEMENTS[name]})" for name in _FIRST)
_ADD_STAGED = text(f"with {_WITH} {STATEMENTS[_LAST]}")
"""One round trip. Every consumer writes the tables in the same order, and none of them is read."""
_SERVE_KEY = "hour, property_id, slot_id, campaign_id, ad_id, is_test, outcome, country, device, surface, format"
_SERVE_COLUMNS = (
    "hour timestamptz, property_id uuid, slot_id uuid, campaign_id uuid, ad_id uuid, is_test boolean, "
    "outcome varchar, country varchar, device varchar, surface varchar, format varchar, account_id varchar, "
    "count bigint"
)
_QUEUED_SERVES = (
    f"insert into report_store_queue ({QUEUED}) select account_id, is_test, '{DECISION}', hour, property_id, slot_id, "  # noqa: S608 - constants only
    "campaign_id, ad_id, outcome, country, device, format, '', surface, '', count, 0, 0 "
    f"from given where {IS_OPEN}"
)
_SERVES = ColumnInsert(
    "serve_hourly",
    _SERVE_COLUMNS,
    f"order by {_SERVE_KEY} on conflict ({_SERVE_KEY}) "
    "do update set count = serve_hourly.count + excluded.count",
    beside={"queued": _QUEUED_SERVES},
)


async def add_staged(session: AsyncSession, *, today: date) -> None:
    """
    Writes the staged events into rows and sums. Every consumer locks the rows of sums in the same order.

    Quality signals have no row, and previews have nothing but a row. An ad's counts take valid events only. Its counts
    by slot exclude conversions after a view too, because the learned rate is that of conversions after a click.
    """
    await session.execute(_ADD_STAGED, {"today": today})


async def add_serves(
    session: AsyncSession, counters: Iterable[Counter], accounts: dict[str, str]
) -> None:
    """Adds what edges decided; rows of unknown properties are left out."""
    sums: dict[tuple[Any, ...], int] = {}
    for one in counters:
        hour = from_ms(one.body.at_ms // HOUR_MS * HOUR_MS)
        for *ids, outcome, country, device, surface, ad_format, count in one.body.rows:
            account_id = accounts.get(str(ids[0]))
            if account_id is None:
                continue
            caller = (country or "", device or "", surface or "", ad_format or "")
            key = (hour, *ids, one.body.is_test, outcome, *caller, account_id)
            sums[key] = sums.get(key, 0) + count
    rows = [(*key, count) for key, count in sums.items()]
    await _SERVES.put(session, rows)
