"""
SQL of the sums: the hourly rows of events and of decisions, in one shape.

A valid event counts 1, and a retraction of a valid one counts -1; every other event is invalid.
"""

from collections.abc import Collection

from common.values.enums import Attribution, EventKind, QualitySignal, Reason
from control.reporting.reports.vocabulary import NOT_OF_DECISIONS, Dimension, Sum

COLUMNS = tuple(dimension.column for dimension in Dimension)
_TAKEN = f"case when reason = '{Reason.RETRACTED}' then -abs(count) when reason like 'ok%' then count end"
_KINDS = (*EventKind, QualitySignal.VIEWABLE)


def _valid(kind: str) -> str:
    return f"case when kind = '{kind}' then {_TAKEN} end"


def _invalid(kind: str) -> str:
    return (
        f"case when kind = '{kind}' and reason not like 'ok%' and reason <> '{Reason.RETRACTED}' "
        "then count end"
    )


def _attributed(attribution: str) -> str:
    return f"case when kind = '{EventKind.CONVERSION}' and attribution = '{attribution}' then {_TAKEN} end"


_OF_EVENTS: dict[Sum, str] = {
    Sum.IMPRESSIONS: _valid(EventKind.IMPRESSION),
    Sum.VIEWABLE: _valid(QualitySignal.VIEWABLE),
    Sum.CLICKS: _valid(EventKind.CLICK),
    Sum.CONVERSIONS: _valid(EventKind.CONVERSION),
    Sum.CLICK_THROUGH: _attributed(Attribution.CLICK_THROUGH),
    Sum.VIEW_THROUGH: _attributed(Attribution.VIEW_THROUGH),
    Sum.INVALID_IMPRESSIONS: _invalid(EventKind.IMPRESSION),
    Sum.INVALID_CLICKS: _invalid(EventKind.CLICK),
    Sum.CHARGED_MICROS: "charged_micros",
    Sum.EARNED_PARTS: "charged_micros",
    Sum.VALUE_CENTS: _valid(EventKind.CONVERSION).replace("count", "value_cents"),
}
_OF_DECISIONS: dict[Sum, str] = {
    Sum.REQUESTS: "count",
    Sum.FILLS: "case when outcome = 'fill' then count end",
}
"""What one hourly row adds to each sum. The share of earnings is applied once it is available: see `added`."""

SHARES = """
select property_id,
    case when lag(since_hour) over of_property is null then '-infinity' else since_hour end as since_hour,
    coalesce(lead(since_hour) over of_property, 'infinity') as before_hour, percent
from payout_shares where account_id = :account window of_property as (partition by property_id order by since_hour)
"""
"""The share of an hour is that in force when the hour ended; before the first known share, that first one."""
JOIN_SHARES = (
    "left join shares s on s.property_id = h.property_id "
    "and h.hour >= s.since_hour and h.hour < s.before_hour"
)


def added(name: Sum) -> str:
    """The sum over rows of `hours_of`, joined with `SHARES` where it is `Sum.EARNED_PARTS`."""
    return f"sum({part_of(name)})"


def part_of(name: Sum) -> str:
    """What one row adds; for `Sum.EARNED_PARTS` its share, from `JOIN_SHARES`."""
    return f"{name} * percent" if name is Sum.EARNED_PARTS else name.value


def hours_of(where: str, sums: Collection[Sum]) -> str:
    """
    The hours that *where* selects, with the columns that *sums* need: hour, ``is_test``, the dimensions, one for each
    sum.
    """
    parts = []
    if any(name in _OF_EVENTS for name in sums):
        kinds = ", ".join(f"'{kind}'" for kind in _KINDS)
        parts.append(
            f"select hour, is_test, {', '.join(COLUMNS)}, {_columns(_OF_EVENTS, sums)} "  # noqa: S608 - constants only
            f"from event_hourly where kind in ({kinds}) and {where}"
        )
    if any(name in _OF_DECISIONS for name in sums):
        parts.append(
            f"select hour, is_test, {', '.join(_DECISIONS_COLUMNS)}, {_columns(_OF_DECISIONS, sums)} "  # noqa: S608 - constants only
            f"from serve_hourly where {where}"
        )
    return " union all ".join(parts)


def _columns(known: dict[Sum, str], sums: Collection[Sum]) -> str:
    return ", ".join(f"{known.get(name, 'cast(null as bigint)')} as {name}" for name in sums)


_DECISIONS_COLUMNS = tuple(
    f"cast(null as varchar) as {each}" if each in NOT_OF_DECISIONS else each.column
    for each in Dimension
)
