"""A real Prometheus scrapes the running stack: every panel of the dashboards has data, and no alert fires."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest_asyncio

from deploy.debian import install_missing
from deploy.observability.dashboards import DASHBOARDS
from deploy.observability.render import render_rules
from deploy.standalone.background import Background
from deploy.standalone.programs import PROMETHEUS_TARGETS
from deploy.standalone.sockets import find_free_ports
from tests.e2e.customer import Customer, eventually
from tests.support.one_at_a_time import one_at_a_time


@asynccontextmanager
async def prometheus(folder: Path, targets: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Scrapes every second, with the rules' windows shortened to seconds."""
    if shutil.which("prometheus") is None:
        with one_at_a_time("apt"):
            install_missing(["prometheus"], print, otherwise="Prometheus is missing: install it.")
    (folder / "rules.json").write_bytes(orjson.dumps(render_rules(1 / 360)))
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.json"],
        "scrape_configs": [{"job_name": "placard", "file_sd_configs": [{"files": [str(targets)]}]}],
    }
    (folder / "prometheus.json").write_bytes(orjson.dumps(config))
    (port,) = find_free_ports(1)
    with (folder / "prometheus.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            "prometheus",
            f"--config.file={folder / 'prometheus.json'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            stdout=log,
            stderr=log,
        )
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=20) as http:
            yield http
    finally:
        process.terminate()
        await process.wait()


async def result(http: httpx.AsyncClient, query: str) -> list[dict[str, Any]]:
    """Samples of *query*, written for Grafana; empty also while Prometheus starts."""
    written = query.replace("$__rate_interval", "20s")
    try:
        answer = await http.get("/api/v1/query", params={"query": written})
    except httpx.TransportError:
        return []
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return []
    assert answer.status_code == httpx.codes.OK, (query, answer.text)
    found: list[dict[str, Any]] = answer.json()["data"]["result"]
    return [one for one in found if one["value"][1] != "NaN"]


@pytest_asyncio.fixture
async def publisher(streams_stack: Background) -> AsyncIterator[Customer]:
    """On this one stack, unlike the fixture that other tests share."""
    async with httpx.AsyncClient(timeout=10) as http:
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
            firing = await result(http, 'ALERTS{alertstate="firing"}')
        finally:
            traffic.cancel()
            await asyncio.gather(traffic, return_exceptions=True)
    assert empty == [], "\n".join(map(str, empty))
    assert [one["metric"]["alertname"] for one in firing] == []


async def _has_data(http: httpx.AsyncClient, query: str) -> bool:
    async def ask() -> bool | None:
        return bool(await result(http, query)) or None

    try:
        return await eventually(ask, within_s=30)
    except AssertionError:
        return False
