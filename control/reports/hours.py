"""
SQL of the sums: what the hours say of events and of decisions, in one shape.

An event counts 1 where it is valid and -1 where it takes a valid one back; what neither is, is invalid.
"""

from collections.abc import Collection

from common.vocabulary import EventKind, QualitySignal, Reason
from control.reports.vocabulary import OF_DECISIONS, Dimension, Sum

COLUMNS = tuple(dimension.column for dimension in Dimension)
_IDS = tuple(f"{name}_id" for name in ("property", "slot", "campaign", "ad"))
_FILL, _NO_FILL = "fill", "no_fill"
_TAKEN = "case when reason = 'retracted' then -1 when reason like 'ok%' then 1 end"
_INVALID = f"reason not like 'ok%' and reason <> '{Reason.RETRACTED}'"

SUMS: dict[Sum, str] = {
    Sum.REQUESTS: f"sum(count) filter (where kind in ('{_FILL}', '{_NO_FILL}'))",
    Sum.FILLS: f"sum(count) filter (where kind = '{_FILL}')",
    Sum.IMPRESSIONS: f"sum(taken * abs(count)) filter (where kind = '{EventKind.IMPRESSION}')",
    Sum.VIEWABLE: f"sum(taken * abs(count)) filter (where kind = '{QualitySignal.VIEWABLE}')",
    Sum.CLICKS: f"sum(taken * abs(count)) filter (where kind = '{EventKind.CLICK}')",
    Sum.CONVERSIONS: f"sum(taken * abs(count)) filter (where kind = '{EventKind.CONVERSION}')",
    Sum.CLICK_THROUGH: "sum(taken * abs(count)) filter (where attribution = 'click_through')",
    Sum.VIEW_THROUGH: "sum(taken * abs(count)) filter (where attribution = 'view_through')",
    Sum.INVALID_IMPRESSIONS: (
        f"sum(count) filter (where kind = '{EventKind.IMPRESSION}' and {_INVALID})"
    ),
    Sum.INVALID_CLICKS: f"sum(count) filter (where kind = '{EventKind.CLICK}' and {_INVALID})",
    Sum.CHARGED_MICROS: "sum(charged_micros)",
    Sum.EARNED_PARTS: "sum(charged_micros * percent)",
    Sum.VALUE_CENTS: (
        f"sum(taken * abs(value_cents)) filter (where kind = '{EventKind.CONVERSION}')"
    ),
}
"""Each over rows of `events_of` and `decisions_of`, joined with `SHARES` where `Sum.EARNED_PARTS` is among them."""

SHARES = """
select property_id,
    case when lag(since_hour) over of_property is null then '-infinity' else since_hour end as since_hour,
    coalesce(lead(since_hour) over of_property, 'infinity') as before_hour, percent
from payout_shares where account_id = :account window of_property as (partition by property_id order by since_hour)
"""
"""The share of an hour is that in force when the hour ended; before anything was known, the first one known."""
JOIN_SHARES = (
    "left join shares s on s.property_id = h.property_id "
    "and h.hour >= s.since_hour and h.hour < s.before_hour"
)

_KINDS = (*EventKind, QualitySignal.VIEWABLE)
_EVENT_KINDS = ", ".join(f"'{kind}'" for kind in _KINDS)


def events_of(where: str) -> str:
    """Of the hours of events that *where* names."""
    return (
        f"select hour, is_test, {', '.join(COLUMNS)}, kind, '' as attribution, {_TAKEN} as taken, count, "  # noqa: S608 - constants only
        f"charged_micros, value_cents from event_hourly where kind in ({_EVENT_KINDS}) and {where}"
    )


def decisions_of(where: str) -> str:
    """Of the hours of decisions that *where* names; they have no source and no reason."""
    lacking = {Dimension.SOURCE, Dimension.REASON}
    columns = [
        f"cast(null as varchar) as {dimension}" if dimension in lacking else dimension.column
        for dimension in Dimension
    ]
    return (
        f"select hour, is_test, {', '.join(columns)}, case outcome when 'fill' then '{_FILL}' else '{_NO_FILL}' end, "  # noqa: S608 - constants only
        f"'', null, count, 0, 0 from serve_hourly where {where}"
    )


def hours_of(where: str, sums: Collection[Sum]) -> str:
    """What *sums* need of the hours that *where* names."""
    parts = []
    if any(name not in OF_DECISIONS for name in sums):
        parts.append(events_of(where))
    if any(name in OF_DECISIONS for name in sums):
        parts.append(decisions_of(where))
    return " union all ".join(parts)
