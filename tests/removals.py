"""
`make mutate-uses NAME=external_ref OF=field`: removes each use of a name from the product's code, one at a time, and
runs the quick tests that CONTRIBUTING.md names for what it is: a field, a targeting kind, a quality signal or a metric.
A removal that neither they nor the type checker notice is printed: it shows a place that somebody may forget. With
``--near`` the tests that are nearest to such a place run as well, and the line says whether one of them notices.

A use is the smallest part that can be left out: a statement, an argument, an item of a list, a line of a template, an
entry of a catalogue. Sentences are no uses. Of the catalogues, English and Portuguese ones are changed:
`test_all_languages_have_the_same_entries` compares the others with these. Uses that `removals.toml` explains are
counted and left alone.

Runs in a copy of the tree. One line of JSON at the end.
"""

import argparse
import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, Self

from tests.affected import touched_tests
from tests.architecture.imports import ROOT
from tests.mutation import copy_tree, do_tests_fail

_PLANES = ("common", "edge", "control", "clients/web/src")
_BY_LINE = {".c", ".h", ".html", ".inc", ".js", ".ts"}
_STATEMENTS = {"body", "orelse", "finalbody"}
_ITEMS = {"args", "bases", "elts", "ifs", "keys", "keywords", "kwonlyargs", "values"}
_NEVER_EMPTY = {"cases", "names"}
"""The fields of syntax nodes whose items can be left out one by one."""
_QUICK = re.compile(r"^(?:\d+\. )?Quick[^`]*`\.venv/bin/python -m pytest ([^`]+)`", re.MULTILINE)
_COMMENT = re.compile(r"\s*(?:/\*.*\*/\s*$|/?\*+ |//|\{#.*#\}\s*$)")
_SENTENCE = re.compile(r"[A-Z`{].*[.:!?]\)?", re.DOTALL)
_NEAR_S = 400
_MOST_NEAR = 25
_LOCALES = ROOT / "control/dashboard/locales"


class Use(NamedTuple):
    """``without``: the text of the file without the use."""

    path: Path
    line: int
    text: str
    without: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.text}"


def main() -> int:
    """Returns 1 where a removal was not noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--of", default="field", help="field, targeting kind, quality signal, …")
    parser.add_argument(
        "--under",
        action="append",
        default=[],
        help="only files whose path begins so; may be repeated",
    )
    parser.add_argument("--list", action="store_true", help="only print the uses")
    parser.add_argument(
        "--near", action="store_true", help="have survivors run the nearest tests, too"
    )
    arguments = parser.parse_args()
    under = tuple(f"{ROOT}/{start}" for start in arguments.under or _PLANES)
    uses = [use for use in uses_of(arguments.name) if str(use.path).startswith(under)]
    reasons = explanations(arguments.name)
    explained = [use for use in uses if reason_for(use, reasons)]
    others = [use for use in uses if not reason_for(use, reasons)]
    if arguments.list:
        print(*others, sep="\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        survivors = _survivors(
            copy_tree(Path(folder)), others, quick_tests(arguments.of), near=arguments.near
        )
    for use in explained:
        print(f"EXPLAINED {use}: {reason_for(use, reasons)}")
    counts = {"uses": len(uses), "explained": len(explained), "survived": len(survivors)}
    print(json.dumps(counts | {"survivors": survivors}))
    return 1 if survivors else 0


def explanations(name: str) -> Mapping[str, str]:
    """The reasons of `removals.toml`, by how the places begin: a path, or ``path: text``."""
    table = tomllib.loads((ROOT / "tests/removals.toml").read_text("utf-8"))
    return {start: one["reason"] for one in table.get(name, ()) for start in one["places"]}


def reason_for(use: Use, reasons: Mapping[str, str]) -> str | None:
    place = f"{use.path.relative_to(ROOT)}: {use.text}"
    return next((reason for start, reason in reasons.items() if place.startswith(start)), None)


def quick_tests(of: str) -> list[str]:
    """The arguments of pytest in the section of CONTRIBUTING.md on adding one of *of*."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = re.split(rf"^## Add an? {of}\b.*$", text, maxsplit=1, flags=re.MULTILINE)[1:]
    found = _QUICK.search(section[0].split("\n## ")[0]) if section else None
    if not found:
        sys.exit(f"CONTRIBUTING.md names no quick tests for adding a {of}.")
    return shlex.split(found[1])


