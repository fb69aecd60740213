"""The build that an upgrade starts from: a commit of `deploy/releases`, checked out in a folder of its own."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.standalone.child import ROOT

RELEASES = Path("deploy", "releases")
_LOCK = Path("requirements", "run.lock")
_ORDER = re.compile(r"each kind completely before the next: ((?:`\w+`(?:, )?)+)\.")


@dataclass(frozen=True, slots=True)
class Build:
    """``tree``: a checkout; ``python``: the interpreter whose packages are those of its locks."""

    name: str
    tree: Path
    python: str = sys.executable

    def compile(self) -> None:
        """Builds what is written in C, as `make run` does."""
        _run(self.python, "-m", "deploy.compile", "--c-only", folder=self.tree)


THIS = Build("this build", ROOT)


def stated_order() -> list[str]:
    """Kinds of processes, in the documented order of their replacement."""
    found = _ORDER.findall((ROOT / "docs" / "operations.md").read_text())
    assert len(found) == 1, "docs/operations.md states one order of an upgrade"
    return re.findall(r"\w+", found[0])


def read_releases(root: Path = ROOT) -> dict[str, str]:
    """Name to full commit, the newest last."""
    lines = (root / RELEASES).read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def find_release(name: str) -> tuple[str, str]:
    """The name and the full commit of the build *name* of `deploy/releases`. *name* empty: the newest."""
    releases = read_releases()
    name = name or list(releases)[-1]
    if name not in releases:
        pytest.fail(f"{RELEASES} has no {name}. It has {', '.join(releases)}.")
    if _git("cat-file", "-e", f"{releases[name]}^{{commit}}").returncode != 0:
        pytest.fail(
            f"This clone lacks {releases[name]} of {RELEASES}. Run `git fetch --unshallow`."
        )
    return name, releases[name]


def check_out(name: str, folder: Path) -> Build:
    """
    Returns the build *name* of `deploy/releases`, from this repository. It runs on this environment where its lock is
    the same, and on one of its own otherwise. *name* empty: the newest.
    """
    name, commit = find_release(name)
    tree = folder / "tree"
    tree.mkdir()
    _run("tar", "-x", "-C", str(tree), folder=folder, given=_git("archive", commit).stdout)
    if (tree / _LOCK).read_bytes() == (ROOT / _LOCK).read_bytes():
        return Build(name, tree)
    _run("requirements/install.sh", "run", folder=tree, VENV=str(folder / "venv"))
    return Build(name, tree, str(folder / "venv" / "bin" / "python"))


def _git(*arguments: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(["git", *arguments], cwd=ROOT, check=False, capture_output=True)


def _run(*command: str, folder: Path, given: bytes | None = None, **variables: str) -> None:
    """From source: what *command* compiles, it cannot import yet."""
    own = {**os.environ, **variables, "PLACARD_COMPILED": ""}  # noqa: TID251 - a program needs its own
    done = subprocess.run(
        command, cwd=folder, input=given, env=own, check=False, capture_output=True
    )
    if done.returncode != 0:
        pytest.fail(f"`{' '.join(command)}` failed:\n{(done.stdout + done.stderr).decode()}")
