"""Builds the one statement that reads a report: rolled up rows and hours, each by ranges of its index, then summed."""

from collections.abc import Collection, Sequence

from control.reporting.reports.hourly_sql import JOIN_SHARES, SHARES, hours_of, part_of
from control.reporting.reports.metrics import Sum
from control.reporting.reports.read_plan import ReadSource, RollupRead
from control.reporting.reports.report_query import ReportOrder
from control.reporting.reports.vocabulary import NAMED, Dimension

_PERIOD = "width_bucket(coalesce(r.counts_at, {at}), cast(:periods as timestamptz[])) as period"
"""
The number of the period, from 1.

The starts of the periods are parameters, so any zone's day is one look-up a row.
"""
_ONE_PERIOD = "1 as period"
_OF_ACCOUNT = "property_id is null"
_OF_PROPERTY = "property_id = any(cast(:properties as uuid[]))"
_RANGES = (
    "unnest(cast(:{name}_starts as timestamptz[]), cast(:{name}_ends as timestamptz[]), "
    "cast(:{name}_count_at as timestamptz[])) r(start, until, counts_at)"
)


def statement_of(
    source: ReadSource,
    group_by: Sequence[Dimension],
    sums: Sequence[Sum],
    filters: Collection[Dimension],
    *,
    by: ReportOrder | None = None,
    has_periods: bool = True,
) -> str:
    """*has_periods* False: there is only one period, and rows are not assigned to it by a look-up."""
    period = _PERIOD if has_periods else _ONE_PERIOD
    columns = [each.column for each in group_by]
    meets = [
        f"{each.column} = any(cast(:wanted_{each} as {'uuid' if each in NAMED else 'varchar'}[]))"
        for each in filters
    ]
    parts = [
        *(_rolled_part(read, period, columns, sums, meets) for read in source.rolled),
        *(_live_part(read, period, columns, sums, meets) for read in source.live),
    ]
    groups = ", ".join(["period", *columns])
    order = ", ".join([*_by(by), "period", *(f"{column} nulls first" for column in columns)])
    whole = ", ".join(f"{_added(name)} as {name}" for name in sums)
    has_any = " or ".join(f"int_sum({name}) <> 0" for name in sums)
    shares = f"with shares as ({SHARES}) " if Sum.EARNED_PARTS in sums else ""
    return (
        f"{shares}select {groups}, {whole} from ({' union all '.join(parts)}) every "  # noqa: S608 - constants only
        f"group by {groups} having {has_any} order by {order} limit :most"
    )


def _added(name: Sum) -> str:
    """A sum that no row of a group has is 0."""
    return f"coalesce(int_sum({name}), 0)"


def _by(order: ReportOrder | None) -> list[str]:
    """The sort expression: what `figure_of` computes, unrounded."""
    if order is None:
        return []
    value = order.metric.formula.sort_sql.format(*map(_added, order.metric.sums))
    return [f"{value} {'desc' if order.is_descending else 'asc'} nulls last"]


def _rolled_part(
    read: RollupRead, period: str, columns: Sequence[str], sums: Sequence[Sum], meets: Sequence[str]
) -> str:
    where = " and ".join(
        [
            f"account_id = :account and rollup = :{read.name}_rollup and is_test = :is_test",
            "at >= r.start and at < r.until",
            _OF_PROPERTY if read.has_property else _OF_ACCOUNT,
            *meets,
        ]
    )
    taken = ", ".join(["at", *columns, *sums])
    parts = [_signed(read, name) for name in sums]
    return (
        f"select {', '.join([period.format(at='at'), *columns, *parts])} "  # noqa: S608 - constants only
        f"from {_RANGES.format(name=read.name)}, "
        f"lateral (select {taken} from report_sums where {where} offset 0) d"
    )


def _live_part(
    read: RollupRead, period: str, columns: Sequence[str], sums: Sequence[Sum], meets: Sequence[str]
) -> str:
    """``offset 0`` makes the planner read one range of the index after the other."""
    where = " and ".join(
        [
            f"account_id = :account and {_OF_PROPERTY} and is_test = :is_test",
            "hour >= r.start and hour < r.until",
            *meets,
        ]
    )
    own = [f"h.{column}" for column in columns]
    parts = [f"{_signed(read, part_of(name))} as {name}" for name in sums]
    join = JOIN_SHARES if Sum.EARNED_PARTS in sums else ""
    return (
        f"select {', '.join([period.format(at='h.hour'), *own, *parts])} "  # noqa: S608 - constants only
        f"from {_RANGES.format(name=read.name)}, lateral ({hours_of(where, sums)} offset 0) h {join}"
    )


def _signed(read: RollupRead, value: str) -> str:
    return f"-({value})" if read.is_off else value