def uses_of(name: str) -> list[Use]:
    """Every use of *name*, and of the same name as a constant or a class is written."""
    camel = "".join(part.capitalize() for part in name.split("_"))
    word = re.compile(rf"(?<![\w-])(?:{name}|{name.upper()}|{camel})(?![\w-])")
    found: list[Use] = []
    compared = {path for path in _LOCALES.iterdir() if path.name not in {"en", "pt_BR"}}
    for plane in _PLANES:
        for path in sorted((ROOT / plane).rglob("*")):
            if path.parent in compared:
                continue
            if path.suffix in {".py", ".po"} | _BY_LINE and word.search(path.read_text("utf-8")):
                found += _in_python(path, word) if path.suffix == ".py" else _in_text(path, word)
    return found


def _in_text(path: Path, word: re.Pattern[str]) -> Iterator[Use]:
    """Lines; of a catalogue, entries."""
    parts = path.read_text("utf-8").split(end := "\n\n" if path.suffix == ".po" else "\n")
    line = 1
    for at, part in enumerate(parts):
        if word.search(part) and not _COMMENT.match(part):
            yield Use(path, line, part.strip()[:120], end.join(parts[:at] + parts[at + 1 :]))
        line += (part + end).count("\n")


def _in_python(path: Path, word: re.Pattern[str]) -> Iterator[Use]:
    """The files as `ast.unparse` writes them: comments are lost, docstrings stay."""
    source = path.read_text("utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    above = {
        child: (node, field)
        for node in ast.walk(tree)
        for field, value in ast.iter_fields(node)
        for child in (value if isinstance(value, list) else [value])
        if isinstance(child, ast.AST)
    }
    seen = set()
    for node in ast.walk(tree):
        if not _is_named(node, word) or isinstance(above[node][0], ast.Expr):
            continue
        if isinstance(node, ast.Constant) and not word.fullmatch(str(node.value)):
            yield from _in_string(path, tree, node, word)
            continue
        part, (parent, field) = node, above[node]
        while not _can_do_without(parent, field):
            part, (parent, field) = parent, above[parent]
        if part not in seen:
            seen.add(part)
            line = getattr(node, "lineno", 0)
            with _left_out(parent, field, part):
                yield Use(path, line, lines[line - 1].strip()[:120], ast.unparse(tree))


def _is_named(node: ast.AST, word: re.Pattern[str]) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return bool(word.fullmatch(name))
        case ast.arg(arg=name) | ast.keyword(arg=str(name)):
            return bool(word.fullmatch(name))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return bool(word.fullmatch(name))
        case ast.Constant(value=str(text)):
            return bool(word.search(text)) and not _SENTENCE.fullmatch(text)
        case _:
            return False


def _in_string(
    path: Path, tree: ast.Module, node: ast.Constant, word: re.Pattern[str]
) -> Iterator[Use]:
    """Each time that a longer string, such as SQL, has the name: without it and the comma before."""
    text = node.value
    assert isinstance(text, str)
    for found in word.finditer(text):
        node.value = text[: found.start()].rstrip(" ,\n") + text[found.end() :]
        shown = text[max(0, found.start() - 50) : found.end() + 50]
        yield Use(path, node.lineno, " ".join(shown.split()), ast.unparse(tree))
    node.value = text


def _can_do_without(parent: ast.AST, field: str) -> bool:
    if isinstance(parent, ast.JoinedStr):
        return False
    if field in _NEVER_EMPTY:
        return len(getattr(parent, field)) > 1
    return field in _STATEMENTS | _ITEMS and isinstance(getattr(parent, field), list)


