"""Rebuilds one account's rolled up rows: a day from its hours, a week or month from its rolled up days."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.reporting.reports.calendar_spans import Span
from control.reporting.reports.hourly_sql import COLUMNS, JOIN_SHARES, SHARES, added, hours_of
from control.reporting.reports.metrics import Sum
from control.reporting.reports.rollup_definitions import ROLLUPS, Rollup
from control.reporting.reports.vocabulary import NAMED, Dimension

_DAY = timedelta(days=1)
_PROPERTIES = text("select id from properties where account_id = :account order by id")
_CLEAR = text(
    "delete from report_sums where account_id = :account and rollup = any(:rollups) "
    "and at >= :start and at < :until"
)
_AT_ONCE = 3
"""Rollups in one statement: all of them together would exceed the statement timeout for a large account's day."""
_OF_DAYS = [one for one in ROLLUPS if not one.is_hourly]
_BY_DAY = [_OF_DAYS[start : start + _AT_ONCE] for start in range(0, len(_OF_DAYS), _AT_ONCE)]
_BY_HOUR = [one for one in ROLLUPS if one.is_hourly]
_OF_DAY = (
    "property_id in (select cast(id as uuid) from properties where account_id = :account) "
    "and is_test = any(array[false, true]) and hour >= :start and hour < :until"
)


async def rewrite_day(session: AsyncSession, account_id: str, day: date) -> None:
    """Replaces the rolled up rows of *day* by the present sums of the account's hours."""
    values = {"account": account_id, "start": _midnight(day), "until": _midnight(day + _DAY)}
    await session.execute(_CLEAR, values | {"rollups": [one.name for one in ROLLUPS]})
    for statement in _PUTS:
        await session.execute(statement, values)


async def rewrite_span(session: AsyncSession, account_id: str, span: Span, first: date) -> None:
    """Replaces the rows of the span that begins on *first* by the present sums of the account's rolled up days."""
    start = _midnight(first)
    values = {"account": account_id, "start": start, "until": _midnight(span.after(first))}
    names = [one.name_by(span) for one in _OF_DAYS]
    await session.execute(_CLEAR, values | {"rollups": names, "until": start + _DAY})
    properties = list(await session.scalars(_PROPERTIES, {"account": account_id}))
    for one in _OF_DAYS:
        named = values | {"rollup": one.name, "name": one.name_by(span)}
        if not one.has_property:
            await session.execute(_PUT_SPAN, named)
            continue
        for property_id in properties:
            await session.execute(_PUT_SPAN_OF_PROPERTY, named | {"property": property_id})


def _put(rollups: Sequence[Rollup]) -> str:
    """One pass over the hours for all of *rollups*, each a grouping set. All must be of days, or all of hours."""
    at = "hour" if rollups[0].is_hourly else "day"
    kept = [each for each in Dimension if any(each in one.keeps for one in rollups)]
    grouping = ", ".join(each.column for each in kept)
    shown = ", ".join(each.column if each in kept else _nothing(each) for each in Dimension)
    columns, sums = ", ".join(COLUMNS), ", ".join(Sum)
    totals = ", ".join(f"nullif(cast({added(name)} as bigint), 0)" for name in Sum)
    sets = ", ".join(
        f"({', '.join([at, 'is_test', *(each.column for each in kept if each in one.keeps)])})"
        for one in rollups
    )
    names = " ".join(f"when {_mask(one, kept)} then '{one.name}'" for one in rollups)
    lacking = ", ".join(["''", *(f"'{one.name}'" for one in rollups if not one.has_decisions)])
    return (
        f"insert into report_sums (account_id, rollup, is_test, at, {columns}, {sums}) "  # noqa: S608 - constants only
        f"with shares as ({SHARES}), hours as materialized ("
        "select h.*, s.percent, date_trunc('day', h.hour, 'UTC') as day "
        f"from ({hours_of(_OF_DAY, tuple(Sum))}) h {JOIN_SHARES}) "
        f"select :account, * from (select case grouping({grouping}) {names} end as rollup, is_test, "
        f"{at}, {shown}, {totals} from hours group by grouping sets ({sets})) rolled "
        f"where rollup not in ({lacking}) or source is not null order by rollup, property_id"
    )


def _nothing(dimension: Dimension) -> str:
    kind = "uuid" if dimension in NAMED else "varchar"
    return f"cast(null as {kind}) as {dimension.column}"


def _put_span(where: str) -> str:
    """One rollup's week or month; by property, so that no statement takes long."""
    columns, names = ", ".join(COLUMNS), ", ".join(Sum)
    sums = ", ".join(f"nullif(cast(sum({name}) as bigint), 0)" for name in Sum)
    return (
        f"insert into report_sums (account_id, rollup, is_test, at, {columns}, {names}) "  # noqa: S608 - constants only
        f"select account_id, cast(:name as varchar), is_test, cast(:start as timestamptz), {columns}, {sums} "
        "from report_sums where account_id = :account and rollup = :rollup and is_test = any(array[false, true]) "
        f"and {where} and at >= :start and at < :until "
        f"group by account_id, is_test, {columns} order by property_id"
    )


def _mask(rollup: Rollup, kept: Sequence[Dimension]) -> int:
    """PostgreSQL's grouping(): a bit for each of *kept*, the last one lowest, set where it is not kept apart."""
    return int("".join("0" if each in rollup.keeps else "1" for each in kept), 2)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


_PUTS = tuple(text(_put(some)) for some in (*_BY_DAY, _BY_HOUR))
_PUT_SPAN = text(_put_span("property_id is null"))
_PUT_SPAN_OF_PROPERTY = text(_put_span("property_id = cast(:property as uuid)"))
