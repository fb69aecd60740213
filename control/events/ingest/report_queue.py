"""
SQL of hourly sums while the report store is open (ADR 113): the full hours go to the store's queue, and `event_hourly`
keeps them without slot, ad, format, source, surface, country and device, which only reports read.

Whether it is open is read inside the statement that writes. `control.reporting.store.opening` locks the tables first,
so no statement that began before it writes full hours after it.
"""

from control.ports.report_store import NO_ID

IS_OPEN = "(select report_store_is_open())"
"""Raises an error of class 53 where the store received nothing for too long: the transaction is tried again later."""
DECISION = "decision"
"""The kind of a queued row of `serve_hourly`, whose ``reason`` is the outcome."""
NO_UUID = f"cast('{NO_ID}' as uuid)"
QUEUED = (
    "account_id, is_test, kind, hour, property_id, slot_id, campaign_id, ad_id, reason, country, device, format, "
    "source, surface, attribution, count, charged_micros, value_cents"
)
"""The columns of the queue."""
HOUR_KEY = (
    "hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test, reason, "
    "country, device, attribution"
)
HOUR_COLUMNS = f"{HOUR_KEY}, account_id, count, charged_micros, value_cents, last_at"
ADD_HOURS = (
    f"on conflict ({HOUR_KEY}) do update set count = event_hourly.count + excluded.count, "
    "charged_micros = event_hourly.charged_micros + excluded.charged_micros, "
    "value_cents = event_hourly.value_cents + excluded.value_cents, "
    "last_at = greatest(event_hourly.last_at, excluded.last_at)"
)
COARSE_HOURS = (
    f"select hour, property_id, {NO_UUID} as slot_id, campaign_id, {NO_UUID} as ad_id, kind, '' as format, "
    "'' as source, '' as surface, is_test, reason, '' as country, '' as device, attribution, account_id, "
    "cast(sum(count) as bigint), cast(sum(charged_micros) as bigint), cast(sum(value_cents) as bigint), max(last_at)"
)
COARSE_GROUP = (
    "group by hour, property_id, campaign_id, kind, is_test, reason, attribution, account_id "
    "order by campaign_id, kind, reason, hour, property_id, is_test, attribution"
)


def to_store(hours: str) -> tuple[str, str]:
    """
    Two statements for a ``with``, which write nothing where the store is not open: the full hours into its queue, and
    `event_hourly`.

    *hours*: a relation with `HOUR_COLUMNS`.
    """
    queued = (
        f"insert into report_store_queue ({QUEUED}) select {QUEUED} from {hours} where {IS_OPEN}"  # noqa: S608 - constants only
    )
    coarse = (
        f"insert into event_hourly ({HOUR_COLUMNS}) {COARSE_HOURS} from {hours} where {IS_OPEN} "
        f"{COARSE_GROUP} {ADD_HOURS}"
    )
    return queued, coarse
