"""The Flutter library by a Dart compiler without Flutter: its tests run, and its widgets compiled against stubs."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import orjson

from tests.clients.publisher import ROOT
from tests.support import dart

FOLDER = ROOT / "clients" / "flutter"
_CONTRACT = ROOT / "clients" / "contract"
_PACKAGES = FOLDER / "test" / "packages.json"
_PLATFORM = Path("lib/src/platform")


def run(program: str) -> list[dict[str, Any]]:
    """What *program* of ``test/`` prints: a line of JSON for each of its tests."""
    done = subprocess.run(
        [*_dart(), str(FOLDER / "test" / program), str(_CONTRACT)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [orjson.loads(line) for line in done.stdout.splitlines()]


def errors_of(source: str, packages: Path = _PACKAGES) -> str:
    """What the compiler says about a program; empty where it has no error."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "main.dart"
        program.write_text(source)
        kernel = ["--snapshot-kind=kernel", f"--snapshot={folder}/main.dill"]
        done = subprocess.run(
            [*_dart(packages), *kernel, str(program)], capture_output=True, text=True, check=False
        )
    return "" if done.returncode == 0 else done.stdout + done.stderr or "It did not compile."


def copy_for_browsers(folder: Path) -> Path:
    """
    A copy of the package that uses its code for browsers, and a stub of ``dart:js_interop``, which the compiler for
    devices lacks. Returns its package configuration.
    """
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    (folder / _PLATFORM / "platform.dart").write_text("export 'platform_web.dart';\n")
    web = folder / _PLATFORM / "platform_web.dart"
    web.write_text(web.read_text().replace("dart:js_interop", "package:js/js_interop.dart"))
    return folder / "test" / "packages.json"


def libraries() -> list[Path]:
    """Every file of the package, in ``lib/``."""
    return sorted((FOLDER / "lib").rglob("*.dart"))


def journey() -> list[str]:
    """The command of the core in a process of its own; its commands are those of `journeys.dart`."""
    return [*_dart(), str(FOLDER / "test" / "journeys.dart")]


def compiled_journey(folder: Path) -> tuple[list[str], list[str]]:
    """`journey` without its compiler, which an app does not start with, and an empty program like it."""
    empty = folder / "empty.dart"
    empty.write_text("void main() {}")
    commands = []
    for source in (FOLDER / "test" / "journeys.dart", empty):
        kernel = folder / f"{source.stem}.dill"
        made = ["--snapshot-kind=kernel", f"--snapshot={kernel}"]
        subprocess.run([*_dart(), *made, str(source)], capture_output=True, check=True)
        commands.append([*_dart(), str(kernel)])
    return commands[0], commands[1]


def weigh() -> dict[str, int]:
    """Bytes of the sources that an app compiles, and of all that is published."""
    published = [
        path for name in ("lib", "pubspec.yaml", "README.md", "LICENSE") for path in _files(name)
    ]
    return {
        "sources": sum(path.stat().st_size for path in libraries()),
        "published": sum(path.stat().st_size for path in published),
    }


def _files(name: str) -> list[Path]:
    path = FOLDER / name
    return sorted(path.rglob("*.dart")) if path.is_dir() else [path]


def _dart(packages: Path = _PACKAGES) -> list[str]:
    return [str(dart.install()), f"--packages={packages}"]
