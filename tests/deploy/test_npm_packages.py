"""What npm shows of the two packages: whose they are, whence they come, and under which licence."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from common.service.version import VERSION

ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = {"clients/web": "@placard/service-ads", "clients/node": "@placard/server"}
_LICENCE = (ROOT / "LICENSE").read_bytes()


def _read(folder: str, name: str = "package.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / folder / name).read_bytes())
    return found


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


@pytest.mark.parametrize("folder", _PACKAGES)
def test_a_package_names_its_licence_its_repository_and_its_version(folder: str) -> None:
    package = _read(folder)

    assert package["name"] == _PACKAGES[folder]
    if folder == "clients/web":  # builds of its own may come between two releases
        assert _parts(package["version"]) >= _parts(VERSION)
    else:
        assert package["version"] == VERSION
    assert package["license"] == "Apache-2.0"
    assert (ROOT / folder / "LICENSE").read_bytes() == _LICENCE
    repository = package["repository"]
    assert (repository["type"], repository["directory"]) == ("git", folder)
    assert repository["url"].startswith("git+https://")
    assert package["homepage"].startswith("https://")
    assert package["bugs"]["url"].startswith("https://")


@pytest.mark.parametrize("folder", _PACKAGES)
def test_a_package_is_published_with_its_provenance(folder: str) -> None:
    """Without it nobody can check which sources a version was built from. A scoped package is private by default."""
    package = _read(folder)

    assert package["publishConfig"] == {"access": "public", "provenance": True}
    assert package.get("private") is not True


@pytest.mark.parametrize("folder", _PACKAGES)
def test_installing_a_package_runs_nothing_and_brings_nothing_else(folder: str) -> None:
    package = _read(folder)

    assert not {"preinstall", "install", "postinstall", "prepare"} & package["scripts"].keys()
    assert "dependencies" not in package
    lock = _read(folder, "package-lock.json")
    root = lock["packages"][""]
    assert (root["name"], root["version"]) == (package["name"], package["version"])
    assert all("integrity" in one for name, one in lock["packages"].items() if name)


@pytest.mark.parametrize("folder", _PACKAGES)
def test_all_that_a_package_exports_is_committed(folder: str) -> None:
    package = _read(folder)
    listed = subprocess.run(
        ["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True
    )
    tracked = set(listed.stdout.splitlines())
    entries = [
        path
        for entry in package["exports"].values()
        for path in (entry.values() if isinstance(entry, dict) else [entry])
    ]

    assert entries
    assert {f"{folder}/{path.removeprefix('./')}" for path in entries} <= tracked
