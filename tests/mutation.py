"""
`make mutate`: changes random lines of `common/` and `edge/`, one at a time, and runs the tests that import the changed
module, nearest first. A change that no test notices is printed: a survivor shows a rule that nothing holds, or a
change that makes no difference.

Runs in a copy of the tree. One line of JSON at the end: how many changes were made, caught and survived.
"""

import argparse
import ast
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from compileall import compile_dir
from dataclasses import dataclass
from pathlib import Path
from py_compile import PycInvalidationMode

from tests.architecture.imports import ROOT
from tests.support.import_graph import steps_to

_PLANES = ("common", "edge")
_FOLDERS = ("tests/common/", "tests/edge/", "tests/contract/", "tests/contracts/")
_NEAR_S = 120
_FAR_S = 400
_COMPARED = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_COMPUTED = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.FloorDiv: "*",
    ast.Div: "*",
    ast.Mod: "*",
}


@dataclass(frozen=True)
class Change:
    """The text from *start* to *end*, both (line from 1, column in UTF-8 bytes), becomes *text*."""

    path: Path
    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    def apply(self, source: str) -> str:
        lines = [line.encode() for line in source.splitlines(keepends=True)]
        first, last = self.start[0] - 1, self.end[0] - 1
        new = lines[first][: self.start[1]] + self.text.encode() + lines[last][self.end[1] :]
        return b"".join([*lines[:first], new, *lines[last + 1 :]]).decode()

    def __str__(self) -> str:
        line = self.path.read_text().splitlines()[self.start[0] - 1].strip()
        return f"{self.path.relative_to(ROOT)}:{self.start[0]}: {line!r}: {self.text!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", default="", help="only modules whose path begins so")
    arguments = parser.parse_args()
    changes = _chosen(arguments.count, arguments.seed, arguments.under)
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copy = copy_tree(Path(folder))
        for number, change in enumerate(changes, 1):
            began = time.monotonic()
            caught = _caught(copy, change)
            took = time.monotonic() - began
            print(
                f"{number} {'caught' if caught else 'SURVIVED'} {took:.0f} s {change}", flush=True
            )
            if not caught:
                survivors.append(str(change))
    print(json.dumps({"changes": len(changes), "survived": len(survivors), "survivors": survivors}))
    return 0


def _chosen(count: int, seed: int, under: str) -> list[Change]:
    """One change on each of *count* random lines."""
    lines: dict[tuple[Path, int], list[Change]] = {}
    for plane in _PLANES:
        for path in sorted((ROOT / plane).rglob("*.py")):
            if str(path.relative_to(ROOT)).startswith(under):
                for change in changes_of(path):
                    lines.setdefault((path, change.start[0]), []).append(change)
    chance = random.Random(seed)
    chosen = chance.sample(sorted(lines), min(count, len(lines)))
    return [chance.choice(lines[line]) for line in chosen]


def changes_of(path: Path) -> Iterator[Change]:
    """Every change to the body of a function, but not to what it logs or to the text of an error."""
    tree = ast.parse(path.read_text())
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in function.body:
                yield from _changes_below(path, statement)


def _changes_below(path: Path, node: ast.AST) -> Iterator[Change]:
    if isinstance(
        node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Raise | ast.JoinedStr
    ):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Call) and "log" in ast.unparse(node.func).lower():
        return
    yield from _changes_at(path, node)
    for child in ast.iter_child_nodes(node):
        yield from _changes_below(path, child)


def _changes_at(path: Path, node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            yield _between(path, left, right, _COMPARED[type(operator)])
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _COMPUTED:
            yield _between(path, left, right, _COMPUTED[type(operator)])
        case ast.BoolOp(op=operator, values=[first, second, *_]):
            yield _between(path, first, second, "or" if isinstance(operator, ast.And) else "and")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _whole(path, node, ast.unparse(operand))
        case ast.Constant(value=bool(value)):
            yield _whole(path, node, str(not value))
        case ast.Constant(value=int(value)):
            yield _whole(path, node, str(value + 1))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _whole(path, value, "None")
        case ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield _whole(path, node, "pass")
        case ast.AugAssign() | ast.Continue() | ast.Break():
            yield _whole(path, node, "pass")
        case _:
            pass


def _whole(path: Path, node: ast.stmt | ast.expr, text: str) -> Change:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Change(
        path, (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text
    )


def _between(path: Path, left: ast.expr, right: ast.expr, operator: str) -> Change:
    """The operator and what stands around it, brackets too: both sides are written again."""
    assert right.end_lineno is not None
    assert right.end_col_offset is not None
    text = f"({ast.unparse(left)}) {operator} ({ast.unparse(right)})"
    return Change(
        path, (left.lineno, left.col_offset), (right.end_lineno, right.end_col_offset), text
    )


def copy_tree(folder: Path) -> Path:
    """The files of the tree, with the virtual environment and the broker's files of this one."""
    copy = folder / "tree"
    for name in files_of(ROOT):
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    for name in (".venv", "deploy/kafka/lib"):
        (copy / name).symlink_to((ROOT / name).resolve())
    for plane in ("common", "control", "edge", "tests"):  # compiled once, and again what changes
        compile_dir(copy / plane, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return copy


def files_of(repository: Path) -> list[str]:
    """Paths of the files in a clone, those that git does not know yet included; not what `.gitignore` names."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=repository,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    return [name for name in names if name and (repository / name).exists()]


def _caught(copy: Path, change: Change) -> bool:
    module = change.path.relative_to(ROOT)
    target = copy / module
    source = target.read_text()
    mutated = change.apply(source)
    try:
        ast.parse(mutated)
    except SyntaxError:
        return True
    target.write_text(mutated)
    try:
        near, far = tests_of(module)
        return do_tests_fail(copy, near, _NEAR_S) or do_tests_fail(copy, far, _FAR_S)
    finally:
        target.write_text(source)


def do_tests_fail(copy: Path, tests: list[str], seconds: int) -> bool:
    """Whether one of *tests* fails; a run that does not end in time is a failure as well."""
    if not tests:
        return False
    command = [sys.executable, "-Bm", "pytest", "-xq", "-p", "no:cacheprovider", "-m"]
    try:
        ended = subprocess.run(
            [*command, "not long and not faults", *tests],
            cwd=copy,
            timeout=seconds,
            capture_output=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode not in (0, 5)


def tests_of(module: Path) -> tuple[list[str], list[str]]:
    """The test files that import *module* themselves, and those that reach it through other modules."""
    near: list[str] = []
    far: list[str] = []
    mirror = "tests/" + "/".join(module.parent.parts)
    for path, steps in steps_to([ROOT / module]).items():
        name = str(path.relative_to(ROOT))
        if path.name.startswith("test_") and name.startswith(_FOLDERS):
            (near if steps == 1 else far).append(name)

    def nearest_first(names: list[str]) -> list[str]:
        return sorted(names, key=lambda name: (not name.startswith(mirror), name))

    return nearest_first(near), nearest_first(far)


if __name__ == "__main__":
    sys.exit(main())
