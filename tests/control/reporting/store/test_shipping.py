"""Hours reach the report store exactly once, whatever fails while they are shipped."""

import asyncio
import shutil
import signal
import sys
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from common.values.enums import EventKind
from common.values.environment import Environment
from common.values.errors import Unavailable
from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.api.operator_action import ActionRefused
from control.ports.report_store import ReportStoreUnavailable
from control.reporting.reports.metrics import Metric
from control.reporting.reports.periods import hour_of
from control.reporting.reports.queries import NO_STORE, read_report
from control.reporting.reports.report_query import ReportScope, ReportSpec
from control.reporting.store import shipping
from control.reporting.store.checking import find_differences
from control.reporting.store.opening import open_report_store
from control.reporting.store.shipping import ship
from control.storage.database import TransactionsClashed
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.ingest.world import Edge
from tests.control.reporting.store.conftest import Urls
from tests.control.reporting.store.dying_shipper import STEPS
from tests.support.clickhouse import ClickHouseServer
from tests.support.waiting import until


async def totals(world: Mailbox, store: Any) -> dict[str, Any]:
    hour = hour_of(world.clock.now())
    metrics = (Metric.IMPRESSIONS, Metric.CLICKS, Metric.REQUESTS, Metric.SPEND_CENTS)
    question = ReportSpec(hour - timedelta(days=2), hour + timedelta(hours=1), metrics=metrics)
    async with world.database.tenant(world.account_id, is_steady=True) as session:
        scope = ReportScope(world.account_id, Environment.LIVE)
        return (await read_report(session, scope, question, store=store)).totals


async def opened(urls: Urls, store: ClickHouseReportStore) -> None:
    await open_report_store(urls.postgresql, store, max_behind_s=3600)


async def happen(world: Mailbox, edge: Edge, count: int) -> None:
    """So many impressions in two campaigns, a click and eight decisions."""
    campaign, other = await world.add_campaign(), await world.add_campaign()
    slot = (world.property_id, world.slot_id)
    await world.ingest(
        [
            *[edge.event((campaign, other)[n % 2], price_micros=10_000) for n in range(count)],
            edge.event(campaign, kind=EventKind.CLICK),
            edge.counter([(*slot, None, None, "no_candidates", "br", "mobile", "web", None, 8)]),
        ]
    )


