"""Packages of Debian are installed by one process at a time."""

import os
from pathlib import Path

import pytest

from deploy.debian import NotInstalled, install_missing

_APT_GET = """#!/bin/sh
flock --nonblock '{lists}' true && state=free || state=locked
echo "$1 $state" >> '{log}'
"""


def test_apt_get_runs_while_its_lists_are_locked_and_not_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists, log, programs = tmp_path / "lists", tmp_path / "log", tmp_path / "bin"
    lists.mkdir()
    programs.mkdir()
    apt_get = programs / "apt-get"
    apt_get.write_text(_APT_GET.format(lists=lists, log=log))
    apt_get.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    reported: list[str] = []

    for _ in range(2):
        install_missing(["gcc"], reported.append, otherwise="", lists=lists)

    assert log.read_text().splitlines() == ["update locked", "install locked"] * 2
    assert reported == ["installing gcc with apt-get"] * 2


def test_a_machine_without_apt_states_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(NotInstalled, match="Install gcc"):
        install_missing(["gcc"], print, otherwise="Install gcc.", lists=tmp_path)
