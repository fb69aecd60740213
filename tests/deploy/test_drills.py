"""Each drill on real servers: nothing that was acknowledged is lost, and nothing counts twice."""

import json
import subprocess
import sys
from typing import Any

import pytest

from deploy.drills.__main__ import DRILLS
from deploy.standalone.child import ROOT
from tests.support.printing import say

_QUICK = "redis-lost"
"""Runs in `make test`; the others in `make test-drills`."""
_NAMES = [_QUICK, *(pytest.param(one, marks=pytest.mark.drills) for one in DRILLS if one != _QUICK)]


def _run(*names: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "deploy.drills", *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", _NAMES)
def test_a_drill_loses_nothing_and_counts_nothing_twice(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = _run(name)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    figures: dict[str, Any] = json.loads(done.stdout)
    say(capsys, done.stdout.strip())
    assert figures["drill"] == name
    assert figures["verdict"]["acknowledged"] >= 100
    assert figures["verdict"]["lost"] == figures["verdict"]["doubled"] == 0
    assert figures["seconds"]["recovery"] >= 0
    _check_notes(name, figures["notes"])


def _check_notes(name: str, notes: dict[str, Any]) -> None:
    """What a drill must have seen, so that it did take something away."""
    match name:
        case "backup-restore":
            assert notes["missing_before_the_point"] == notes["stored_after_the_point"] == 0
            assert notes["missing_after_the_point"] >= 90
        case "key-file":
            assert notes["tokens_of_the_old_key_acknowledged"] >= 100
            assert notes["doctor_without_it"] != 0
            assert not notes["api_starts_without_it"]
        case "disk-full-edge":
            assert notes["refused"] > 0
            assert notes["serves_on_a_full_disk"]["200"] > 0
        case "disk-full-postgres" | "disk-full-kafka":
            assert notes["acknowledged_on_a_full_disk"] > 0
            assert notes["waiting_on_a_full_disk"] > 0
            assert notes["serves_on_a_full_disk"]["200"] > 0
        case "clock-jump":
            assert notes["tokens_from_before_ahead"] == notes["tokens_from_before_behind"] == 0
            assert notes["tokens_from_before_all"] == 100
            assert all(notes[f"serves_{when}"]["200"] > 0 for when in ("ahead", "right", "behind"))
            charged = notes["charged_micros_by_day"].values()
            assert len(charged) == 2
            assert min(charged) > 0
            assert max(charged) <= notes["daily_budget_micros"]
        case "region-lost":
            assert notes["missing_of_the_archived"] == 0
            assert notes["missing_of_the_others"] >= 190
            assert notes["serves_without_a_region"]["200"] > 0
            assert notes["archived_change_is_there"]
            assert not notes["other_change_is_there"]
        case "servers-lost":
            assert notes["missing_of_the_archived"] == 0
            assert notes["missing_of_the_others"] >= 190
            assert notes["serves_without_servers"]["200"] > 0
            assert notes["archived_change_is_there"]
            assert not notes["other_change_is_there"]
        case _:
            assert notes["serves_without_it"]


def test_an_unknown_drill_is_refused_with_the_names_of_all() -> None:
    done = _run("flood")
    assert done.returncode == 2
    assert all(name in done.stderr for name in DRILLS)
