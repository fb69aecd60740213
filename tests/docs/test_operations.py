"""The operator's manual lists every setting and every metric, under names that monitoring tools expect."""

import re

from common.service.deprecated_names import METRICS, SETTINGS
from control.foundation.settings import ControlSettings
from edge.settings import EdgeSettings
from tests.docs.reference import ROOT, declared_metrics

_MANUAL = (ROOT / "docs" / "operations.md").read_text()


def _listed(section: str) -> list[str]:
    """First column of a section's table."""
    text = _MANUAL.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE)


def test_every_setting_is_listed_once() -> None:
    settings = {*EdgeSettings.model_fields, *ControlSettings.model_fields}
    assert _listed("Settings") == sorted(f"PLACARD_{name.upper()}" for name in settings)


def test_every_metric_is_listed_once() -> None:
    assert _listed("Metrics") == sorted(declared_metrics())


def test_the_manual_uses_no_former_name() -> None:
    words = set(re.findall(r"\w+", _MANUAL))
    assert not words & (METRICS.keys() | SETTINGS.keys())
    assert not words & {f"{name}_total" for name in METRICS}


def test_metrics_keep_the_rules_that_promtool_checks() -> None:
    for one in declared_metrics().values():
        parts = one.name.split("_")
        assert re.fullmatch(r"placard(_[a-z0-9]+)+", one.name), one
        assert (parts[-1] == "total") is (one.kind == "counter"), one
        assert parts[-1] not in {"count", "sum", "bucket"}, one
        assert not {"counter", "gauge", "histogram", "ms", "milliseconds", "sec"} & {*parts}, one
        assert one.help_text.endswith("."), one


def test_a_metric_of_an_instant_ends_in_timestamp_seconds() -> None:
    """The help of an instant begins with "When", that of any other gauge of seconds with its kind of duration."""
    for one in declared_metrics().values():
        assert not {"created", "at", "time", "epoch", "date"} & {one.name.rpartition("_")[2]}, one
        is_instant = one.name.endswith("_timestamp_seconds")
        assert one.help_text.startswith("When ") is is_instant, one
        if one.kind == "gauge" and one.name.endswith("_seconds") and not is_instant:
            assert one.help_text.startswith(("Time ", "Age ", "Longest ")), one
        assert not is_instant or one.kind == "gauge", one
