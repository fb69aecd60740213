"""Settings and metrics as the code declares them, and what runs the examples of pages."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
INTERPRETERS = {
    "sh": ("bash", "-euo", "pipefail", "-c"),
    "python": (sys.executable, "-c"),
    "js": ("node", "--input-type=module", "-e"),
}
"""The command that runs a block of a page, by the block's language."""
_KINDS = {
    "Counter": "counter",
    "CounterMetricFamily": "counter",
    "_counter": "counter",
    "Gauge": "gauge",
    "GaugeMetricFamily": "gauge",
    "_gauge": "gauge",
    "Histogram": "histogram",
    "HistogramMetricFamily": "histogram",
    "_labelled": "counter",
}
"""Functions that make a metric, of the client library and of the edge's collectors, to what they make."""
_EDGE_PREFIX = "placard_edge_"


@dataclass(frozen=True)
class DeclaredMetric:
    name: str
    """As a scraper sees it: counters end in ``_total``."""
    kind: str
    help_text: str


def declared_metrics() -> dict[str, DeclaredMetric]:
    """All metrics of both planes, except deprecated ones."""
    calls = (
        call
        for folder in ("common", "control", "edge")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "prometheus_client" in (source := path.read_text())
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
    )
    found = (metric for call in calls for metric in _declared_by(call))
    return {one.name: one for one in found if not one.help_text.startswith("Deprecated")}


def _declared_by(call: ast.Call) -> Iterator[DeclaredMetric]:
    kind = _KINDS.get(call.func.id) if isinstance(call.func, ast.Name) else None
    texts = [one.value for one in call.args[:2] if isinstance(one, ast.Constant)]
    if kind is None or len(texts) < 2:
        return
    name, help_text = map(str, texts)
    full = name if name.startswith("placard_") else f"{_EDGE_PREFIX}{name}"
    suffix = "_total" if kind == "counter" and not full.endswith("_total") else ""
    yield DeclaredMetric(full + suffix, kind, help_text)
