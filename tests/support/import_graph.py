"""Which files of the tree import which, from their source alone: nothing is run."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tests.architecture.imports import ROOT

_TREES = ("common", "edge", "control", "deploy", "loadtests", "tests")


@cache
def imported(path: Path) -> frozenset[Path]:
    """The files of the tree that *path* imports itself, in functions too, with what their packages run."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    files = {file for name in names if (file := _file_of(name)) is not None}
    packages = {folder / "__init__.py" for file in {path, *files} for folder in file.parents}
    return frozenset(files | (packages & _packages()) - {path})


def steps_to(changed: Iterable[Path]) -> dict[Path, int]:
    """
    Each file that reaches one of *changed* by its imports, and by how many at least: 0 for *changed* themselves.

    The imports of a `conftest.py` are not those of the tests below it: most of them start the whole control plane.
    """
    importers: defaultdict[Path, set[Path]] = defaultdict(set)
    for tree in _TREES:
        for path in (ROOT / tree).rglob("*.py"):
            for target in imported(path):
                importers[target].add(path)
    steps = dict.fromkeys(changed, 0)
    nearest = list(steps)
    while nearest:
        reached = {above for path in nearest for above in importers[path]} - steps.keys()
        steps.update(dict.fromkeys(reached, steps[nearest[0]] + 1))
        nearest = list(reached)
    return steps


@cache
def _packages() -> frozenset[Path]:
    """Those that run something when a module of theirs is imported."""
    found = [path for tree in _TREES for path in (ROOT / tree).rglob("__init__.py")]
    return frozenset(path for path in found if path.stat().st_size)


@cache
def _file_of(name: str) -> Path | None:
    path = ROOT.joinpath(*name.split("."))
    files = path.with_suffix(".py"), path / "__init__.py"
    return next((file for file in files if file.is_file()), None)
