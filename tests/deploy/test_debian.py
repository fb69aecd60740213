"""Packages of Debian are installed by one process at a time."""

import os
from pathlib import Path

import pytest

from deploy.debian import NotInstalled, install_missing

_APT_GET = """#!/bin/sh
flock --nonblock '{lists}' true && state=free || state=locked
echo "$1 $state" >> '{log}'
"""
_HELD = """if [ ! -e '{log}.'$1 ]; then
  touch '{log}.'$1
  echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 8849 (apt-get)' >&2
  exit 100
fi
"""
"""What it does before, where another program holds apt's locks at the first call of each command."""


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Written by an `apt-get` that comes before the machine's own."""
    log, lists, programs = tmp_path / "log", tmp_path / "lists", tmp_path / "bin"
    lists.mkdir()
    programs.mkdir()
    _write_apt_get(tmp_path, _APT_GET)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return log


def _write_apt_get(folder: Path, script: str) -> None:
    apt_get = folder / "bin" / "apt-get"
    apt_get.write_text(script.format(lists=folder / "lists", log=folder / "log"))
    apt_get.chmod(0o755)


def test_apt_get_runs_while_its_lists_are_locked_and_not_after(log: Path, tmp_path: Path) -> None:
    reported: list[str] = []

    for _ in range(2):
        install_missing(["gcc"], reported.append, otherwise="", lists=tmp_path / "lists")

    assert log.read_text().splitlines() == ["update locked", "install locked"] * 2
    assert reported == ["installing gcc with apt-get"] * 2


def test_apt_get_runs_again_where_another_program_held_its_locks(log: Path, tmp_path: Path) -> None:
    _write_apt_get(tmp_path, _APT_GET.replace("flock", f"{_HELD}flock", 1))

    install_missing(["gcc"], print, otherwise="", lists=tmp_path / "lists")

    assert log.read_text().splitlines() == ["update locked", "install locked"]


def test_another_failure_of_apt_get_is_reported_at_once(log: Path, tmp_path: Path) -> None:
    _write_apt_get(tmp_path, "#!/bin/sh\necho 'E: Unable to locate package gcc' >&2\nexit 100\n")

    with pytest.raises(NotInstalled, match="Unable to locate package gcc"):
        install_missing(["gcc"], print, otherwise="", lists=tmp_path / "lists")
    assert not log.exists()


def test_a_machine_without_apt_states_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(NotInstalled, match="Install gcc"):
        install_missing(["gcc"], print, otherwise="Install gcc.", lists=tmp_path)