async def test_reports_wait_until_the_hours_of_before_were_sent(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await happen(world, edge, 5)
    before = await totals(world, NO_STORE)
    await opened(urls, store)

    with pytest.raises(ReportStoreUnavailable):
        await totals(world, store)
    await ship(world.database, store)

    assert await totals(world, store) == before
    assert (before["impressions"], before["requests"], before["spend_cents"]) == (5, 8, 5)
    assert await world.rows("select 1 from report_store_queue") == []


async def test_a_shipment_reads_its_own_rows_of_a_long_queue(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await opened(urls, store)
    await happen(world, edge, 4)
    columns = "account_id, is_test, kind, hour, property_id, slot_id, reason, country, device, format, source, surface"
    sums = "attribution, count, charged_micros, value_cents"
    await world.rows(
        f"insert into report_store_queue ({columns}, {sums}) select {columns}, {sums} from report_store_queue, "  # noqa: S608 - ours
        "generate_series(1, 2000) returning 1"
    )
    assert await shipping.begin(world.database, most=3)
    async with world.database.service() as session:
        await session.execute(shipping.BY_INDEX)
        for statement in (shipping.ROWS, shipping.TAKE):
            explained = text(f"explain (analyze, costs off) {statement}")
            plan = "\n".join(await session.scalars(explained, {"sent": 0}))
            assert "Index Cond: (ROW(xid, id) <= ROW(" in plan
            assert "Seq Scan on report_store_queue" not in plan
            assert "Removed by" not in plan.partition("InitPlan")[0]


@pytest.mark.parametrize("step", STEPS)
async def test_a_shipper_killed_at_any_step_sends_each_row_once(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore, step: str
) -> None:
    await opened(urls, store)
    await ship(world.database, store)
    for _ in range(3):
        await happen(world, edge, 4)

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.control.reporting.store.dying_shipper"),
        *(urls.postgresql, urls.clickhouse, step),
    )
    assert await process.wait() == -signal.SIGKILL
    await happen(world, edge, 4)
    await ship(world.database, store, most=3)

    found = await totals(world, store)
    assert (found["impressions"], found["clicks"], found["requests"]) == (16, 4, 32)


async def test_a_store_killed_while_it_receives_has_each_row_once(
    world: Mailbox,
    edge: Edge,
    urls: Urls,
    store: ClickHouseReportStore,
    clickhouse: ClickHouseServer,
) -> None:
    async def is_begun() -> bool:
        return bool(await world.rows("select 1 from report_store where next_token is not null"))

    await opened(urls, store)
    await ship(world.database, store)
    for _ in range(4):
        await happen(world, edge, 4)
        shipping_all = asyncio.create_task(ship(world.database, store, most=2))
        await until(is_begun)
        clickhouse.stop()
        with suppress(ReportStoreUnavailable):
            await shipping_all
        clickhouse.start()
    await ship(world.database, store, most=2)

    found = await totals(world, store)
    assert (found["impressions"], found["clicks"], found["requests"]) == (16, 4, 32)


async def test_a_store_that_lost_a_part_at_its_death_receives_it_again(
    world: Mailbox,
    edge: Edge,
    urls: Urls,
    store: ClickHouseReportStore,
    clickhouse: ClickHouseServer,
) -> None:
    """Whatever else the server noted of the insert: what decides is the part alone."""
    await opened(urls, store)
    for _ in range(3):
        await happen(world, edge, 4)
        shipment = await shipping.begin(world.database)
        assert shipment is not None
        await shipping.send(store, shipment)
        clickhouse.query(f"system stop merges {urls.hours}")
        newest = f"from system.parts where active and database || '.' || table = '{urls.hours}'"
        path = clickhouse.query(f"select argMax(path, max_block_number) {newest}")
        clickhouse.stop()
        shutil.rmtree(path.strip())
        clickhouse.start()
        await ship(world.database, store)

    found = await totals(world, store)
    assert (found["impressions"], found["clicks"], found["requests"]) == (12, 3, 24)


async def test_two_shippers_at_once_send_each_row_once(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await opened(urls, store)
    await happen(world, edge, 6)
    shipment = await shipping.begin(world.database)
    again = await shipping.begin(world.database)
    assert shipment == again
    assert shipment is not None

    await shipping.send(store, shipment)
    await shipping.count(world.database, shipment)
    await happen(world, edge, 2)
    await ship(world.database, store)
    with pytest.raises(ReportStoreUnavailable):
        await shipping.send(store, shipment)
    await shipping.count(world.database, shipment)

    assert (await totals(world, store))["impressions"] == 8


async def test_rows_of_a_transaction_that_is_not_over_are_not_passed(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await opened(urls, store)
    await ship(world.database, store)
    async with world.database.service() as older:
        await older.execute(text("select pg_current_xact_id()"))
        await happen(world, edge, 3)
        await ship(world.database, store)
        assert (await totals(world, store))["impressions"] == 0
    await ship(world.database, store)

    assert (await totals(world, store))["impressions"] == 3


async def test_ingest_goes_on_while_hours_are_shipped(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await happen(world, edge, 3)
    await asyncio.gather(opened(urls, store), happen(world, edge, 3))

    async def ingest() -> None:
        for _ in range(6):
            await happen(world, edge, 3)

    working = asyncio.create_task(ingest())
    while not working.done():
        await ship(world.database, store, most=4)
    await working
    await ship(world.database, store)

    found = await totals(world, store)
    assert (found["impressions"], found["clicks"], found["requests"]) == (24, 8, 64)
    await world.check()


async def test_an_unavailable_store_stops_ingest_only_after_the_limit(
    world: Mailbox,
    edge: Edge,
    urls: Urls,
    store: ClickHouseReportStore,
    clickhouse: ClickHouseServer,
) -> None:
    await opened(urls, store)
    await ship(world.database, store)
    clickhouse.stop()
    try:
        await happen(world, edge, 2)
        with pytest.raises(ReportStoreUnavailable):
            await ship(world.database, store)
        with pytest.raises(ReportStoreUnavailable):
            await totals(world, store)
        await world.rows(
            "update report_store set sent_at = sent_at - interval '2 hours' returning 1"
        )
        with pytest.raises(Unavailable):
            await happen(world, edge, 3)
        assert len(await world.events()) == 3
    finally:
        clickhouse.start()
    await ship(world.database, store)
    await happen(world, edge, 3)
    await ship(world.database, store)

    assert (await totals(world, store))["impressions"] == 5


@pytest.mark.parametrize("sent", ["sent - 1", "sent + 1"])
async def test_nothing_is_sent_where_either_side_was_restored_from_a_backup(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore, sent: str
) -> None:
    await opened(urls, store)
    for _ in range(2):
        await happen(world, edge, 1)
        await ship(world.database, store)
    await world.rows(f"update report_store set sent = {sent} returning 1")  # noqa: S608 - ours
    await happen(world, edge, 1)

    with pytest.raises(ReportStoreUnavailable) as refused:
        await ship(world.database, store)
    assert "restored from an older backup" in refused.value.reason
    assert await world.rows("select 1 from report_store_queue")


async def test_a_retraction_subtracts_from_the_store(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await happen(world, edge, 3)
    await opened(urls, store)
    event = next(row for row in await world.events() if row.kind == "impression")
    await world.retract(event.id)
    await ship(world.database, store)

    found = await totals(world, store)
    assert (found["impressions"], found["spend_cents"]) == (2, 2)
    assert (await world.check())["counted"] == 3


async def test_opening_goes_on_after_a_deadlock_with_ingest(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    """PostgreSQL undoes the transaction that waits for longer: the opening, except on a very busy machine."""

    async def is_waiting() -> bool:
        waiting = (
            "select 1 from pg_locks where not granted and relation = to_regclass('serve_hourly')"
        )
        return bool(await world.rows(waiting))

    await happen(world, edge, 2)
    with suppress(TransactionsClashed):
        async with world.database.service() as ingest:
            await ingest.execute(text("lock table serve_hourly in row exclusive mode"))
            opening = asyncio.create_task(opened(urls, store))
            await until(is_waiting)
            await ingest.execute(text("lock table event_hourly in row exclusive mode"))
    await opening
    await ship(world.database, store)

    assert (await totals(world, store))["impressions"] == 2


async def test_hours_that_differ_are_found(
    world: Mailbox,
    edge: Edge,
    urls: Urls,
    store: ClickHouseReportStore,
    clickhouse: ClickHouseServer,
) -> None:
    await happen(world, edge, 3)
    now = world.clock.now()
    assert await find_differences(world.database, store, now) == []
    await opened(urls, store)
    await ship(world.database, store)
    await happen(world, edge, 3)
    event = next(row for row in await world.events() if row.kind == "impression")
    await world.retract(event.id)
    assert await find_differences(world.database, store, now) == []
    await ship(world.database, store)
    assert await find_differences(world.database, store, now) == []

    row = "(account_id, kind, hour, count) values ('a', 'click', now(), 1)"
    clickhouse.query(f"insert into {urls.hours} {row}")

    days = await find_differences(world.database, store, now)
    assert days == [hour_of(now).date()]


async def test_reports_are_unavailable_without_the_stores_address(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await opened(urls, store)
    await happen(world, edge, 1)
    await ship(world.database, store)
    with pytest.raises(ReportStoreUnavailable):
        await totals(world, NO_STORE)


async def test_a_store_is_opened_once_and_empty(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> None:
    await opened(urls, store)
    with pytest.raises(ActionRefused):
        await opened(urls, store)
    await happen(world, edge, 1)
    await ship(world.database, store)
    with pytest.raises(ActionRefused):
        await opened(urls, store)
