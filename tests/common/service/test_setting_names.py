"""A variable that begins with ``PLACARD_`` and that nothing reads is reported, with the name that is near."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from common.service.deprecated_names import SETTINGS as FORMER
from common.service.setting_names import SETTINGS, TOOLS, find_unknown
from common.service.settings import find_unknown_settings, warn_of_names
from control.foundation.settings import ControlSettings, DatabaseSettings
from deploy.verified import ROOT
from edge.settings import EdgeSettings

_P = "PLACARD_"
_NAME = re.compile(r"\bPLACARD_[A-Z0-9_]*[A-Z0-9]\b")
_C = {".c", ".h", ".inc"}
_NOT_NAMES = {"PLACARD_R", "PLACARD_KAFKA_C"}
"""Starts of names in regular expressions."""


def _near(name: str) -> str:
    (unknown,) = find_unknown([_P + name])
    return unknown.near


def test_the_names_are_those_of_the_settings_of_both_planes() -> None:
    models = (EdgeSettings, ControlSettings, DatabaseSettings)
    assert {f"{_P}{name.upper()}" for one in models for name in one.model_fields} == SETTINGS
    assert not SETTINGS & (TOOLS | FORMER.keys())


@pytest.mark.parametrize(
    ("misspelt", "near"),
    [
        ("REDIS_ULR", "REDIS_URL"),
        ("DATABASEURL", "DATABASE_URL"),
        ("EDGE_WORKER", "EDGE_WORKERS"),
        ("KAFKA_BOOTSTRAP_SERVER", "KAFKA_BOOTSTRAP_SERVERS"),
        ("INTERNAL_PROT", "INTERNAL_PORT"),
    ],
)
def test_a_misspelt_name_has_the_nearest_setting(misspelt: str, near: str) -> None:
    assert _near(misspelt) == _P + near


def test_a_name_that_is_near_no_setting_has_none() -> None:
    assert _near("XYZZY") == ""


def test_names_of_settings_of_tools_and_former_names_are_known() -> None:
    assert list(find_unknown([*SETTINGS, *TOOLS, *FORMER, "placard_redis_url", "PATH"])) == []


def test_variables_of_a_service_of_kubernetes_are_known_and_names_like_them_are_not() -> None:
    links = ["API_SERVICE_HOST", "API_SERVICE_PORT", "API_SERVICE_PORT_HTTP", "API_PORT"]
    parts = [f"API_PORT_8000_TCP{part}" for part in ("", "_ADDR", "_PORT", "_PROTO")]
    given = [_P + name for name in (*links, *parts, "EDGE_LIFE_PORT", "API_POTR")]
    unknown = [one.name for one in find_unknown(given)]
    assert unknown == [f"{_P}API_POTR", f"{_P}EDGE_LIFE_PORT"]


def test_every_name_in_the_files_of_the_project_is_known() -> None:
    """So that a variable of make, of deploy, of a test or of an example is not reported."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "grep", "--files-with-matches", "--fixed-strings", "-z", _P],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found: dict[str, str] = {}
    for file in listed.rstrip("\0").split("\0"):
        if Path(file).suffix not in _C and file != "CHANGELOG.md":
            found |= dict.fromkeys(_NAME.findall((ROOT / file).read_text()), file)
    unknown = {one.name: found[one.name] for one in find_unknown(found)}
    assert {name: file for name, file in unknown.items() if name not in _NOT_NAMES} == {}
    assert len(found) > len(SETTINGS)


def test_a_process_logs_each_unknown_name_once_and_no_value(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, written: io.StringIO
) -> None:
    (tmp_path / "placard_database_ulr").write_text("postgresql://a:hidden@b/c")
    (tmp_path / "key_file").write_text("hidden")
    monkeypatch.setenv(f"{_P}SECRETS_DIR", str(tmp_path))
    monkeypatch.setenv(f"{_P}LOG_FROMAT", "hidden")

    warn_of_names()

    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    warned = [(one["level"], one["setting"], one["near"]) for one in lines]
    assert [one["event"] for one in lines] == ["setting_unknown"] * 2
    assert warned == [
        ("warning", f"{_P}DATABASE_ULR", f"{_P}DATABASE_URL"),
        ("warning", f"{_P}LOG_FROMAT", f"{_P}LOG_FORMAT"),
    ]
    assert f"Rename it to {_P}LOG_FORMAT" in lines[1]["advice"]
    assert "hidden" not in written.getvalue()


def test_a_folder_of_secrets_that_does_not_exist_has_no_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(f"{_P}SECRETS_DIR", str(tmp_path / "none"))
    assert find_unknown_settings() == []


@pytest.mark.parametrize("command", [["edge"], ["control", "ingest"]])
def test_a_process_warns_at_its_start(command: list[str], tmp_path: Path) -> None:
    given = {
        "REDIS_URL": "redis://127.0.0.1:1",
        "DATABASE_URL": "postgresql://127.0.0.1:1/none",
        "KEY_FILE": str(tmp_path / "none"),
        "STATE": str(tmp_path),
        "CONTROL_URL": "https://control.example",
        "EDGE_LIVE_URL": "https://live.example",
        "EDGE_TEST_URL": "https://test.example",
        "SNAPSHOT_URL": "http://127.0.0.1:1",
        "ENVIRONMENT": "test",
        "EDGE_URL": "https://test.example",
        "LOG_FROMAT": "json",
    }
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env={"PATH": os.defpath, **{_P + name: value for name, value in given.items()}},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0  # the key file is missing
    (line,) = [line for line in (done.stdout + done.stderr).splitlines() if "setting_un" in line]
    assert json.loads(line)["setting"] == f"{_P}LOG_FROMAT"
