"""Renamed settings and metrics work under their former names for one release."""

import io
import json

import pytest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families

from common.service.deprecated_names import METRICS, SETTINGS
from common.service.exposition import Families, expose
from common.service.settings import CommonSettings, warn_of_names
from control.foundation.settings import ControlSettings
from edge.settings import EdgeSettings

_FORMER, _PRESENT = "PLACARD_KAFKA", "PLACARD_KAFKA_BOOTSTRAP_SERVERS"


@pytest.fixture(autouse=True)
def needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACARD_REDIS_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setenv("PLACARD_KEY_FILE", "keys")
    for name in (_FORMER, _PRESENT):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("former", "present", "used"),
    [("a:1", None, "a:1"), (None, "b:1", "b:1"), ("a:1", "b:1", "b:1"), (None, None, "")],
)
def test_a_setting_is_read_by_either_name_and_the_present_one_wins(
    monkeypatch: pytest.MonkeyPatch, former: str | None, present: str | None, used: str
) -> None:
    for name, value in ((_FORMER, former), (_PRESENT, present)):
        if value is not None:
            monkeypatch.setenv(name, value)

    assert CommonSettings().kafka_bootstrap_servers == used


@pytest.mark.parametrize(
    ("present", "advice"), [(None, f"Rename it to {_PRESENT}."), ("b:1", "It is ignored")]
)
def test_a_former_name_is_logged_once_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, written: io.StringIO, present: str | None, advice: str
) -> None:
    monkeypatch.setenv(_FORMER, "a:1")
    if present is not None:
        monkeypatch.setenv(_PRESENT, present)

    warn_of_names()

    (line,) = map(json.loads, written.getvalue().splitlines())
    assert (line["event"], line["setting"], line["use"]) == (
        "setting_deprecated",
        _FORMER,
        _PRESENT,
    )
    assert advice in line["advice"]


def test_every_former_setting_leads_to_one_that_exists() -> None:
    names = {
        f"PLACARD_{field.upper()}"
        for settings in (EdgeSettings, ControlSettings)
        for field in settings.model_fields
    }
    assert set(SETTINGS.values()) <= names
    assert not names & set(SETTINGS)


def test_a_renamed_metric_is_exposed_under_its_former_name_too() -> None:
    runs = CounterMetricFamily("placard_job_runs", "Runs.", labels=["job"])
    runs.add_metric(["sweep"], 3)
    leader = GaugeMetricFamily("placard_leader", "Leader.", value=1)

    body, _ = expose(Families([runs, leader]), None)

    families = {one.name: one for one in text_string_to_metric_families(body.decode())}
    assert {name: one.documentation for name, one in families.items()} == {
        "placard_job_runs": "Runs.",
        "placard_work_runs": "Deprecated: use placard_job_runs_total.",
        "placard_leader": "Leader.",
        "placard_leading": "Deprecated: use placard_leader.",
    }
    (sample,) = families["placard_work_runs"].samples
    assert (sample.name, sample.labels, sample.value) == (
        "placard_work_runs_total",
        {"job": "sweep"},
        3,
    )
    assert [one.value for one in families["placard_leading"].samples] == [1]


def test_no_former_name_of_a_metric_is_in_use() -> None:
    assert not set(METRICS) & set(METRICS.values())
