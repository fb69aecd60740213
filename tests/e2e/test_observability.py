"""A real Prometheus scrapes the running stack: every panel of the dashboards has data, and no alert fires."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest_asyncio

from common.values.clock import SystemClock
from deploy.drills.ground import run_control
from deploy.observability.dashboards import DASHBOARDS
from deploy.observability.pictures import find_empty, read_dashboard
from deploy.standalone.background import Background
from deploy.standalone.programs import PROMETHEUS_TARGETS
from tests.e2e.customer import Customer, eventually
from tests.support.http_client import http_client
from tests.support.prometheus import (
    check_metrics,
    firing_alerts,
    install_prometheus,
    prometheus,
    result,
)

_LOOK_BACK_S = 10
"""As long as an hour of the rules is here."""


@pytest_asyncio.fixture
async def publisher(streams_stack: Background) -> AsyncIterator[Customer]:
    """On this one stack, unlike the fixture that other tests share."""
    async with http_client() as http:
        publisher = await Customer.sign_up(streams_stack.demo, http)
        await publisher.set_up()
        assert streams_stack.admin("verify-address", "--email", publisher.email) == 0
        assert streams_stack.admin("verify-property", "--property", publisher.property_id) == 0
        yield publisher


async def test_every_panel_has_data_and_no_alert_fires_on_a_sound_stack(
    streams_stack: Background, publisher: Customer, tmp_path: Path
) -> None:
    targets = streams_stack.state / PROMETHEUS_TARGETS
    campaign_id = await publisher.run_campaign("live", bid_cents=250)
    changing = await publisher.run_campaign("test", bid_cents=250)

    async def busy() -> None:
        while True:
            ad = await publisher.serve_until_filled("live", campaign_id)
            await publisher.track("live", ad["track_token"])
            for act in ("pause", "resume"):
                await publisher.call("POST", f"/v1/campaigns/{changing}/{act}")
            await asyncio.sleep(0.1)

    async with prometheus(tmp_path, targets) as http:
        traffic = asyncio.create_task(busy())
        try:
            empty = [
                (dashboard.title, panel.title, query)
                for dashboard in DASHBOARDS.values()
                for panels in dashboard.rows.values()
                for panel in panels
                for query in panel.queries.values()
                if not await _has_data(http, query)
            ]
            firing = await firing_alerts(http)
            ended_s = SystemClock().now_ms() / 1000
            drawn = {
                dashboard.title: await asyncio.to_thread(
                    read_dashboard, str(http.base_url), dashboard, ended_s - _LOOK_BACK_S, ended_s
                )
                for dashboard in DASHBOARDS.values()
            }
        finally:
            traffic.cancel()
            await asyncio.gather(traffic, return_exceptions=True)
    assert empty == [], "\n".join(map(str, empty))
    assert firing == set()
    assert {title: find_empty(results) for title, results in drawn.items()} == {
        dashboard.title: [] for dashboard in DASHBOARDS.values()
    }


async def test_promtool_finds_nothing_in_the_metrics_of_any_process(
    streams_stack: Background, publisher: Customer
) -> None:
    install_prometheus()
    ad = await publisher.serve_until_filled("live", await publisher.run_campaign("live"))
    await publisher.track("live", ad["track_token"])
    scraped = {}
    async with http_client() as http:
        for target in json.loads((streams_stack.state / PROMETHEUS_TARGETS).read_bytes()):
            (address,) = target["targets"]
            answer = await http.get(f"http://{address}/metrics")
            scraped[target["labels"]["job"], address] = answer.text

    assert {"api", "edge", "ingest", "pace", "publish", "work"} <= {job for job, _ in scraped}
    assert {key: found for key, text in scraped.items() if (found := check_metrics(text))} == {}
    assert [
        key for key, text in scraped.items() if re.search(r"^\w+_created\b", text, re.MULTILINE)
    ] == []


def test_no_process_of_a_stack_has_a_variable_that_it_does_not_know(
    streams_stack: Background,
) -> None:
    log = streams_stack.log.read_text(encoding="utf-8")
    assert all(name in log for name in ("edge-live", "edge-test", "api", "ingest", "work"))
    assert [line for line in log.splitlines() if "setting_unknown" in line] == []
    done = run_control({**os.environ, **streams_stack.environment}, "doctor", "--json")  # noqa: TID251 - the child's own
    (finding,) = [
        one for one in json.loads(done.stdout)["findings"] if one["check"] == "settings.unknown"
    ]
    assert finding["level"] == "ok", finding


async def _has_data(http: httpx.AsyncClient, query: str) -> bool:
    async def ask() -> bool | None:
        return bool(await result(http, query)) or None

    try:
        return await eventually(ask)
    except AssertionError:
        return False
