"""One state folder, one stack; and nothing of an earlier one keeps running."""

import os
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.standalone.errors import StartError
from deploy.standalone.operate import read_running
from deploy.standalone.process import Identity
from deploy.standalone.state import (
    MARK,
    end_leftovers,
    locked,
    make_key_file,
    note_processes,
    read_json,
    write_json,
)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process of no stack; `_start_sleeper` makes one of a stack."""
    process = _start_sleeper("NAME=value")
    yield process
    process.kill()
    process.wait()


def _start_sleeper(variable: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["env", variable, "sleep", "300"])


def test_a_second_stack_on_one_state_is_refused(tmp_path: Path) -> None:
    with locked(tmp_path):
        write_json(tmp_path / "demo.json", {})
        with pytest.raises(StartError, match=f"already runs on {tmp_path}"), locked(tmp_path):
            pass


def test_a_state_can_be_locked_again_afterwards(tmp_path: Path) -> None:
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        assert (tmp_path / "lock").read_text(encoding="utf-8") == f"{os.getpid()}\n"


def test_what_a_killed_stack_left_is_taken_for_no_running_one(tmp_path: Path) -> None:
    write_json(tmp_path / "demo.json", {"account_id": "1"})
    gone = Identity(2**22 + 1, 1, "an earlier boot")
    note_processes(tmp_path, [("edge", gone)])
    with pytest.raises(StartError, match=f"No stack runs on {tmp_path}"):
        read_running(tmp_path, "demo.json")
    with locked(tmp_path):
        assert read_json(tmp_path / "demo.json") is None


def test_files_with_secrets_are_for_their_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "demo.json"
    path.write_text("{}", encoding="utf-8")
    path.chmod(0o644)
    write_json(path, {"key": "secret"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_json(path) == {"key": "secret"}


def test_the_key_file_is_made_once(tmp_path: Path) -> None:
    first = make_key_file(tmp_path).read_bytes()
    assert make_key_file(tmp_path).read_bytes() == first


def test_leftovers_are_found_by_what_was_noted(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    note_processes(tmp_path, [("edge-live", Identity.find(sleeper.pid))])
    assert end_leftovers(tmp_path) == ["edge-live"]
    assert sleeper.wait() != 0


def test_leftovers_are_found_by_their_mark(tmp_path: Path) -> None:
    process = _start_sleeper(f"{MARK}={tmp_path}")
    while Path(f"/proc/{process.pid}/comm").read_text(encoding="ascii") != "sleep\n":
        pass
    assert end_leftovers(tmp_path) == [f"process {process.pid}"]
    assert process.wait() != 0


def test_a_later_process_of_a_noted_number_is_left_alone(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    identity = Identity.find(sleeper.pid)
    assert identity is not None
    earlier = replace(identity, started_ticks=identity.started_ticks - 1)
    note_processes(tmp_path, [("edge-live", earlier)])
    assert end_leftovers(tmp_path) == []
    assert sleeper.poll() is None
