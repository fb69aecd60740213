"""
SQL of the sums: the hourly rows of events and of decisions, in one shape.

A valid event counts 1, and a retraction of a valid one counts -1; every other event is invalid.
"""

from collections.abc import Collection

from common.values.enums import EventKind, QualitySignal, Reason
from control.reporting.reports.metrics import (
    OF_DECISIONS,
    ChargedMicros,
    CountedDecisions,
    CountedEvents,
    Sum,
)
from control.reporting.reports.vocabulary import NOT_OF_DECISIONS, Dimension

COLUMNS = tuple(dimension.column for dimension in Dimension)


def added_by(name: Sum) -> str:
    """What one hourly row adds. The share of earnings is applied once it is available: see `added`."""
    match name.of:
        case CountedDecisions(outcome=None):
            return "count"
        case CountedDecisions(outcome=outcome):
            return f"case when outcome = '{outcome}' then count end"
        case ChargedMicros():
            return "charged_micros"
        case CountedEvents(is_valid=False) as of:
            return (
                f"case when kind = '{of.kind}' and reason not like 'ok%' and reason <> '{Reason.RETRACTED}' "
                f"then {of.column} end"
            )
        case CountedEvents() as of:
            where = f" and attribution = '{of.attribution}'" if of.attribution else ""
            return (
                f"case when kind = '{of.kind}'{where} then case when reason = '{Reason.RETRACTED}' "
                f"then -abs({of.column}) when reason like 'ok%' then {of.column} end end"
            )


def kinds_of(sums: Collection[Sum]) -> list[str]:
    """The kinds of events from which *sums* are made."""
    found = {one.of.kind for one in sums if isinstance(one.of, CountedEvents)}
    if any(isinstance(one.of, ChargedMicros) for one in sums):
        found.update(EventKind)
    return [kind for kind in (*EventKind, *QualitySignal) if kind in found]


_ADDED_BY = {name: added_by(name) for name in Sum}

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
    if of_events := {*sums} - OF_DECISIONS:
        kinds = ", ".join(f"'{kind}'" for kind in kinds_of(of_events))
        parts.append(
            f"select hour, is_test, {', '.join(COLUMNS)}, {_columns(sums, of_events)} "  # noqa: S608 - constants only
            f"from event_hourly where kind in ({kinds}) and {where}"
        )
    if of_decisions := OF_DECISIONS & {*sums}:
        parts.append(
            f"select hour, is_test, {', '.join(_DECISIONS_COLUMNS)}, {_columns(sums, of_decisions)} "  # noqa: S608 - constants only
            f"from serve_hourly where {where}"
        )
    return " union all ".join(parts)


def _columns(sums: Collection[Sum], known: Collection[Sum]) -> str:
    return ", ".join(
        f"{_ADDED_BY[name] if name in known else 'cast(null as bigint)'} as {name}" for name in sums
    )


_DECISIONS_COLUMNS = tuple(
    f"cast(null as varchar) as {each}" if each in NOT_OF_DECISIONS else each.column
    for each in Dimension
)
