"""
The job that rolls up past days, and days with late arrivals again; then their weeks and months.

A day is rolled up once it receives no more unmarked writes (`control.events.ingest.late_days`); repeating it does no
harm. An account's day is rolled up in one transaction, which takes its marks before it reads the hours. Rows stored
meanwhile leave a mark of their own.

An account whose rollup fails holds up no other. Its day is marked as late: its reports read the hours of that day, and
the next run rolls it up again.

Where the report store is open, reports do not read rollups, and there are none.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import text

from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.events.ingest.late_days import UNMARKED
from control.reporting.reports.calendar_spans import Span
from control.reporting.reports.rebuild_rollup import rewrite_day, rewrite_span
from control.storage.database import Database

_DAY = timedelta(days=1)
_SLACK = timedelta(minutes=15)
"""Longer than any transaction of ingest, and than the clocks of two machines differ."""

_STORE_IS_OPEN = text("select exists (select from report_store)")
_FORGET_MARKS = text("delete from report_late_days")
_HEAD = text("select rolled_before, months_before, weeks_before from report_head")
_FIRST = text(
    "select least((select min(hour) from event_hourly), (select min(hour) from serve_hourly))"
)
_MOVE = text(
    "insert into report_head (id, rolled_before, months_before, weeks_before) values (1, :days, :months, :weeks) "
    "on conflict (id) do update set rolled_before = excluded.rolled_before, "
    "months_before = excluded.months_before, weeks_before = excluded.weeks_before"
)
_ACCOUNTS = text(
    "select account_id from event_hourly where hour >= :start and hour < :until "
    "union select account_id from serve_hourly where hour >= :start and hour < :until order by 1"
)
_ALL_ACCOUNTS = text("select id from accounts order by id")
_LATE = text(
    "select distinct account_id, day from report_late_days where day < :before order by day, account_id"
)
_MARK = text("insert into report_late_days (account_id, day) values (:account, :day)")
_TAKE_MARKS = text("delete from report_late_days where account_id = :account and day = :day")


@dataclass(frozen=True, slots=True)
class _Head:
    """Days before ``days`` are rolled up, and spans before those of ``spans``."""

    days: date
    spans: Mapping[Span, date]


async def roll_up_reports(control: ControlContext) -> None:
    """Rolls up everything due."""
    await roll_due(control.database, control.clock.now())


async def roll_due(database: Database, now: datetime) -> None:
    """
    Rolls up late days first, because until then every report reads their hours. Raises the error of the first account
    that failed, after all others.
    """
    async with database.service() as session:
        if await session.scalar(_STORE_IS_OPEN):
            await session.execute(_FORGET_MARKS)
            return
    head = await _head(database)
    if head is None:
        return
    async with database.service() as session:
        late = (await session.execute(_LATE, {"before": head.days})).all()
    failed = FailedItems()
    for account_id, day in late:
        with failed.catching(_item(account_id, day)):
            await _roll(database, account_id, day, head)
    before = (now - UNMARKED - _SLACK).date()
    head = await _roll_spans(database, head, failed)
    while head.days < before:
        for account_id in await _accounts(database, head.days):
            async with _marking_failure(database, account_id, head.days, failed):
                await _roll(database, account_id, head.days, head)
        head = _Head(head.days + _DAY, head.spans)
        await _move(database, head)
        head = await _roll_spans(database, head, failed)
    failed.raise_first()


def _item(account_id: str, day: date) -> str:
    return f"{account_id} {day}"


@asynccontextmanager
async def _marking_failure(
    database: Database, account_id: str, day: date, failed: FailedItems
) -> AsyncIterator[None]:
    """Marks the account's *day* as late where the block fails."""
    failures = len(failed.ids)
    with failed.catching(_item(account_id, day)):
        yield
    if len(failed.ids) > failures:
        async with database.service() as session:
            await session.execute(_MARK, {"account": account_id, "day": day})


async def _head(database: Database) -> _Head | None:
    """The progress; before the first rollup, the first day with data. None: there is no data."""
    async with database.service() as session:
        found = (await session.execute(_HEAD)).one_or_none()
        if found is not None and found.weeks_before is not None:
            days, months, weeks = found
            return _Head(days, {Span.MONTH: months, Span.WEEK: weeks})
        first_at: datetime | None = await session.scalar(_FIRST)
    if first_at is None:
        return None
    first = first_at.astimezone(UTC).date()
    begin = {span: span.first_of(first) for span in Span}
    if found is None:
        return _Head(first, begin)
    return _Head(found.rolled_before, begin | {Span.MONTH: found.months_before})


async def _move(database: Database, head: _Head) -> None:
    values = {
        "days": head.days,
        "months": head.spans[Span.MONTH],
        "weeks": head.spans[Span.WEEK],
    }
    async with database.service() as session:
        await session.execute(_MOVE, values)


async def _accounts(database: Database, day: date) -> list[str]:
    start = datetime.combine(day, time(), UTC)
    async with database.service() as session:
        found = await session.scalars(_ACCOUNTS, {"start": start, "until": start + _DAY})
        return list(found)


async def _roll(database: Database, account_id: str, day: date, head: _Head) -> None:
    """Rolls up a day, and its week and month if these were rolled up already."""
    async with database.service() as session:
        await session.execute(_TAKE_MARKS, {"account": account_id, "day": day})
        await rewrite_day(session, account_id, day)
        for span, before in head.spans.items():
            if day < before:
                await rewrite_span(session, account_id, span, span.first_of(day))


async def _roll_spans(database: Database, head: _Head, failed: FailedItems) -> _Head:
    """
    Rolls up spans whose days are all rolled up: for every account, one account a transaction. A late day keeps reports
    from reading the span that it is in.
    """
    for span in Span:
        while span.after(head.spans[span]) <= head.days:
            first = head.spans[span]
            async with database.service() as session:
                accounts = list(await session.scalars(_ALL_ACCOUNTS))
            for account_id in accounts:
                async with (
                    _marking_failure(database, account_id, first, failed),
                    database.service() as session,
                ):
                    await rewrite_span(session, account_id, span, first)
            head = _Head(head.days, {**head.spans, span: span.after(first)})
            await _move(database, head)
    return head
