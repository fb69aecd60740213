"""
Compares the report store with PostgreSQL's coarse hours, day by day: `check_report_store`, a job of every hour.

It finds what no shipment can exclude, such as a part that a failing disk of ClickHouse lost.
"""

from datetime import date, datetime, timedelta

import structlog
from sqlalchemy import text

from control.api.context import ControlContext
from control.ports.report_store import ReportStore
from control.storage.database import Database

_DAYS = timedelta(days=8)
_SUMS = "sum(case when reason <> 'retracted' then count else 0 end), sum(charged_micros)"
"""Without counts of retractions, which old releases stored with either sign."""
_COARSE = text(
    "select day, cast(sum(sign * events) as bigint), cast(sum(sign * micros) as bigint) from ("  # noqa: S608 - constants only
    f"select 1, cast(hour at time zone 'UTC' as date), {_SUMS} from event_hourly where hour >= :since group by 2 "
    f"union all select -1, cast(hour at time zone 'UTC' as date), {_SUMS} from report_store_queue "
    "where hour >= :since and kind <> 'decision' group by 2"
    ") as every(sign, day, events, micros) group by day order by day"
)
"""Less what was not sent yet."""
_STORED = (
    f"select toString(toDate(hour, 'UTC')) as day, {_SUMS} from {{hours}} "  # noqa: S608 - constants only
    "where kind <> 'decision' and hour >= toDateTime({since:UInt32}, 'UTC') group by day order by day"
)
_STATE = text("select sent, sent_tokens, next_xid is not null as is_begun from report_store")
_OF_ONE_INSTANT = text("set transaction isolation level repeatable read")
_ATTEMPTS = 20
_log: structlog.stdlib.BoundLogger = structlog.get_logger("work")


class ReportStoreDiffers(Exception):
    """The message names the days on which the store has other sums than PostgreSQL."""


async def check_report_store(control: ControlContext) -> None:
    """Raises `ReportStoreDiffers` and `ReportStoreUnavailable`."""
    days = await find_differences(control.database, control.report_store, control.clock.now())
    if days:
        raise ReportStoreDiffers(
            f"ClickHouse and PostgreSQL have different sums of {', '.join(map(str, days))}. "
            "See Report store in docs/operations.md."
        )


async def find_differences(database: Database, store: ReportStore, now: datetime) -> list[date]:
    """
    The days (UTC) of the last week whose sums differ.

    Empty where the store is not open, or where a shipment was under way each time: the next run compares.
    """
    since = (now - _DAYS).replace(hour=0, minute=0, second=0, microsecond=0)
    for _ in range(_ATTEMPTS):
        async with database.service() as session:
            await session.execute(_OF_ONE_INSTANT)
            state = (await session.execute(_STATE)).one_or_none()
            if state is None:
                return []
            found = (await session.execute(_COARSE, {"since": since})).all()
        stored = await store.select(_STORED, {"since": str(int(since.timestamp()))})
        received = await store.received()
        async with database.service() as session:
            is_same = (await session.execute(_STATE)).one_or_none() == state
        if is_same and received == (state.sent, state.sent_tokens) and not state.is_begun:
            wanted = {row[0]: (row[1], row[2]) for row in found if row[1] or row[2]}
            have = {date.fromisoformat(row[0]): (row[1], row[2]) for row in stored}
            have = {day: sums for day, sums in have.items() if any(sums)}
            days = wanted.keys() | have.keys()
            return sorted(day for day in days if wanted.get(day) != have.get(day))
    _log.info("report_store_not_compared", attempts=_ATTEMPTS)
    return []
