"""
``make dashboard-pictures``: draws each dashboard into ``docs/pictures``, from the results of its queries.

A real Prometheus scrapes a temporary stack, on which `loadtests.run` runs the mix of everyone for two minutes. Whether
the load meets its objectives is printed, and changes nothing. Raises RuntimeError where a query has no result.
"""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import orjson

from common.values.clock import SystemClock
from deploy.debian import install_missing
from deploy.observability.chart import Lines, Points, draw_dashboard
from deploy.observability.dashboards import DASHBOARDS, Dashboard, Panel
from deploy.observability.render import render_rules
from deploy.standalone.background import running_stack
from deploy.standalone.child import ROOT, answers_ok
from deploy.standalone.process import Process
from deploy.standalone.programs import PROMETHEUS_TARGETS
from deploy.standalone.sockets import find_free_ports

PICTURES: Final = ROOT / "docs" / "pictures"
NOT_GRAFANA: Final = "Drawn from query results; not a screenshot of Grafana."
MAX_BYTES: Final = 150_000
RATE_INTERVAL: Final = "20s"
"""In place of Grafana's ``$__rate_interval``, at a scrape each second."""
_SHORTER: Final = 1 / 360
_POINTS: Final = 60
_TIMEOUT_S: Final = 30.0
_READY_S: Final = 60.0
_LOAD_S: Final = 120
_LABEL: Final = re.compile(r"\{\{(\w+)\}\}")


def picture_of(name: str) -> Path:
    return PICTURES / f"dashboard-{name}.svg"


def write_config(folder: Path, targets: Path) -> Path:
    """
    Writes the configuration of a Prometheus that scrapes *targets*, a file of `make run`, every second. The windows of
    the project's rules are shortened: an hour is ten seconds.
    """
    (folder / "rules.json").write_bytes(orjson.dumps(render_rules(_SHORTER)))
    discovered = {"files": [str(targets)], "refresh_interval": "1s"}
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.json"],
        "scrape_configs": [{"job_name": "placard", "file_sd_configs": [discovered]}],
    }
    path = folder / "prometheus.json"
    path.write_bytes(orjson.dumps(config))
    return path


def read_dashboard(
    url: str, dashboard: Dashboard, began_s: float, ended_s: float
) -> dict[str, Lines]:
    """
    Returns the results of each panel's queries at the Prometheus *url*, by the panel's title. *began_s*, *ended_s*:
    seconds since the epoch. A line without a finite value is left out. Raises RuntimeError where Prometheus refuses.
    """
    return {
        panel.title: _read_panel(url, panel, began_s, ended_s)
        for panels in dashboard.rows.values()
        for panel in panels
    }


def find_empty(results: dict[str, Lines]) -> list[str]:
    """Titles of panels without a line."""
    return [title for title, lines in results.items() if not lines]


def main() -> None:
    if shutil.which("prometheus") is None:
        install_missing(["prometheus"], print, otherwise="Prometheus is missing: install it.")
    with running_stack({}) as stack, _prometheus(stack.state / PROMETHEUS_TARGETS) as url:
        began_s = time.time()
        _run_load(stack.state)
        ended_s = time.time()
        day = SystemClock().now().date().isoformat()
        caption = (
            f"{NOT_GRAFANA} Prometheus scraped a stack under `make load` on {day}. "
            "Windows of rules were shortened: an hour is ten seconds."
        )
        for name, dashboard in DASHBOARDS.items():
            results = read_dashboard(url, dashboard, began_s, ended_s)
            if empty := find_empty(results):
                raise RuntimeError(f"{dashboard.title}: no results for {', '.join(empty)}.")
            picture = draw_dashboard(dashboard, results, caption)
            if len(picture.encode()) > MAX_BYTES:
                raise RuntimeError(f"{dashboard.title}: the picture exceeds {MAX_BYTES} bytes.")
            picture_of(name).write_text(picture, encoding="utf-8")
            print(picture_of(name).relative_to(ROOT))


def _read_panel(url: str, panel: Panel, began_s: float, ended_s: float) -> Lines:
    lines: dict[str, Points] = {}
    for legend, query in panel.queries.items():
        for one in _query(url, query, began_s, ended_s):
            points = [
                (float(at_s) - began_s, float(value))
                for at_s, value in one["values"]
                if math.isfinite(float(value))
            ]
            if points:
                name = _name(legend, one["metric"])
                lines[f"{name} ({len(lines) + 1})" if name in lines else name] = points
    return lines


def _query(url: str, query: str, began_s: float, ended_s: float) -> list[dict[str, Any]]:
    parameters = {
        "query": query.replace("$__rate_interval", RATE_INTERVAL),
        "start": f"{began_s:.3f}",
        "end": f"{ended_s:.3f}",
        "step": f"{max(1.0, (ended_s - began_s) / _POINTS):.3f}",
    }
    answer = httpx.get(f"{url}/api/v1/query_range", params=parameters, timeout=_TIMEOUT_S)
    if answer.status_code != httpx.codes.OK:
        raise RuntimeError(f"Prometheus refused {query}: {answer.text[:500]}")
    found: list[dict[str, Any]] = answer.json()["data"]["result"]
    return found


def _name(legend: str, labels: dict[str, str]) -> str:
    """As Grafana writes it: ``{{code}}`` is the label's value."""
    return _LABEL.sub(lambda label: labels.get(label[1], ""), legend).strip() or "none"


@contextmanager
def _prometheus(targets: Path) -> Iterator[str]:
    """The URL of a Prometheus of its own, whose data ends with the body."""
    (port,) = find_free_ports(1)
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory(prefix="plp-", dir="/tmp") as name:
        folder = Path(name)
        command = [
            "prometheus",
            f"--config.file={write_config(folder, targets)}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        process = Process.start(command, output=folder / "prometheus.log", folder=folder)
        try:
            deadline = time.monotonic() + _READY_S
            while not answers_ok(f"{url}/-/ready"):
                if time.monotonic() > deadline or not process.alive():
                    raise RuntimeError((folder / "prometheus.log").read_text()[-2000:])
                time.sleep(0.1)
            yield url
        finally:
            process.kill()


def _run_load(state: Path) -> None:
    own = {"PLACARD_STATE": str(state), "LOAD_SECONDS": str(_LOAD_S)}
    code = subprocess.run(
        [sys.executable, "-m", "loadtests.run"], env={**os.environ, **own}, cwd=ROOT, check=False
    ).returncode
    if code not in {0, 1}:
        raise RuntimeError(f"The load could not run: exit code {code}.")


if __name__ == "__main__":
    main()
