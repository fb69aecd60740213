"""The one statement that a report is read by: rolled rows and hours, each by ranges of its index, then added up."""

from collections.abc import Collection, Sequence

from control.reports.hours import JOIN_SHARES, SHARES, SUMS, hours_of
from control.reports.plan import Plan
from control.reports.vocabulary import NAMED, Dimension, Sum

_PERIOD = "width_bucket({at}, cast(:periods as timestamptz[])) as period"
"""The number of the period, from 1: bound as the places where periods begin, any zone's days are one look-up a row."""
_RANGES = "unnest(cast(:{name}_starts as timestamptz[]), cast(:{name}_ends as timestamptz[])) r(start, until)"


def statement_of(
    plan: Plan,
    group_by: Sequence[Dimension],
    sums: Sequence[Sum],
    filters: Collection[Dimension],
) -> str:
    columns = [each.column for each in group_by]
    meets = [
        f"{each.column} = any(cast(:wanted_{each} as {'uuid' if each in NAMED else 'varchar'}[]))"
        for each in filters
    ]
    parts = []
    if plan.rolled:
        parts.append(_rolled_part(columns, sums, meets))
    if plan.live or not parts:
        parts.append(_live_part(columns, sums, meets))
    groups = ", ".join(["period", *columns])
    added = ", ".join(f"cast(sum({name}) as bigint) as {name}" for name in sums)
    shares = f"with shares as ({SHARES}) " if Sum.EARNED_PARTS in sums else ""
    return (
        f"{shares}select {groups}, {added} from ({' union all '.join(parts)}) every "  # noqa: S608 - constants only
        f"group by {groups} order by {groups} limit :most"
    )


def _rolled_part(columns: Sequence[str], sums: Sequence[Sum], meets: Sequence[str]) -> str:
    where = " and ".join(
        [
            "account_id = :account and rollup = :rollup and is_test = :is_test",
            "at >= r.start and at < r.until",
            "property_id = any(cast(:properties as uuid[]))",
            *meets,
        ]
    )
    taken = ", ".join(["at", *columns, *sums])
    added = ", ".join(f"sum({name}) as {name}" for name in sums)
    groups = ", ".join(["period", *columns])
    return (
        f"select {', '.join([_PERIOD.format(at='at'), *columns, added])} "  # noqa: S608 - constants only
        f"from {_RANGES.format(name='rolled')}, "
        f"lateral (select {taken} from report_sums where {where} offset 0) d group by {groups}"
    )


def _live_part(columns: Sequence[str], sums: Sequence[Sum], meets: Sequence[str]) -> str:
    """``offset 0`` keeps the planner at one range of the index after the other."""
    where = " and ".join(
        [
            "property_id = any(cast(:properties as uuid[])) and is_test = :is_test",
            "hour >= r.start and hour < r.until",
            *meets,
        ]
    )
    own = [f"h.{column}" for column in columns]
    added = ", ".join(f"{SUMS[name]} as {name}" for name in sums)
    groups = ", ".join(["period", *own])
    join = JOIN_SHARES if Sum.EARNED_PARTS in sums else ""
    return (
        f"select {', '.join([_PERIOD.format(at='h.hour'), *own, added])} "  # noqa: S608 - constants only
        f"from {_RANGES.format(name='live')}, lateral ({hours_of(where, sums)} offset 0) h {join} group by {groups}"
    )
