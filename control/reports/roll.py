"""
The job that rolls up days that are over, and those to which something came late since.

A day is rolled once nobody writes to it any more unmarked (`control.ingest.late`); doing it again does no harm. An
account's day is rolled in one transaction, which takes its marks before it reads the hours: what is stored meanwhile
leaves a mark of its own.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.context import ControlContext
from control.database import Database
from control.ingest.late import UNMARKED
from control.reports.hours import COLUMNS, JOIN_SHARES, SHARES, added, hours_of
from control.reports.rollups import ROLLUPS, Rollup
from control.reports.vocabulary import NAMED, Dimension, Sum

_DAY = timedelta(days=1)
_SLACK = timedelta(minutes=15)
"""More than any transaction of ingest lasts, and than clocks of two machines differ."""

_HEAD = text("select rolled_before, months_before from report_head")
_FIRST = text(
    "select least((select min(hour) from event_hourly), (select min(hour) from serve_hourly))"
)
_MOVE = text(
    "insert into report_head (id, rolled_before, months_before) values (1, :days, :months) "
    "on conflict (id) do update set rolled_before = excluded.rolled_before, "
    "months_before = excluded.months_before"
)
_ACCOUNTS = text(
    "select account_id from event_hourly where hour >= :start and hour < :until "
    "union select account_id from serve_hourly where hour >= :start and hour < :until order by 1"
)
_PROPERTIES = text("select id from properties where account_id = :account order by id")
_ALL_ACCOUNTS = text("select id from accounts order by id")
_LATE = text(
    "select distinct account_id, day from report_late_days where day < :before order by day, account_id"
)
_TAKE_MARKS = text("delete from report_late_days where account_id = :account and day = :day")
_CLEAR = text(
    "delete from report_sums where account_id = :account and rollup = any(:rollups) "
    "and at >= :start and at < :until"
)
_AT_ONCE = 3
"""Rollups of one statement: all of them at once would take a large account's day longer than a statement may."""
_OF_DAYS = [one for one in ROLLUPS if not one.is_hourly]
_BY_DAY = [_OF_DAYS[start : start + _AT_ONCE] for start in range(0, len(_OF_DAYS), _AT_ONCE)]
_BY_HOUR = [one for one in ROLLUPS if one.is_hourly]
_OF_DAY = (
    "property_id in (select cast(id as uuid) from properties where account_id = :account) "
    "and is_test = any(array[false, true]) and hour >= :start and hour < :until"
)


async def roll_reports(control: ControlContext) -> None:
    """All that is due."""
    await roll_due(control.database, control.clock.now())


async def roll_due(database: Database, now: datetime) -> None:
    """Days that came late first, for until then every report reads their hours."""
    async with database.service() as session:
        head = (await session.execute(_HEAD)).one_or_none()
        late = () if head is None else (await session.execute(_LATE, {"before": head[0]})).all()
    for account_id, day in late:
        await _roll(database, account_id, day, months_before=head[1] if head else day)
    day = head[0] if head else await _first_day(database)
    before = (now - UNMARKED - _SLACK).date()
    while day is not None and day < before:
        month = day.replace(day=1)
        for account_id in await _accounts(database, day):
            await _roll(database, account_id, day, months_before=month)
        day += _DAY
        if day.day == 1:
            await _roll_months(database, month)
        async with database.service() as session:
            await session.execute(_MOVE, {"days": day, "months": day.replace(day=1)})


async def _first_day(database: Database) -> date | None:
    async with database.service() as session:
        first: datetime | None = await session.scalar(_FIRST)
        return None if first is None else first.astimezone(UTC).date()


async def _accounts(database: Database, day: date) -> list[str]:
    async with database.service() as session:
        return list(await session.scalars(_ACCOUNTS, _bounds(day)))


async def _roll(database: Database, account_id: str, day: date, *, months_before: date) -> None:
    """A day, and its month where that was rolled up already."""
    async with database.service() as session:
        await session.execute(_TAKE_MARKS, {"account": account_id, "day": day})
        await roll_day(session, account_id, day)
        if day < months_before:
            await roll_month(session, account_id, day.replace(day=1))


async def _roll_months(database: Database, month: date) -> None:
    """Of every account, an account a transaction."""
    async with database.service() as session:
        accounts = list(await session.scalars(_ALL_ACCOUNTS))
    for account_id in accounts:
        async with database.service() as session:
            await roll_month(session, account_id, month)


async def roll_day(session: AsyncSession, account_id: str, day: date) -> None:
    """What the account's hours of *day* come to now, in place of what stood there."""
    values = {"account": account_id, **_bounds(day)}
    await session.execute(_CLEAR, values | {"rollups": [one.name for one in ROLLUPS]})
    for statement in _PUTS:
        await session.execute(statement, values)


async def roll_month(session: AsyncSession, account_id: str, month: date) -> None:
    """What the account's rolled days of the month come to now; *month* is its first day."""
    start = datetime.combine(month, time(), UTC)
    following = (month + timedelta(days=31)).replace(day=1)
    values = {
        "account": account_id,
        "start": start,
        "until": datetime.combine(following, time(), UTC),
    }
    names = [one.by_month for one in _OF_DAYS]
    await session.execute(_CLEAR, values | {"rollups": names, "until": start + _DAY})
    properties = list(await session.scalars(_PROPERTIES, {"account": account_id}))
    for one in _OF_DAYS:
        named = values | {"rollup": one.name, "name": one.by_month}
        if not one.has_property:
            await session.execute(_PUT_MONTH, named)
            continue
        for property_id in properties:
            await session.execute(_PUT_MONTH_OF_PROPERTY, named | {"property": property_id})


def _bounds(day: date) -> dict[str, datetime]:
    start = datetime.combine(day, time(), UTC)
    return {"start": start, "until": start + _DAY}


def _put(rollups: Sequence[Rollup]) -> str:
    """One pass over the hours for all of *rollups*, each a grouping set; all of days, or all of hours."""
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


def _put_month(where: str) -> str:
    """One rollup's month; by property, so that no statement is long."""
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


_PUTS = tuple(text(_put(some)) for some in (*_BY_DAY, _BY_HOUR))
_PUT_MONTH = text(_put_month("property_id is null"))
_PUT_MONTH_OF_PROPERTY = text(_put_month("property_id = cast(:property as uuid)"))
