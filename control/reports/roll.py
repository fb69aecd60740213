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
from control.reports.hours import COLUMNS, JOIN_SHARES, SHARES, SUMS, hours_of
from control.reports.rollups import ROLLUPS, Rollup
from control.reports.vocabulary import Dimension, Sum

_DAY = timedelta(days=1)
_SLACK = timedelta(minutes=15)
"""More than any transaction of ingest lasts, and than clocks of two machines differ."""

_HEAD = text("select rolled_before from report_head")
_FIRST = text(
    "select least((select min(hour) from event_hourly), (select min(hour) from serve_hourly))"
)
_MOVE = text(
    "insert into report_head (id, rolled_before) values (1, :before) "
    "on conflict (id) do update set rolled_before = excluded.rolled_before"
)
_ACCOUNTS = text(
    "select account_id from event_hourly where hour >= :start and hour < :until "
    "union select account_id from serve_hourly where hour >= :start and hour < :until order by 1"
)
_LATE = text(
    "select distinct account_id, day from report_late_days where day < :before order by day, account_id"
)
_TAKE_MARKS = text("delete from report_late_days where account_id = :account and day = :day")
_CLEAR = text(
    "delete from report_sums where account_id = :account and rollup = any(:rollups) "
    "and is_test = any(array[false, true]) and at >= :start and at < :until"
)


async def roll_reports(control: ControlContext) -> None:
    """All that is due."""
    await roll_due(control.database, control.clock.now())


async def roll_due(database: Database, now: datetime) -> None:
    """Days that came late first, for until then every report reads their hours."""
    async with database.service() as session:
        head = await session.scalar(_HEAD)
        late = () if head is None else (await session.execute(_LATE, {"before": head})).all()
    for account_id, day in late:
        await _roll(database, account_id, day)
    day = head or await _first_day(database)
    before = (now - UNMARKED - _SLACK).date()
    while day is not None and day < before:
        for account_id in await _accounts(database, day):
            await _roll(database, account_id, day)
        day += _DAY
        async with database.service() as session:
            await session.execute(_MOVE, {"before": day})


async def _first_day(database: Database) -> date | None:
    async with database.service() as session:
        first: datetime | None = await session.scalar(_FIRST)
        return None if first is None else first.astimezone(UTC).date()


async def _accounts(database: Database, day: date) -> list[str]:
    async with database.service() as session:
        return list(await session.scalars(_ACCOUNTS, _bounds(day)))


async def _roll(database: Database, account_id: str, day: date) -> None:
    async with database.service() as session:
        await session.execute(_TAKE_MARKS, {"account": account_id, "day": day})
        await roll_day(session, account_id, day)


async def roll_day(session: AsyncSession, account_id: str, day: date) -> None:
    """What the account's hours of *day* come to now, in place of what stood there."""
    values = {"account": account_id, **_bounds(day)}
    await session.execute(_CLEAR, values | {"rollups": [one.name for one in ROLLUPS]})
    await session.execute(_PUT, values)


def _bounds(day: date) -> dict[str, datetime]:
    start = datetime.combine(day, time(), UTC)
    return {"start": start, "until": start + _DAY}


def _put() -> str:
    """One pass over the hours for all rollups, each a grouping set."""
    others = [each for each in Dimension if each is not Dimension.PROPERTY]
    sums = ", ".join(f"nullif(cast({sql} as bigint), 0) as {name}" for name, sql in SUMS.items())
    sets = ", ".join(f"({', '.join(_columns(one))})" for one in ROLLUPS)
    names = " ".join(f"when {_mask(one, others)} then '{one.name}'" for one in ROLLUPS)
    grouping = ", ".join(["hour", *(each.column for each in others)])
    columns = ", ".join(COLUMNS)
    lacking = ", ".join(f"'{one.name}'" for one in ROLLUPS if not one.has_decisions)
    hours = hours_of("account_id = :account and hour >= :start and hour < :until", tuple(Sum))
    return (
        f"insert into report_sums (account_id, rollup, is_test, at, {columns}, {', '.join(SUMS)}) "  # noqa: S608 - constants only
        f"with shares as ({SHARES}), hours as ("
        "select h.*, s.percent, date_trunc('day', h.hour, 'UTC') as day "
        f"from ({hours}) h {JOIN_SHARES}) "
        f"select :account, * from (select case grouping({grouping}) {names} end as rollup, is_test, "
        f"coalesce(hour, day), {columns}, {sums} from hours group by grouping sets ({sets})) rolled "
        f"where not (rollup in ({lacking}) and source is null)"
    )


def _columns(rollup: Rollup) -> list[str]:
    """What it is grouped by."""
    kept = [each.column for each in Dimension if each in rollup.keeps]
    return ["hour" if rollup.is_hourly else "day", "is_test", *kept]


def _mask(rollup: Rollup, others: Sequence[Dimension]) -> int:
    """PostgreSQL's grouping(): a bit for each column, the last one lowest, set where it is not kept apart."""
    kept = [rollup.is_hourly, *(each in rollup.keeps for each in others)]
    return int("".join("0" if one else "1" for one in kept), 2)


_PUT = text(_put())
