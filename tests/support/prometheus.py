"""A real Prometheus with the rules of this project."""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from deploy.debian import install_missing
from deploy.observability.pictures import RATE_INTERVAL, write_config
from deploy.standalone.sockets import find_free_ports
from tests.support.http_client import http_client
from tests.support.one_at_a_time import one_at_a_time


def install_prometheus() -> None:
    """Installs Prometheus and promtool where they are missing."""
    if shutil.which("prometheus") is None or shutil.which("promtool") is None:
        with one_at_a_time("apt"):
            install_missing(["prometheus"], print, otherwise="Prometheus is missing: install it.")


def check_metrics(text: str) -> str:
    """Returns what `promtool check metrics` finds in scraped *text*: nothing where it is as it should be."""
    command = ("promtool", "check", "metrics")
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


@asynccontextmanager
async def prometheus(folder: Path, targets: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Scrapes every second, with the rules' windows shortened to seconds."""
    install_prometheus()
    config = write_config(folder, targets)
    (port,) = find_free_ports(1)
    with (folder / "prometheus.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            "prometheus",
            f"--config.file={config}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            stdout=log,
            stderr=log,
        )
    try:
        async with http_client(base_url=f"http://127.0.0.1:{port}") as http:
            yield http
    finally:
        process.terminate()
        await process.wait()


async def result(http: httpx.AsyncClient, query: str) -> list[dict[str, Any]]:
    """Samples of *query*, written for Grafana; empty also while Prometheus starts."""
    written = query.replace("$__rate_interval", RATE_INTERVAL)
    try:
        answer = await http.get("/api/v1/query", params={"query": written})
    except httpx.TransportError:
        return []
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return []
    assert answer.status_code == httpx.codes.OK, (query, answer.text)
    found: list[dict[str, Any]] = answer.json()["data"]["result"]
    return [one for one in found if one["value"][1] != "NaN"]


async def firing_alerts(http: httpx.AsyncClient) -> set[str]:
    """Names."""
    found = await result(http, 'ALERTS{alertstate="firing"}')
    return {str(one["metric"]["alertname"]) for one in found}
