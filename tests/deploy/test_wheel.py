"""The distribution `placard-server`: what the wheel holds, and that its command runs where only the wheel is there."""

import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from email import message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_PLANES = ("common", "control", "edge")
_COMPILED_FROM = (".c", ".h", ".inc")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    (built,) = folder.glob("placard_server-*.whl")
    return built


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`placard-server` in an environment of its own, which has the locked dependencies and not this checkout."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    _run(sys.executable, "-m", "venv", "--without-pip", str(venv))
    site = Path(sysconfig.get_path("purelib", vars={"base": str(venv)}))
    site.joinpath("dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = venv / "bin" / "python"
    _run(
        *(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"),
        *("--no-deps", "--no-index", "--disable-pip-version-check", str(wheel)),
    )
    return venv / "bin" / "placard-server"


def test_the_wheel_holds_every_file_of_the_planes_and_the_web_library(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", *_PLANES], cwd=ROOT, check=True, capture_output=True, text=True
    )
    tracked = {name for name in listed.stdout.splitlines() if not name.endswith(_COMPILED_FROM)}

    held = set(zipfile.ZipFile(wheel).namelist())

    assert tracked - held == set()
    assert {f"{plane}/py.typed" for plane in _PLANES} <= held
    assert "control/dashboard/library/dist/placard.js" in held
    assert not [name for name in held if name.split("/")[0] in {"tests", "deploy", "loadtests"}]


def test_the_command_names_its_planes_and_runs_them(command: Path, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()

    helped = _run(str(command), "--help", cwd=tmp_path)
    _run(str(command), "control", "openapi", cwd=tmp_path)
    wrong = subprocess.run(
        [str(command), "edge"], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
    )

    assert "control" in helped
    assert "edge" in helped
    described = (tmp_path / "docs" / "openapi.json").read_bytes()
    assert described == (ROOT / "docs" / "openapi.json").read_bytes()
    assert wrong.returncode == 2
    assert "PLACARD_" in wrong.stderr


def test_an_unknown_plane_is_refused_with_the_usage(command: Path) -> None:
    wrong = subprocess.run([str(command), "edges"], capture_output=True, text=True, check=False)

    assert wrong.returncode == 2
    assert "Usage: placard-server {control|edge}" in wrong.stderr


def test_the_installed_dashboard_finds_the_web_library(command: Path, tmp_path: Path) -> None:
    python = command.with_name("python")

    pinned = _run(
        *(
            str(python),
            "-c",
            "from control.dashboard.sdk import LIBRARY, pin_element as pin; print(LIBRARY, pin())",
        ),
        cwd=tmp_path,
    )

    assert str(command.parents[1]) in pinned
    assert "sha384-" in pinned


@pytest.fixture(autouse=True)
def from_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package has nothing compiled."""
    monkeypatch.delenv("PLACARD_COMPILED", raising=False)


def _run(*arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(arguments, cwd=cwd, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))

    classifiers = set(metadata.get_all("Classifier", []))
    assert metadata["Name"] == "placard-server"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert {
        "Typing :: Typed",
        *(f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)),
    } <= classifiers
