"""The libraries for servers pass what their ecosystems check, and what is generated or built of them is fresh."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.library_driver import PHP, install_programs
from tests.clients.publisher import ROOT
from tests.support import npm

pytestmark = pytest.mark.toolchains

_CLIENTS = ROOT / "clients"
_PYRIGHT = Path(__file__).parent / "pyright"
_STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.6.1"


def _run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_python_passes_mypy_and_pyright_in_strict_mode() -> None:
    pyright = npm.install(_PYRIGHT) / ".bin" / "pyright"
    folder = _CLIENTS / "python"

    _run(folder, sys.executable, "-m", "mypy", "--config-file", "pyproject.toml")
    _run(folder, str(pyright), "-p", "pyproject.toml", "--pythonpath", sys.executable)


def test_node_passes_tsc_in_strict_mode_and_its_build_is_fresh(tmp_path: Path) -> None:
    folder = _CLIENTS / "node"
    tools = npm.install(folder) / ".bin"
    _run(folder, str(tools / "tsc"), "--outDir", str(tmp_path))
    _run(folder, str(tools / "publint"), "--strict", "--pack", "false")

    committed = {path.name: path.read_bytes() for path in (folder / "dist").iterdir()}
    assert committed == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_go_passes_its_tests_vet_gofmt_and_staticcheck() -> None:
    folder = _CLIENTS / "go"

    assert _run(folder, "gofmt", "-l", ".") == ""
    _run(folder, "go", "test", "./...")
    _run(folder, "go", "vet", "./...")
    _run(folder, "go", "run", _STATICCHECK, "./...")


def test_php_is_parsed_and_passes_phpunit() -> None:
    install_programs(PHP)
    folder = _CLIENTS / "php"
    for path in folder.rglob("*.php"):
        _run(folder, "php", "-l", str(path))

    assert "OK (" in _run(folder, "phpunit")
