"""`make test-python` takes the right interpreter, or says why there is none."""

import tomllib
from pathlib import Path

import pytest

from deploy.pythons import find_interpreter, main, other_versions
from deploy.verified import ROOT


def program(path: Path, version: str) -> Path:
    """A program that prints *version*, as an interpreter does; one that fails if that is empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntest '{version}' && echo '{version}'\n")
    path.chmod(0o755)
    return path


def test_the_versions_of_the_classifiers_are_those_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = [
        one.rpartition(" ")[2] for one in project["classifiers"] if ":: Python :: 3." in one
    ]
    minors = [int(version.removeprefix("3.")) for version in versions]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert project["requires-python"] == f">=3.{minors[0]},<3.{minors[-1] + 1}"
    assert len(other_versions()) == len(versions) - 1


def test_an_interpreter_on_the_path_comes_first(tmp_path: Path) -> None:
    on_path = program(tmp_path / "bin" / "python3.13", "3.13.2")
    program(tmp_path / ".pyenv/versions/3.13.9/bin/python", "3.13.9")
    found = find_interpreter("3.13", path=str(on_path.parent), home=tmp_path)
    assert found is not None
    assert found.path == str(on_path)


@pytest.mark.parametrize("broken", ["", "3.12.1"], ids=["fails", "is another version"])
def test_an_interpreter_that_does_not_fit_is_passed_over(tmp_path: Path, broken: str) -> None:
    on_path = program(tmp_path / "bin" / "python3.13", broken)
    program(tmp_path / ".pyenv/versions/3.13.9/bin/python", "3.13.9")
    newest = program(tmp_path / ".pyenv/versions/3.13.10/bin/python", "3.13.10")
    found = find_interpreter("3.13", path=str(on_path.parent), home=tmp_path)
    assert found is not None
    assert found.path == str(newest)


def test_a_machine_without_an_interpreter_has_none(tmp_path: Path) -> None:
    assert find_interpreter("3.13", path=str(tmp_path), home=tmp_path) is None


def test_a_version_that_nobody_has_fails_with_what_to_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing else is run: neither the versions that are there."""
    assert main(["--versions", "3.13", "3.99", "--", "--version"]) == 1
    printed = capsys.readouterr()
    assert "no Python 3.99 on the PATH" in printed.err
    assert "VERSIONS=3.13" in printed.err
    assert printed.out == ""
