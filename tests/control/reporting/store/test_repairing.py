"""`repair-store` makes ClickHouse agree with PostgreSQL, whichever of them was restored from a backup."""

from datetime import timedelta
from typing import Any

import pytest

from common.values.environment import Environment
from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.api.operator_action import ActionRefused
from control.ports.report_store import ReportStoreUnavailable
from control.reporting.reports.metrics import Metric
from control.reporting.reports.periods import hour_of
from control.reporting.reports.queries import read_report
from control.reporting.reports.report_query import ReportScope, ReportSpec
from control.reporting.reports.vocabulary import Dimension
from control.reporting.store import shipping
from control.reporting.store.checking import find_differences
from control.reporting.store.opening import open_report_store
from control.reporting.store.repairing import repair_report_store
from control.reporting.store.shipping import ship
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.ingest.world import Edge
from tests.control.reporting.store.conftest import Urls
from tests.support.clickhouse import ClickHouseServer

_PARTS = "from system.parts where active and database || '.' || table = '{}'"
_METRICS = (Metric.IMPRESSIONS, Metric.CLICKS, Metric.REQUESTS, Metric.SPEND_CENTS)


async def figures(world: Mailbox, store: ClickHouseReportStore, *split: Dimension) -> Any:
    """Rows and totals."""
    hour = hour_of(world.clock.now())
    until = hour + timedelta(hours=1)
    question = ReportSpec(hour - timedelta(days=2), until, metrics=_METRICS, group_by=split)
    async with world.database.tenant(world.account_id, is_steady=True) as session:
        scope = ReportScope(world.account_id, Environment.LIVE)
        report = await read_report(session, scope, question, store=store)
    return report.columns, report.totals


async def happen(world: Mailbox, edge: Edge) -> None:
    """Four impressions, one of them retracted, and eight decisions."""
    campaign, slot = await world.add_campaign(), (world.property_id, world.slot_id)
    await world.ingest(
        [
            *[edge.event(campaign, price_micros=10_000, country="br") for _ in range(4)],
            edge.counter([(*slot, None, None, "no_candidates", "br", "mobile", "web", None, 8)]),
        ]
    )
    await world.retract(next(row for row in await world.events() if row.valid).id)


@pytest.fixture
async def opened(
    world: Mailbox, edge: Edge, urls: Urls, store: ClickHouseReportStore
) -> ClickHouseReportStore:
    """It has what happened three times."""
    await happen(world, edge)
    await open_report_store(urls.postgresql, store, max_behind_s=3600)
    for _ in range(2):
        await happen(world, edge)
        await ship(world.database, store)
    return store


async def repair(world: Mailbox, urls: Urls, store: ClickHouseReportStore) -> int:
    """Returns how many hours were sent. Reports wait for them."""
    queued = await repair_report_store(urls.postgresql, store)
    with pytest.raises(ReportStoreUnavailable):
        await figures(world, store)
    await ship(world.database, store)
    assert await find_differences(world.database, store, world.clock.now()) == []
    return queued


async def test_an_empty_clickhouse_receives_all_hours_again(
    world: Mailbox,
    edge: Edge,
    urls: Urls,
    opened: ClickHouseReportStore,
    clickhouse: ClickHouseServer,
) -> None:
    splits = ((), (Dimension.CAMPAIGN,), (Dimension.PROPERTY, Dimension.CAMPAIGN))
    before = [await figures(world, opened, *split) for split in splits]
    of_decisions = await figures(world, opened, Dimension.DEVICE)
    clickhouse.query(f"drop table {urls.hours}")

    await repair(world, urls, opened)

    assert [await figures(world, opened, *split) for split in splits] == before
    rows, totals = await figures(world, opened, Dimension.DEVICE)
    assert totals == of_decisions[1]
    assert dict(zip(rows["device"], rows["requests"], strict=True))["mobile"] == 24
    await happen(world, edge)
    await ship(world.database, opened)
    assert (await figures(world, opened))[1]["requests"] == 32


async def test_a_clickhouse_restored_from_a_backup_receives_what_it_lacks(
    world: Mailbox, urls: Urls, opened: ClickHouseReportStore, clickhouse: ClickHouseServer
) -> None:
    before = await figures(world, opened, Dimension.CAMPAIGN)
    newest = f"select argMax(name, max_block_number) {_PARTS.format(urls.hours)}"
    clickhouse.query(f"alter table {urls.hours} drop part '{clickhouse.query(newest).strip()}'")
    with pytest.raises(ReportStoreUnavailable):
        await figures(world, opened, Dimension.CAMPAIGN)

    await repair(world, urls, opened)

    assert await figures(world, opened, Dimension.CAMPAIGN) == before


async def test_a_postgresql_restored_from_a_backup_counts_nothing_twice(
    world: Mailbox, edge: Edge, urls: Urls, opened: ClickHouseReportStore
) -> None:
    """The backup is from before a shipment, which ClickHouse has."""
    await happen(world, edge)
    shipment = await shipping.begin(world.database)
    assert shipment is not None
    await shipping.send(opened, shipment)
    before = await figures(world, opened, Dimension.COUNTRY)
    await world.rows(
        "update report_store set next_xid = null, next_id = null, next_token = null returning 1"
    )
    with pytest.raises(ReportStoreUnavailable):
        await ship(world.database, opened)

    assert await repair(world, urls, opened) == 0

    assert await figures(world, opened, Dimension.COUNTRY) == before


async def test_hours_that_wait_are_sent_once(
    world: Mailbox, edge: Edge, urls: Urls, opened: ClickHouseReportStore
) -> None:
    await happen(world, edge)

    await repair(world, urls, opened)

    assert (await figures(world, opened))[1]["requests"] == 32


async def test_a_store_that_is_not_open_is_not_repaired(
    urls: Urls, store: ClickHouseReportStore
) -> None:
    with pytest.raises(ActionRefused, match="not open"):
        await repair_report_store(urls.postgresql, store)