@contextmanager
def _left_out(parent: ast.AST, field: str, part: ast.AST) -> Iterator[None]:
    lists = {name: [*value] for name, value in ast.iter_fields(parent) if isinstance(value, list)}
    at = lists[field].index(part)
    also = {"keys", "values"} if isinstance(parent, ast.Dict) else {field}
    for name in also:
        del getattr(parent, name)[at]
    if isinstance(parent, ast.arguments):
        at -= len(lists[field]) - len(lists["defaults" if field == "args" else "kw_defaults"])
        if at >= 0:
            del (parent.defaults if field == "args" else parent.kw_defaults)[at]
    if field == "body" and not getattr(parent, field):
        getattr(parent, field).append(ast.Pass())
    yield
    for name, value in lists.items():
        setattr(parent, name, value)


def _survivors(copy: Path, uses: Sequence[Use], quick: list[str], *, near: bool) -> list[str]:
    """The uses whose removal neither the tests nor the type checker notice."""
    for path in {use.path for use in uses if use.path.suffix == ".py"}:
        (copy / path.relative_to(ROOT)).write_text(ast.unparse(ast.parse(path.read_text("utf-8"))))
    missed: list[Use] = []
    with _Runs(copy, quick) as runs:
        for path, of_path in groupby(uses, key=lambda use: use.path):
            missed += runs.unnoticed(path, list(of_path))
    usual = _type_errors(copy) if any(use.path.suffix == ".py" for use in missed) else Counter()
    survivors = []
    for use in missed:
        target = copy / use.path.relative_to(ROOT)
        before = target.read_text("utf-8")
        target.write_text(use.without)
        if use.path.suffix != ".py" or not _type_errors(copy) - usual:
            survivors.append(str(use))
            print(f"SURVIVED {use}{_by_near(copy, use) if near else ''}", flush=True)
        target.write_text(before)
    return survivors


def _by_near(copy: Path, use: Use) -> str:
    tests = touched_tests([str(use.path.relative_to(ROOT))])[:_MOST_NEAR]
    return " (noticed by near tests)" if do_tests_fail(copy, tests, _NEAR_S) else " (by no test)"


class _Runs:
    """The quick tests in *copy*, see `tests.forked_runs`. Raises `SystemExit` where they fail with nothing removed."""

    def __init__(self, copy: Path, quick: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-Bm", "tests.forked_runs", *quick],
            cwd=copy,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        began = time.monotonic()
        first = self._answer()
        if first["failed"]:
            sys.exit(f"The quick tests fail with nothing removed: {first['failed']}")
        print(
            f"{first['tests']} quick tests, prepared in {time.monotonic() - began:.0f} s.",
            flush=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def unnoticed(self, path: Path, uses: Sequence[Use]) -> list[Use]:
        """Of *uses*, all of *path*, those whose removal fails no test. Prints which test the others fail."""
        assert self._process.stdin is not None
        job = [str(path.relative_to(ROOT)), [use.without for use in uses]]
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        found = []
        for use in uses:
            failed = self._answer()
            print(f"{failed or 'no test'}: {use}", flush=True)
            if failed is None:
                found.append(use)
        return found

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())


def _type_errors(copy: Path) -> Counter[tuple[str, str]]:
    """Files and messages of the type checker. `ast.unparse` drops the comments that silence some."""
    if not (cache := copy / ".mypy_cache").exists() and (ROOT / cache.name).exists():
        shutil.copytree(ROOT / cache.name, cache)
    done = subprocess.run(
        [sys.executable, "-m", "mypy"], cwd=copy, capture_output=True, text=True, check=False
    )
    return Counter(re.findall(r"^(.*?):\d+: (error: .*)$", done.stdout, re.MULTILINE))


if __name__ == "__main__":
    sys.exit(main())
