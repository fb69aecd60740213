"""
`make mutate`: changes random lines of `common/` and `edge/`, one at a time, and runs the tests that execute the changed
line, those first that import its module. A change that no test notices is printed: a survivor shows a rule that nothing
holds, or a change that makes no difference.

Runs in a copy of the tree, see `tests.mutated_runs`. Which test executes which line is recorded in `build/`, so that a
second run, such as ``--from 80`` or ``--only 17``, records only what changed. One line of JSON at the end: how many
changes were tried and survived.
"""

import argparse
import ast
import json
import py_compile
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from compileall import compile_dir
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.architecture.imports import ROOT
from tests.support.import_graph import steps_to

PLANES = ("common", "edge")
FOLDERS = ("tests/common/", "tests/edge/", "tests/contract/", "tests/contracts/")
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


_BY_HASH = py_compile.PycInvalidationMode.CHECKED_HASH
_IS_ON = "__import__('tests.switches', fromlist=['is_on']).is_on({})"


@dataclass(frozen=True)
class Change:
    """
    The expression or the statement from *start* to *end*, both (line from 1, column in UTF-8 bytes), becomes *text*;
    a statement ``pass``.
    """

    path: Path
    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    def is_of(self, node: ast.AST) -> bool:
        return isinstance(node, ast.stmt if self.text == "pass" else ast.expr) and (
            (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            == (*self.start, *self.end)
        )

    def __str__(self) -> str:
        line = self.path.read_text().splitlines()[self.start[0] - 1].strip()
        return f"{self.path.relative_to(ROOT)}:{self.start[0]}: {line!r}: {self.text!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", default="", help="only modules whose path begins so")
    parser.add_argument("--from", type=int, default=1, dest="first", help="begin with this number")
    parser.add_argument("--only", type=int, action="append", help="a number; may be repeated")
    arguments = parser.parse_args()
    changes = dict(enumerate(_chosen(arguments.count, arguments.seed, arguments.under), 1))
    tried = arguments.only or range(arguments.first, len(changes) + 1)
    survivors = []
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copy = copy_tree(Path(folder))
        for path in {change.path for change in changes.values()}:
            of_path = {number: one for number, one in changes.items() if one.path == path}
            target = copy / path.relative_to(ROOT)
            target.write_text(switched(path.read_text("utf-8"), of_path), "utf-8")
            py_compile.compile(str(target), invalidation_mode=_BY_HASH, quiet=2)
        for number, outcome in _outcomes(copy, {one: changes[one] for one in tried}):
            print(f"{number} {outcome}: {changes[number]}", flush=True)
            if not outcome.startswith("caught"):
                survivors.append(f"{number} {changes[number]}")
    print(json.dumps({"changes": len(tried), "survived": len(survivors), "survivors": survivors}))
    return 0


def switched(source: str, changes: Mapping[int, Change]) -> str:
    """The *source* with each of *changes* beside what it replaces: `tests.switches` decides which of both runs."""
    return ast.unparse(_Switches(changes).visit(ast.parse(source)))


class _Switches(ast.NodeTransformer):
    def __init__(self, changes: Mapping[int, Change]) -> None:
        self._changes = changes

    def visit(self, node: ast.AST) -> Any:
        number = next((one for one, change in self._changes.items() if change.is_of(node)), None)
        # What is inside of a formatted string has no places of its own.
        inside = node if isinstance(node, ast.JoinedStr) else self.generic_visit(node)
        if number is None:
            return inside
        if isinstance(inside, ast.stmt):
            return ast.If(_parsed(f"not {_IS_ON.format(number)}"), [inside], [])
        text = self._changes[number].text
        return ast.IfExp(_parsed(_IS_ON.format(number)), _parsed(text), cast(ast.expr, inside))


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _chosen(count: int, seed: int, under: str) -> list[Change]:
    """One change on each of *count* random lines."""
    lines: dict[tuple[Path, int], list[Change]] = {}
    for plane in PLANES:
        for path in sorted((ROOT / plane).rglob("*.py")):
            if str(path.relative_to(ROOT)).startswith(under):
                for change in changes_of(path):
                    lines.setdefault((path, change.start[0]), []).append(change)
    chance = random.Random(seed)
    chosen = chance.sample(sorted(lines), min(count, len(lines)))
    return [chance.choice(lines[line]) for line in chosen]


def changes_of(path: Path) -> Iterator[Change]:
    """Every change to the body of a function, but not to the arguments of a log call or to the text of an error."""
    tree = ast.parse(path.read_text())
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in function.body:
                yield from _changes_below(path, statement)


def _changes_below(path: Path, node: ast.AST) -> Iterator[Change]:
    if isinstance(
        node,
        ast.FunctionDef
        | ast.AsyncFunctionDef
        | ast.ClassDef
        | ast.Raise
        | ast.JoinedStr
        | ast.pattern,
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
            yield _whole(path, node, _joined(_COMPARED[type(operator)], left, right))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _COMPUTED:
            yield _whole(path, node, _joined(_COMPUTED[type(operator)], left, right))
        case ast.BoolOp(op=operator, values=[first, second, *others]):
            same, other = ("and", "or") if isinstance(operator, ast.And) else ("or", "and")
            text = _joined(other, first, second)
            yield _whole(path, node, f" {same} ".join([text, *map(ast.unparse, others)]))
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


def _joined(operator: str, *operands: ast.expr) -> str:
    return f" {operator} ".join(f"({ast.unparse(one)})" for one in operands)


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
        compile_dir(copy / plane, quiet=2, invalidation_mode=_BY_HASH)
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


def _outcomes(copy: Path, changes: Mapping[int, Change]) -> Iterator[tuple[int, str]]:
    """Raises `SystemExit` where the tests cannot be collected."""
    job = {
        "near": {number: _near(change.path) for number, change in changes.items()},
        "record": str(ROOT / "build/mutation.json"),
    }
    with subprocess.Popen(
        [sys.executable, "-Bm", "tests.mutated_runs", json.dumps(job)],
        cwd=copy,
        stdout=subprocess.PIPE,
        text=True,
    ) as runs:
        assert runs.stdout is not None
        for line in runs.stdout:
            number, outcome = json.loads(line)
            yield number, outcome
    if runs.returncode != 0:
        sys.exit(runs.returncode)


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


def _near(module: Path) -> list[str]:
    """The test files that import *module* themselves."""
    found = [path for path, steps in steps_to([module]).items() if steps == 1]
    names = sorted(str(path.relative_to(ROOT)) for path in found if path.name.startswith("test_"))
    return [name for name in names if name.startswith((*FOLDERS, "tests/control/"))]


if __name__ == "__main__":
    sys.exit(main())
