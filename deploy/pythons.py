"""
``make test-python``: runs tests on the other versions of Python that ``pyproject.toml`` names.

An interpreter is looked for on the PATH, then among those of pyenv and uv. Where there is none, debootstrap installs
the one of Debian 13 in a root directory of its own, which needs the rights of root. That directory and the packages of
``requirements/all.lock`` stay in ``build/pythons`` until the lock or the interpreter changes.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.service.compiled import ROOT
from deploy.debian import NotInstalled, enter_root, make_root, why_no_root

_FOLDER = ROOT / "build" / "pythons"
_INSTALL = ROOT / "requirements" / "install.sh"
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
_INSTALLED = (
    ".pyenv/versions/{}.*/bin/python",
    ".local/share/uv/python/cpython-{}.*/bin/python",
)
"""Where pyenv and uv keep their interpreters, below the home directory."""
_DEBIAN_PYTHON = "3.13"
_DEBIAN_PACKAGES = (
    "python3-venv",
    "python3-dev",
    "gcc",
    "libc6-dev",
    "make",
    "ca-certificates",
    "openjdk-21-jre-headless",  # the contract tests of the event log start Kafka
)


class NoPython(Exception):
    """The message is for the person at the terminal."""


@dataclass(frozen=True)
class Interpreter:
    """
    *path*: of the program, as seen from inside its root directory. *prefix*: the command that enters that root
    directory; empty for an interpreter of this machine.
    """

    path: str
    prefix: tuple[str, ...] = ()

    def run(
        self, *arguments: str, capture: bool = False, path: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """*path*: another program in the same root directory."""
        command = [*self.prefix, path or self.path, *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=capture, text=True, check=False)


def other_versions() -> list[str]:
    """The versions of `pyproject.toml` except the one that runs: ``["3.12", "3.13"]``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    versions = _CLASSIFIER.findall("\n".join(project["classifiers"]))
    return [version for version in versions if version != _running_version()]


def find_interpreter(version: str, *, path: str, home: Path) -> Interpreter | None:
    """
    Returns the first that runs and has *version*, such as ``3.13``.

    *path*: as the environment variable PATH.
    """
    for candidate in _candidates(version, path, home):
        interpreter = Interpreter(candidate)
        if _full_version(interpreter).startswith(f"{version}."):
            return interpreter
    return None


def _candidates(version: str, path: str, home: Path) -> Iterator[str]:
    named = shutil.which(f"python{version}", path=path)  # pyenv's may be there and yet not run
    if named is not None:
        yield named
    for pattern in _INSTALLED:
        found = home.glob(pattern.format(version))
        yield from map(str, sorted(found, key=_patch_release, reverse=True))


def _patch_release(path: Path) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", path.parts[-3])]


def _full_version(interpreter: Interpreter) -> str:
    """``3.13.5``; empty if the program does not run."""
    try:
        done = interpreter.run(
            "-c", "import platform; print(platform.python_version())", capture=True
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def why_not(version: str) -> str | None:
    """Returns why this machine can neither find nor install *version*; None if it can."""
    if find_interpreter(version, path=os.environ["PATH"], home=Path.home()) is not None:
        return None
    missing = f"There is no Python {version} on the PATH, nor among those of pyenv and uv"
    if version != _DEBIAN_PYTHON:
        return f"{missing}. Install one, for example `pyenv install {version}`, or name other versions: VERSIONS=3.13."
    reason = why_no_root()
    return None if reason is None else f"{missing}, and {reason}."


def prepare(version: str) -> Interpreter:
    """
    Returns the interpreter of a virtual environment with all of the lock, where `why_not` finds no reason.

    Raises `NoPython` and `NotInstalled`.
    """
    found = find_interpreter(version, path=os.environ["PATH"], home=Path.home())
    base = found or _install_debian(_FOLDER / version / "root")
    full = _full_version(base)
    if not full.startswith(f"{version}."):
        raise NoPython(f"{base.path} is Python {full}, not {version}. Remove {_FOLDER / version}.")
    _report(f"Python {full}")
    return _install_packages(base, _FOLDER / version / f"{full}-{'own' if found else 'debian'}")


def _install_debian(root: Path) -> Interpreter:
    make_root(root, _DEBIAN_PACKAGES, _report)
    return Interpreter("/usr/bin/python3", enter_root(root, ROOT))


def _install_packages(base: Interpreter, folder: Path) -> Interpreter:
    names = [f"VENV={folder.relative_to(ROOT)}", f"PYTHON={base.path}"]
    done = base.run(*names, str(_INSTALL), "all", path="env")
    if done.returncode != 0:
        raise NoPython(f"{_INSTALL.relative_to(ROOT)} failed, for the reason above.")
    return Interpreter(str(folder / "bin" / "python"), base.prefix)


def _running_version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _report(line: str) -> None:
    print(f"==> {line}", flush=True)


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code. *arguments*: those after ``--`` are pytest's."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(prog="python -m deploy.pythons")
    parser.add_argument("--check", action="store_true", help="only print why it is impossible here")
    parser.add_argument("--prepare", action="store_true", help="only install what tests need")
    parser.add_argument("--versions", nargs="+", help="default: the others of pyproject.toml")
    requested = parser.parse_args(arguments[:end])
    versions = requested.versions or other_versions()
    reasons = [reason for reason in map(why_not, versions) if reason is not None]
    if reasons or requested.check:
        print(*reasons, sep="\n", end="\n" if reasons else "", file=sys.stderr)
        return 1 if reasons else 0
    try:
        pythons = [prepare(version) for version in versions]
    except (NoPython, NotInstalled) as error:
        print(error, file=sys.stderr)
        return 1
    if requested.prepare:
        return 0
    done = [python.run("-m", "pytest", *arguments[end + 1 :]).returncode for python in pythons]
    return max(done)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
