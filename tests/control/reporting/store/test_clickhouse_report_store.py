"""ClickHouse as the report store: what it receives, refuses and returns."""

import asyncio
import random
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.ports.report_store import Received, ReportStoreUnavailable, ReportStoreUrlInvalid
from control.reporting.store.shipping import ROWS_AT_ONCE
from tests.control.reporting.store.conftest import Urls
from tests.support.clickhouse import ClickHouseServer
from tests.support.waiting import until

NO_ID = str(UUID(int=0))
KILLS = 8


def a_row(count: int, *, month: int = 1) -> tuple[Any, ...]:
    hour_s = int(datetime(2026, month, 1, tzinfo=UTC).timestamp())
    return ("a", False, "click", hour_s, *[NO_ID] * 4, "ok", *[""] * 6, count, 0, 0)


async def test_the_largest_shipment_is_one_part_with_its_mark(
    urls: Urls, store: ClickHouseReportStore, clickhouse: ClickHouseServer
) -> None:
    await store.prepare()
    rows = [
        (*a_row(1, month=1 + n % 12)[:9], f"it's \\ {n}", *[""] * 5, 1, 0, 0)
        for n in range(ROWS_AT_ONCE)
    ]
    await store.insert(rows, after=Received(), token=5)

    of_table = f"from system.parts where active and database || '.' || table = '{urls.hours}'"
    assert clickhouse.query(f"select rows {of_table}").split() == [str(ROWS_AT_ONCE + 1)]
    assert await store.received() == (1, 5)
    (found,) = await store.select("select max(country) from {hours}", {})
    assert found == ["it's \\ 9999"]


async def test_a_shipment_arrives_once_however_late_it_is_sent_again(
    store: ClickHouseReportStore,
) -> None:
    await store.prepare()
    for after, token in [
        (Received(), 5),
        (Received(), 5),
        (Received(1, 5), 6),
        (Received(), 5),
        (Received(1, 5), 6),
        (Received(2, 12), 7),
    ]:
        await store.insert([a_row(token)], after=after, token=token)

    assert await store.received() == (2, 11)
    (found,) = await store.select("select sum(count) from {hours} where account_id = 'a'", {})
    assert found == [11]


async def test_the_store_refuses_an_attempt_beside_another(
    urls: Urls, store: ClickHouseReportStore, clickhouse: ClickHouseServer
) -> None:
    """The engine sleeps first, so that both attempts are known to the server and wait."""

    async def is_busy() -> bool:
        return clickhouse.is_busy()

    await store.prepare()
    other = ClickHouseReportStore(urls.clickhouse)
    first = asyncio.create_task(store.select("select sleep(3)", {}))
    await until(is_busy)
    results = await asyncio.gather(
        *(one.insert([a_row(3)], after=Received(), token=4) for one in (store, other)),
        return_exceptions=True,
    )
    await first
    await other.close()

    refused = [result for result in results if isinstance(result, ReportStoreUnavailable)]
    assert len(refused) == 1
    assert "already running" in refused[0].reason
    assert await store.received() == (1, 4)


@pytest.mark.parametrize(
    "url", ["clickhouse://host/reports", "http://host", "http://host/", "http://host/a;drop", "x"]
)
def test_an_address_without_host_or_database_is_refused(url: str) -> None:
    with pytest.raises(ReportStoreUrlInvalid):
        ClickHouseReportStore(url)


async def test_a_wrong_password_is_not_in_the_error(urls: Urls) -> None:
    store = ClickHouseReportStore(urls.clickhouse.replace("a%20secret", "wrong"))
    with pytest.raises(ReportStoreUnavailable) as refused:
        await store.select("select 1", {})
    await store.close()
    assert "Authentication failed" in refused.value.reason
    assert "wrong" not in refused.value.reason + str(refused.value)


async def test_values_of_filters_are_data(urls: Urls) -> None:
    store = ClickHouseReportStore(urls.clickhouse)
    value = "['it\\'s','a\\\\b','{x:String}','1); drop']"
    found = await store.select("select arrayJoin({values:Array(String)})", {"values": value})
    await store.close()
    assert [row[0] for row in found] == ["it's", "a\\b", "{x:String}", "1); drop"]


async def test_a_server_killed_at_random_moments_has_each_row_once(
    store: ClickHouseReportStore, clickhouse: ClickHouseServer
) -> None:
    """Each shipment is sent until the server has it, as `control.reporting.store.shipping` does."""
    draw = random.Random(20261128)
    await store.prepare()
    sent, rows = Received(), 500
    for _ in range(KILLS):
        wanted = Received(sent.shipments + 1, sent.tokens + 7)
        shipment = [a_row(1, month=1 + n % 12) for n in range(rows)]
        killed_after_s: float | None = draw.uniform(0, 0.06)
        while await store.received() != wanted:
            sending = asyncio.create_task(store.insert(shipment, after=sent, token=7))
            if killed_after_s is not None:
                await asyncio.sleep(killed_after_s)
                clickhouse.stop()
                clickhouse.start()
                killed_after_s = None
            with suppress(ReportStoreUnavailable):
                await sending
        sent = wanted

    (found,) = await store.select("select sum(count) from {hours} where account_id = 'a'", {})
    assert found == [KILLS * rows]
