"""Rows, totals, events feed and ledger say the same, however a report is split and wherever it is read from."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import FixedClock, to_ms
from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.reporting.reports import rollup_job
from control.reporting.reports.metrics import OF_DECISIONS, Metric, Sum
from control.reporting.reports.periods import periods_of
from control.reporting.reports.report_query import ReportSpec
from control.reporting.reports.rollup_job import roll_due
from control.reporting.reports.vocabulary import NOT_OF_DECISIONS, Dimension, Granularity
from control.reporting.store.opening import open_report_store
from control.storage.database import Database
from tests.control.events.ingest.world import World
from tests.control.reporting.reports.books import Books, day, expected, shown
from tests.support.clickhouse import ClickHouseServer
from tests.support.control_api import DatabaseTemplate

NOW = day(10) + timedelta(hours=9, minutes=30)
SPLITS: list[tuple[Dimension, ...]] = [
    (),
    *[(each,) for each in Dimension],
    *combinations(Dimension, 2),
    (Dimension.AD, Dimension.SLOT, Dimension.COUNTRY, Dimension.REASON),
]
METRICS = tuple(metric for metric in Metric if "through" not in metric and "earn" not in metric)
"""Attribution and shares have tests of their own."""
OF_EVENTS = tuple(metric for metric in METRICS if not OF_DECISIONS & {*metric.sums})


@pytest.fixture
def url(migrated: DatabaseTemplate) -> str:
    """A database of its own: how far days are rolled up is one for all accounts."""
    return migrated.new_database()


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    found = Database(url, pool_size=5)
    yield found
    await found.close()


@pytest.fixture
async def books(database: Database) -> Books:
    """Four days of traffic, the last of them today, all of it stored now and nothing rolled up."""
    books = await Books.open(World(database, FixedClock(to_ms(NOW))), seed=20260310)
    await books.happen(300, since=day(7), until=NOW)
    return books


@pytest.fixture(params=["postgresql", pytest.param("clickhouse", marks=pytest.mark.report_store)])
async def either(books: Books, url: str, request: pytest.FixtureRequest) -> AsyncIterator[Books]:
    """The same traffic in either store; in ClickHouse, a part of it from before the opening."""
    if request.param == "clickhouse":
        server: ClickHouseServer = request.getfixturevalue("clickhouse")
        books.store = ClickHouseReportStore(server.new_database())
        await open_report_store(url, books.store, max_behind_s=3600)
    await books.happen(100, since=day(7), until=NOW)
    yield books
    await books.store.close()


async def check(books: Books, question: ReportSpec) -> None:
    """Rows as counted one by one; totals as the same without a split."""
    of_decisions = not NOT_OF_DECISIONS & {*question.group_by, *question.filters}
    metrics = METRICS if of_decisions else OF_EVENTS
    requested = replace(question, metrics=metrics)
    counted = await books.counted()
    periods = periods_of(question.from_at, question.to_at, question.granularity, question.timezone)

    report = await books.report(requested)

    assert shown(report, requested, periods) == expected(counted, requested, periods, metrics)
    whole = replace(requested, group_by=(), granularity=Granularity.TOTAL)
    (totals,) = expected(counted, whole, [question.from_at], metrics).values()
    assert report.totals == totals


def over(start: datetime, end: datetime, *group_by: Dimension) -> ReportSpec:
    return ReportSpec(start, end, group_by=group_by)


async def test_hours_alone_give_every_split(either: Books) -> None:
    for split in SPLITS:
        await check(either, over(day(7), day(11), *split))


async def test_rolled_days_give_every_split(books: Books) -> None:
    await roll_due(books.world.database, NOW)
    for split in SPLITS:
        await check(books, over(day(7) + timedelta(hours=5), day(11), *split))


async def test_rolled_days_are_read_without_their_hours(books: Books) -> None:
    await roll_due(books.world.database, NOW)
    question = over(day(7), day(10), Dimension.CAMPAIGN, Dimension.COUNTRY)
    before = await books.report(question)
    async with books.world.database.service() as session:
        await session.execute(text("delete from event_hourly"))

    assert before.rows
    assert (await books.report(question)).rows == before.rows


async def test_late_events_count_at_once_and_after_the_next_rollup(books: Books) -> None:
    await roll_due(books.world.database, NOW)
    await books.happen(60, since=day(8), until=day(9))
    for _ in range(2):
        for split in ((), (Dimension.AD, Dimension.SLOT), (Dimension.SOURCE, Dimension.REASON)):
            await check(books, over(day(7), day(11), *split))
        await roll_due(books.world.database, NOW)
    assert not await books.world.rows("select 1 from report_late_days")


async def test_months_are_rolled_up_and_rolled_up_again(books: Books) -> None:
    february = datetime(2026, 2, 1, tzinfo=UTC)
    await books.happen(200, since=february - timedelta(days=2), until=day(7))
    splits = ((), (Dimension.CAMPAIGN, Dimension.COUNTRY), (Dimension.SLOT,))
    for count in (1, 30, 1):
        await roll_due(books.world.database, NOW)
        await books.happen(count, since=february, until=february + timedelta(days=1))
        for split in splits:
            await check(books, over(february - timedelta(days=2), day(11), *split))
    await roll_due(books.world.database, NOW)
    async with books.world.database.service() as session:
        await session.execute(
            text("delete from report_sums where rollup not like '%/month' and at < '2026-03-01'")
        )
        await session.execute(text("delete from event_hourly"))
    found = await books.report(over(february, day(1), Dimension.CAMPAIGN))
    counted = [one for one in await books.counted() if february <= one.at < day(1)]
    assert found.totals["clicks"] == sum(one.sums.get(Sum.CLICKS, 0) for one in counted) > 0


async def test_weeks_are_rolled_up_and_rolled_up_again(books: Books) -> None:
    monday, next_monday = day(2), day(9)
    await books.happen(200, since=monday, until=day(7))
    splits = ((), (Dimension.CAMPAIGN,), (Dimension.PROPERTY, Dimension.REASON))
    for count in (1, 30, 1):
        await roll_due(books.world.database, NOW)
        await books.happen(count, since=monday, until=day(5))
        for split in splits:
            await check(books, over(day(1), day(11), *split))
            await check(books, replace(over(day(1), day(11), *split), granularity=Granularity.WEEK))
    await roll_due(books.world.database, NOW)
    async with books.world.database.service() as session:
        await session.execute(text("delete from report_sums where rollup not like '%/week'"))
        await session.execute(text("delete from event_hourly"))
    found = await books.report(over(monday, next_monday, Dimension.CAMPAIGN))
    counted = [one for one in await books.counted() if monday <= one.at < next_monday]
    assert found.totals["clicks"] == sum(one.sums.get(Sum.CLICKS, 0) for one in counted) > 0


async def test_weeks_without_a_rollup_are_rolled_up_from_their_days(books: Books) -> None:
    await books.happen(50, since=day(2), until=day(7))
    await roll_due(books.world.database, NOW)
    async with books.world.database.service() as session:
        await session.execute(text("update report_head set weeks_before = null"))
        await session.execute(text("delete from report_sums where rollup like '%/week'"))
    await check(books, over(day(2), day(11), Dimension.CAMPAIGN))

    await roll_due(books.world.database, NOW)

    ((before,),) = await books.world.rows("select weeks_before from report_head")
    assert before == day(9).date()
    await check(books, over(day(2), day(11), Dimension.CAMPAIGN))


async def test_early_events_of_the_next_day_need_no_mark(books: Books) -> None:
    soon = day(11) + timedelta(hours=1)
    books.world.clock.advance(ms=to_ms(soon) - to_ms(NOW))
    await books.happen(30, since=day(10), until=soon)
    assert not await books.world.rows("select 1 from report_late_days where day = '2026-03-10'")
    await roll_due(books.world.database, soon)
    ((before,),) = await books.world.rows("select rolled_before from report_head")
    assert before == day(10).date()
    await check(books, over(day(7), day(12), Dimension.CAMPAIGN))


async def test_rolling_again_changes_nothing(books: Books) -> None:
    for _ in range(2):
        await roll_due(books.world.database, NOW)
        async with books.world.database.service() as session:
            await session.execute(text("delete from report_head"))
    await roll_due(books.world.database, NOW)
    await check(books, over(day(7), day(10), Dimension.AD, Dimension.COUNTRY))


async def test_an_account_that_cannot_be_rolled_up_holds_up_no_other(
    books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    february = datetime(2026, 2, 1, tzinfo=UTC)
    await books.happen(60, since=february, until=day(7))
    others = await Books.open(World(books.world.database, FixedClock(to_ms(NOW))), seed=1)
    await others.happen(60, since=february, until=NOW)
    faulty = books.world.account_id

    def fail_for_one(rewrite: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def failing(session: AsyncSession, account_id: str, *rest: Any) -> None:
            await rewrite(session, account_id, *rest)
            if account_id == faulty:
                raise KeyError("a fault")

        return failing

    for name in ("rewrite_day", "rewrite_span"):
        monkeypatch.setattr(rollup_job, name, fail_for_one(getattr(rollup_job, name)))
    for _ in range(2):
        with pytest.raises(KeyError):
            await roll_due(books.world.database, NOW)
        for each in (books, others):
            for split in ((), (Dimension.CAMPAIGN,)):
                await check(each, over(february, day(11), *split))
    rolled = "select distinct account_id from report_sums"
    late = "select distinct account_id from report_late_days"
    assert [row[0] for row in await books.world.rows(rolled)] == [others.world.account_id]
    assert [row[0] for row in await books.world.rows(late)] == [faulty]
    monkeypatch.undo()
    await roll_due(books.world.database, NOW)
    assert len(await books.world.rows(rolled)) == 2
    assert not await books.world.rows(late)
    await check(books, over(february, day(11), Dimension.CAMPAIGN))


async def test_filters_narrow_rolled_days_and_hours_alike(either: Books) -> None:
    await roll_due(either.world.database, NOW)
    books = either
    cases: list[dict[Dimension, list[str]]] = [
        {Dimension.CAMPAIGN: [books.campaigns[0]]},
        {Dimension.PROPERTY: [books.properties[1]]},
        {Dimension.COUNTRY: ["br", "de"], Dimension.DEVICE: ["mobile"]},
        {Dimension.REASON: ["ok", "ok_late"]},
        {Dimension.SLOT: books.slots[:2], Dimension.FORMAT: ["banner"]},
    ]
    for filters in cases:
        await check(books, replace(over(day(7), day(11), Dimension.AD), filters=filters))


async def test_spend_is_the_ledgers(either: Books) -> None:
    await roll_due(either.world.database, NOW)
    books = either
    report = await books.report(
        replace(over(day(7), day(11), Dimension.CAMPAIGN), metrics=(Metric.SPEND_CENTS,))
    )
    spent = [await books.world.spent_micros(each) or 0 for each in books.campaigns]

    assert report.totals == {"spend_cents": sum(spent) // 10_000}
    assert {row["campaign_id"]: row["spend_cents"] for row in report.rows} == dict(
        zip(books.campaigns, [each // 10_000 for each in spent], strict=True)
    )
    assert spent[1] == 30_000  # used up


@pytest.mark.parametrize("granularity", list(Granularity))
@pytest.mark.parametrize(
    "timezone", ["UTC", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati"]
)
async def test_periods_of_every_zone_add_up(
    either: Books, granularity: Granularity, timezone: str
) -> None:
    books = either
    await roll_due(books.world.database, NOW)
    for split in ((), (Dimension.CAMPAIGN,), (Dimension.COUNTRY, Dimension.DEVICE)):
        question = replace(
            over(day(7), day(11), *split), granularity=granularity, timezone=timezone
        )
        await check(books, question)
