"""What was renamed stays renamed: no former identifier, log event, job or phrase comes back."""

import ast
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.imports import ROOT

_LIST = ROOT / "tests" / "architecture" / "retired.txt"
_CODE = ("common", "control", "edge", "deploy", "loadtests", "tests")
_EXEMPT = {
    ROOT / "common" / "service" / "deprecated_names.py": "former names of settings and metrics",
    ROOT / "tests" / "control" / "dashboard" / "former_words.txt": "a list of the same kind",
    _LIST: "this list",
    Path(__file__): "examples",
}
_CHANGELOG = ROOT / "CHANGELOG.md"
"""It names both the former and the present words of what was renamed."""
_WORD = re.compile(r"[A-Za-z_]\w*")


@cache
def retired(section: str) -> frozenset[str]:
    text = _LIST.read_text().partition(f"[{section}]\n")[2].partition("\n[")[0]
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def names_in(path: Path, source: str) -> set[str]:
    """Retired identifiers that *source* uses: of Python in its syntax, of C anywhere."""
    words = set(retired("names")).intersection(_WORD.findall(source))
    if path.suffix != ".py" or not words:
        return words
    found = {
        part
        for node in ast.walk(ast.parse(source))
        for name in _names_of(node)
        for part in name.split(".")
    }
    return words & found


def _names_of(node: ast.AST) -> Iterator[str]:
    for field in ("name", "id", "attr", "arg", "asname", "module"):
        name = getattr(node, field, None)
        if isinstance(name, str):
            yield name


def phrases_in(source: str) -> set[str]:
    lower = source.lower()
    found = {one for one in retired("phrases") if one in lower}
    return found | set(retired("words")).intersection(_WORD.findall(source))


def _texts(*folders: str) -> Iterator[tuple[Path, str]]:
    """Every committed file that is text."""
    command = ["git", "ls-files", "-z", *folders]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    for path in paths:
        if path in _EXEMPT or not path.is_file():
            continue
        with suppress(UnicodeDecodeError):
            yield path, path.read_text("utf-8")


def test_no_retired_identifier_is_used() -> None:
    found = {
        str(path.relative_to(ROOT)): names_in(path, source)
        for path, source in _texts(*_CODE)
        if path.suffix in (".py", ".c", ".h")
    }

    assert {path: names for path, names in found.items() if names} == {}


def test_no_retired_phrase_is_used() -> None:
    found = {str(path.relative_to(ROOT)): phrases_in(source) for path, source in _texts()}
    found[_CHANGELOG.name] -= retired("words")

    assert {path: phrases for path, phrases in found.items() if phrases} == {}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("x.py", "class SlotLine: ..."),
        ("x.py", "def keep_reader(): ..."),
        ("x.py", "from common.http import ReadyAnswer as answer"),
        ("x.py", "edge.handle(open_micros=1)"),
        ("x.py", "budget.open_micros += 1"),
        ("x.c", "static int find_thing(void);"),
    ],
)
def test_a_retired_identifier_is_found(name: str, source: str) -> None:
    assert names_in(Path(name), source)


def test_a_retired_identifier_may_be_a_word_in_a_string() -> None:
    assert not names_in(Path("x.py"), 'about = {"open_micros": 1}  # open_micros of a record')


@pytest.mark.parametrize(
    "source",
    ['_log.info("store_away")', "# asks the Doorman", "- in vain", "The edge is told."],
)
def test_a_retired_phrase_is_found(source: str) -> None:
    assert phrases_in(source)
