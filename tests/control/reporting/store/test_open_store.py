"""The installation with an open report store: its API, its command, its doctor, and pages that read coarse hours."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson
import pytest
from sqlalchemy import text

from common.values.enums import EventKind, Reason
from control.api.operator_action import ActionRefused
from control.foundation.settings import ControlSettings
from control.identity.account_settings.account_export import check_account_export, stream_account
from control.operations.admin_cli.reports import open_store, repair_store
from control.operations.doctor.examination import stops_start
from control.operations.doctor.finding import Finding, Level
from control.operations.doctor.report_store import check_report_store
from control.ports.report_store import ReportStoreUnavailable
from control.reporting.reports.queries import NO_STORE
from control.reporting.reports.rollup_job import roll_up_reports
from control.reporting.store.shipping import ship_report_hours
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.reports.books import REPORT, lately
from tests.control.reporting.store.conftest import Urls
from tests.support.clickhouse import ClickHouseServer
from tests.support.control_api import ControlApi, Person, running_control

STATUS = "/v1/integration/status"


@pytest.fixture
async def api(urls: Urls, servers_folder: Path) -> AsyncIterator[ControlApi]:
    """With the address of a store that is not open."""
    async with running_control(
        urls.postgresql, servers_folder, report_store_url=urls.clickhouse
    ) as running:
        yield running


@pytest.fixture
async def person(api: ControlApi) -> Person:
    person = await api.sign_up()
    async with api.control.database.service() as session:
        await session.execute(text("update accounts set is_operator = true"))
    return person


@pytest.fixture
async def site(api: ControlApi, person: Person) -> World:
    """A property of *person*, whose events are of now."""
    world = World(api.control.database, account_id=person.account_id, property_id=str(uuid4()))
    world.clock.advance(ms=api.control.clock.now_ms() - world.clock.now_ms())
    await world.add_property(world.property_id)
    return world


async def happen(world: World, edge: Edge, campaign: str) -> None:
    ad, slot = uuid4(), (world.property_id, world.slot_id)
    await world.ingest(
        [
            *[edge.event(campaign, country=each, device="tv") for each in ("br", "de", "de", None)],
            edge.event(campaign, kind=EventKind.CLICK, ad_id=ad, country="br"),
            edge.event(campaign, reason=Reason.BOT_USER_AGENT),
            edge.counter([(*slot, campaign, str(ad), "fill", "br", "tv", "web", "banner", 6)]),
            edge.counter([(*slot, None, None, "no_candidates", None, None, "web", None, 3)]),
        ]
    )


async def figures(reader: Reader, world: World) -> dict[str, Any]:
    """Of several operations; without the time of the newest record, which reports of the store may state later."""
    asked = lately(world) | {"metrics": "impressions,clicks,requests,fill_rate,spend_cents"}
    rows = await reader.get(REPORT, **asked, group_by="country,ad", sort="-fill_rate", limit="2")
    hours = await reader.get("/v1/reports/hours", **asked, tz="America/Sao_Paulo")
    return {"rows": rows["data"], "totals": rows["totals"], "hours": hours["data"]}


async def findings(urls: Urls, folder: Path, **changes: Any) -> list[Finding]:
    values: dict[str, Any] = {
        "database_url": urls.postgresql,
        "redis_url": "redis://127.0.0.1:1/0",
        "key_file": folder / "none",
        "control_url": "https://control.example",
        "edge_live_url": "https://edge.example",
        "edge_test_url": "https://test.example",
        "report_store_url": urls.clickhouse,
    }
    return await check_report_store(ControlSettings(**(values | changes)))


async def test_the_api_gives_the_same_figures_before_and_after(
    api: ControlApi, person: Person, site: World
) -> None:
    reader, edge, campaign = Reader(api, person.headers), Edge(site), await site.add_campaign()
    await happen(site, edge, campaign)
    before = await figures(reader, site)
    progress = await reader.get(f"/v1/campaigns/{campaign}/delivery")

    opened = await open_store(api.control, max_behind_hours=1)
    await ship_report_hours(api.control)

    assert opened["queued_hours"] == 8
    assert await figures(reader, site) == before
    assert (await reader.get(f"/v1/campaigns/{campaign}/delivery"))["today"] == progress["today"]
    await happen(site, edge, campaign)
    await ship_report_hours(api.control)
    assert (await figures(reader, site))["totals"] == {
        "impressions": 8,
        "clicks": 2,
        "requests": 18,
        "fill_rate": before["totals"]["fill_rate"],
        "spend_cents": 2 * before["totals"]["spend_cents"],
    }
    ((hours, slots),) = await site.rows(
        "select count(*), count(distinct slot_id) from event_hourly"
    )
    assert (hours, slots) == (3, 1)
    await roll_up_reports(api.control)
    assert await site.rows("select 1 from report_sums") == []


async def test_reports_get_a_503_while_the_store_is_unavailable(
    api: ControlApi, person: Person, site: World, clickhouse: ClickHouseServer
) -> None:
    reader = Reader(api, person.headers)
    await open_store(api.control, max_behind_hours=1)
    await ship_report_hours(api.control)
    assert (await reader.get(REPORT, **lately(site)))["totals"]["impressions"] == 0
    clickhouse.stop()
    try:
        found = await api.http.get(REPORT, params=lately(site), headers=person.headers)
    finally:
        clickhouse.start()
    assert (found.status_code, found.headers["Retry-After"]) == (503, "5")
    assert (await reader.get(REPORT, **lately(site)))["totals"]["impressions"] == 0


async def test_the_accounts_own_export_has_its_full_hours(
    api: ControlApi, person: Person, site: World
) -> None:
    async def exported(store: Any) -> list[dict[str, Any]]:
        async with api.control.database.snapshot(person.account_id) as session:
            await check_account_export(session, store)
            content = b"".join([lines async for lines in stream_account(session, store)])
        rows = [orjson.loads(line) for line in content.splitlines()]
        found = [row["row"] for row in rows if row["type"] == "event_hourly"]
        for row in found:
            row.pop("last_at", None)
        return sorted(found, key=lambda row: orjson.dumps(row, option=orjson.OPT_SORT_KEYS))

    await happen(site, Edge(site), await site.add_campaign())
    before = await exported(NO_STORE)
    await open_store(api.control, max_behind_hours=1)
    with pytest.raises(ReportStoreUnavailable):
        await exported(api.control.report_store)
    await ship_report_hours(api.control)

    assert await exported(api.control.report_store) == before
    assert len(before) == 6
    with pytest.raises(ReportStoreUnavailable):
        await exported(NO_STORE)


async def test_the_commands_write_an_audit_record(api: ControlApi, site: World) -> None:
    control = replace(api.control, report_store=NO_STORE)
    with pytest.raises(ActionRefused, match="PLACARD_REPORT_STORE_URL is not set"):
        await open_store(control, max_behind_hours=2)
    await open_store(api.control, max_behind_hours=2)
    with pytest.raises(ActionRefused, match="open already"):
        await open_store(api.control, max_behind_hours=2)
    with pytest.raises(ActionRefused, match="PLACARD_REPORT_STORE_URL is not set"):
        await repair_store(control)
    assert await repair_store(api.control) == {"queued_hours": 0}
    assert await site.rows("select action, detail from audit_log order by id desc limit 2") == [
        ("reports.repair_store", {}),
        ("reports.open_store", {"max_behind_hours": 2}),
    ]
    assert await site.rows("select max_behind_s from report_store") == [(7200,)]


async def test_the_doctor_follows_the_store(
    api: ControlApi, site: World, urls: Urls, tmp_path: Path
) -> None:
    async def level(**changes: Any) -> list[Level]:
        return [found.level for found in await findings(urls, tmp_path, **changes)]

    assert await level(report_store_url="") == []
    await api.control.report_store.prepare()
    assert await level() == [Level.NOTE]
    await open_store(api.control, max_behind_hours=1)
    await ship_report_hours(api.control)
    assert await level() == [Level.OK]
    assert await level(report_store_url="") == [Level.ERROR]
    assert await level(report_store_url="http://127.0.0.1:1/reports") == [Level.ERROR]
    await site.rows("update report_store set sent_at = now() - interval '5 minutes' returning 1")
    assert await level() == [Level.WARNING]
    await site.rows("update report_store set sent = 7 returning 1")
    (found,) = await findings(urls, tmp_path)
    assert (found.level, "restored from an older backup" in found.text) == (Level.ERROR, True)
    assert not stops_start(found)
