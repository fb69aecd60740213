"""Alerts fire when they should and stay silent otherwise; every metric they and the dashboards name exists."""

import json
import re
import shutil
import subprocess
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree as ET

import orjson
import pytest
from prometheus_client import CollectorRegistry

from control.events.ingest.metrics import IngestMetrics
from control.operations.scheduler.schedule import WorkMetrics
from deploy.observability.__main__ import FOLDER, files, find_stale
from deploy.observability.alerts import ALERTS
from deploy.observability.chart import draw_dashboard
from deploy.observability.dashboards import DASHBOARDS, Dashboard, Panel, expressions
from deploy.observability.grafana import render_dashboards
from deploy.observability.objectives import OBJECTIVES
from deploy.observability.pictures import MAX_BYTES, NOT_GRAFANA, picture_of
from deploy.observability.render import alert_names, render_rules
from tests.deploy.rule_tests import render_tests
from tests.support.prometheus import install_prometheus

ROOT = Path(__file__).parents[2]
RUNBOOKS = ROOT / "docs" / "runbooks"
HEADINGS = ["Effect", "Find the cause", "Do", "Over when"]
OF_LIBRARIES = {"up", "process_cpu_seconds_total", "process_resident_memory_bytes"}
_SVG = "{http://www.w3.org/2000/svg}"
SERIES = re.compile(r"\b(?:placard_[a-z_]+|up|process_[a-z_]+)\b")


@pytest.fixture(scope="module")
def promtool() -> str:
    install_prometheus()
    found = shutil.which("promtool")
    assert found
    return found


def run(*command: str | Path) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def documented_metrics() -> set[str]:
    """Every metric of `docs/operations.md`, which a test of its own holds against the code; histograms by series."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(placard_[a-z_]+)` \| (\w+) \|", text, re.MULTILINE)
    parts = {"histogram": ("_bucket", "_count", "_sum")}
    return {f"{name}{part}" for name, kind in rows for part in parts.get(kind, ("",))}


def test_the_committed_files_are_fresh() -> None:
    assert find_stale() == []


def test_prometheus_accepts_the_rules_in_production_and_in_short(
    promtool: str, tmp_path: Path
) -> None:
    short = tmp_path / "short.json"
    short.write_bytes(orjson.dumps(render_rules(1 / 360)))
    run(promtool, "check", "rules", FOLDER / "prometheus" / "rules.json", short)


def test_each_alert_fires_on_its_fault_and_none_without(promtool: str, tmp_path: Path) -> None:
    cases = tmp_path / "cases.json"
    rules = FOLDER / "prometheus" / "rules.json"
    cases.write_bytes(orjson.dumps(render_tests(str(rules))))
    run(promtool, "test", "rules", cases)


def test_a_case_fails_where_its_alert_does_not_fire(promtool: str, tmp_path: Path) -> None:
    rules = render_rules()
    rules["groups"][-1]["rules"] = []
    without, cases = tmp_path / "rules.json", tmp_path / "cases.json"
    without.write_bytes(orjson.dumps(rules))
    every = render_tests(str(without))
    every["tests"] = [one for one in every["tests"] if one["name"] == "SpoolFull"]
    cases.write_bytes(orjson.dumps(every))
    with pytest.raises(AssertionError, match="SpoolFull"):
        run(promtool, "test", "rules", cases)


def test_counters_of_failures_begin_at_zero() -> None:
    registry = CollectorRegistry()
    IngestMetrics(registry)
    WorkMetrics(registry)
    dead = registry.get_sample_value("placard_ingest_records_total", {"outcome": "dead"})
    check = {"job": "check_ledger", "outcome": "failed"}
    assert dead == registry.get_sample_value("placard_job_runs_total", check) == 0


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    names = list(alert_names())
    assert len(names) == len(set(names))
    pages = {path.stem: path.read_text(encoding="utf-8") for path in RUNBOOKS.glob("*.md")}
    index = pages.pop("README")
    assert set(pages) == set(names)
    for name, page in pages.items():
        assert page.startswith(f"# {name}\n"), name
        assert re.findall(r"^## (.+)$", page, re.MULTILINE) == HEADINGS, name
        assert f"[{name}]({name}.md)" in index


def test_runbooks_and_rules_name_metrics_that_exist() -> None:
    known = documented_metrics() | OF_LIBRARIES
    alerts = chain.from_iterable(
        (alert.expression, *alert.silent, *alert.firing) for alert in ALERTS
    )
    objectives = chain.from_iterable((one.bad, one.all, *one.burning) for one in OBJECTIVES)
    pages = (path.read_text(encoding="utf-8") for path in RUNBOOKS.glob("*.md"))
    named = {
        series
        for text in chain(alerts, objectives, expressions(), pages)
        for series in SERIES.findall(
            re.sub(r"placard:[a-z_0-9]+|placard_\(edge\|control\)_", "", text)
        )
    }
    assert named - known == set()


def test_dashboards_have_unique_panels_that_do_not_overlap() -> None:
    for name, dashboard in render_dashboards().items():
        ids = [panel["id"] for panel in dashboard["panels"]]
        assert len(ids) == len(set(ids))
        cells = [
            (x, y)
            for panel in dashboard["panels"]
            for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
            for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
        ]
        assert len(cells) == len(set(cells)), name
        assert max(x for x, _ in cells) < 24
        assert all(panel["description"] for panel in dashboard["panels"] if panel["type"] != "row")


@pytest.mark.parametrize("name", DASHBOARDS)
def test_the_picture_of_a_dashboard_shows_each_panel_with_data_and_its_origin(name: str) -> None:
    content = picture_of(name).read_bytes()
    assert len(content) < MAX_BYTES
    picture = ET.fromstring(content)  # noqa: S314 - we drew it
    texts = [one.text or "" for one in picture.iter(f"{_SVG}text")]
    panels = [panel for row in DASHBOARDS[name].rows.values() for panel in row]
    assert {*DASHBOARDS[name].rows, *(panel.title for panel in panels)} <= set(texts)
    assert "no data" not in texts
    assert any(text.startswith(NOT_GRAFANA) for text in texts)
    assert len(list(picture.iter(f"{_SVG}polyline"))) >= len(panels)
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert f"](pictures/{picture_of(name).name})" in page


def test_a_dashboard_is_drawn_from_its_results_to_scale() -> None:
    panels = (Panel("Times <1>", "", "s", {"p50": ""}), Panel("Empty", "", "short", {"x": ""}))
    results = {"Times <1>": {"p50 & p90": [(0.0, 0.0), (5.0, 0.002), (10.0, 0.004)]}}
    drawn = draw_dashboard(Dashboard("Board", {"Row": panels}), results, "Caption")
    picture = ET.fromstring(drawn)  # noqa: S314 - we drew it
    texts = [one.text for one in picture.iter(f"{_SVG}text")]
    assert {"Board", "Row", "Caption", "Times <1>", "p50 & p90", "4 ms", "10 s", "no data"} <= {
        *texts
    }
    (line,) = picture.iter(f"{_SVG}polyline")
    (left, bottom), middle, (right, top) = (
        tuple(map(float, point.split(","))) for point in line.attrib["points"].split()
    )
    assert middle == pytest.approx(((left + right) / 2, (top + bottom) / 2), abs=0.1)
    assert top < bottom


def test_generated_json_is_what_grafana_and_prometheus_read() -> None:
    assert {path.suffix for path in files()} == {".json"}
    assert all(json.loads(content) for content in files().values())
    assert {f"{name}.json" for name in DASHBOARDS} <= {path.name for path in files()}
