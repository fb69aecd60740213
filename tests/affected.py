"""
`make test-for`: runs the tests that a change touches, nearest first, until its time is over.

The change is what differs from where the branch left BASE, with what is not committed. A test file is touched if it
imports a changed module, itself or through others, or stands in the folder of ``tests/`` that mirrors the changed
file's. Tests of a template or another data file begin with those that mention its subject most often. The rest is left
to CI, and named.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from common.service.compiled import native_extensions
from tests.architecture.imports import ROOT
from tests.support.import_graph import steps_to

_TO_CI = ("tests/clients/", "tests/docs/", "tests/e2e/", "tests/faults/")
"""Their tests start whole stacks: they run here only where they changed themselves."""
_NEAR = 2
_FAR = 99
"""Steps by imports."""
_NOTHING_RAN = 5
_MOST_FILES = 80
"""More than run in the time; to collect all the others takes longer than the nearest ones take to run."""


def main() -> int:
    """Returns pytest's exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.affected", description=__doc__)
    parser.add_argument("--base", default="main", help="the branch that the change is based on")
    parser.add_argument(
        "--seconds", type=int, default=30, help="no test begins so long after the first"
    )
    parser.add_argument("--list", action="store_true", help="only print the files, nearest first")
    parser.add_argument("rest", nargs="*", help="arguments of pytest, after --")
    requested = parser.parse_args()
    changed = changed_files(requested.base)
    files = touched_tests(changed)
    to_ci = sorted({name for name in changed if not _concerns_tests(name)})
    print(f"{len(changed)} changed files touch {len(files)} files of tests.", flush=True)
    if to_ci:
        print(f"Left to `make check` and CI: what only {', '.join(to_ci[:8])} may break.")
    if requested.list or not files:
        print("\n".join(files))
        return 0
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--hypothesis-profile=as_found",
        "-m",
        (
            "not long and not faults and not toolchains and not containers and not drills and not fleet"
            " and not upgrade and not report_store"
        ),
    ]
    limit = f"--stop-after={requested.seconds}"
    if len(files) > _MOST_FILES:
        print(f"Left to CI: the {len(files) - _MOST_FILES} files that are farthest from it.")
    command += [limit, *requested.rest, *files[:_MOST_FILES]]
    done = subprocess.run(command, cwd=ROOT, check=False)
    return 0 if done.returncode == _NOTHING_RAN else done.returncode


def changed_files(base: str) -> list[str]:
    """Paths relative to the project; of a file that was moved, both. Raises `SystemExit` where *base* is unknown."""
    try:
        fork = _git("merge-base", base, "HEAD")[0]
    except subprocess.CalledProcessError:
        sys.exit(f"There is no branch {base!r}. Name the one that the change is based on: BASE=…")
    new = _git("ls-files", "--others", "--exclude-standard")
    return sorted({*_git("diff", "--name-only", "--no-renames", fork), *new})


def touched_tests(changed: Iterable[str]) -> list[str]:
    """The test files that *changed* touch: first those that changed, then the nearest."""
    changed = list(changed)
    steps = steps_to({file for name in changed for file in _python_of(name)})
    mirrors = tuple(filter(None, map(_mirror, changed)))
    subjects = {_subject(name) for name in changed if Path(name).suffix != ".py"}
    ranks = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        name = str(path.relative_to(ROOT))
        away = steps.get(path, _FAR)
        mirrored = name.startswith(mirrors)
        if away == 0 or (not name.startswith(_TO_CI) and (away < _FAR or mirrored)):
            mentions = sum(map(path.read_text("utf-8").count, subjects)) if away == _FAR else 0
            ranks[name] = (_tier(away, mirrored=mirrored), away, -mentions, name)
    return sorted(ranks, key=ranks.__getitem__)


def _subject(name: str) -> str:
    """The word for what a template or another data file is about: ``slot`` for ``templates/slots/form.html``."""
    path = Path(name)
    return (path.parent.name if "templates" in path.parts else path.stem).removesuffix("s")


def _tier(away: int, *, mirrored: bool) -> int:
    """The tests that changed, the folder's that are near, all that import the change, the folder's, and the others."""
    if away == 0:
        return 0
    if mirrored:
        return 1 if away <= _NEAR else 3
    return 2 if away == 1 else 4


def _python_of(name: str) -> set[Path]:
    """The Python files that stand for a changed file: itself, the extension of a C file, the readers of a data file."""
    path = ROOT / name
    if path.suffix == ".py":
        return {path}
    if path.suffix in {".c", ".h"}:
        return {
            ROOT.joinpath(*module.split(".")).with_suffix(".py")
            for module, files in native_extensions().sources.items()
            if name in files or (path.suffix == ".h" and _includes(files, name))
        }
    return set(path.parent.glob("*.py")) if path.parent != ROOT else set()


def _includes(files: list[str], header: str) -> bool:
    """A header of another header counts for all extensions of its folder."""
    folder = str(Path(header).parent)
    return any(
        str(Path(file).parent) == folder or f'"{header}"' in (ROOT / file).read_text("utf-8")
        for file in files
    )


def _mirror(name: str) -> str:
    """The folder of ``tests/`` for *name*, or for the nearest folder above that has one; empty where there is none."""
    parts = Path(name).parts[:-1]
    if parts[:1] == ("tests",):
        is_shared = Path(name).name == "conftest.py" and len(parts) > 1
        return f"{'/'.join(parts)}/" if is_shared else ""
    if name == "docs/openapi.json":
        return "tests/contract/"
    while parts and not (ROOT / "tests").joinpath(*parts).is_dir():
        parts = parts[:-1]
    return f"tests/{'/'.join(parts)}/" if parts else ""


def _concerns_tests(name: str) -> bool:
    return bool(_python_of(name)) or not (_mirror(name) + "-").startswith((*_TO_CI, "-"))


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
