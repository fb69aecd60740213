"""A docstring names parameters and fields that exist: ``*name*`` a parameter, ``name``: a field."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PARAMETER = re.compile(r"(?<![\w*])\*([a-z_][a-z_0-9]*)\*(?![\w*])")
_FIELD = re.compile(r"(?:^|(?<=[.;] ))``([a-z_][a-z_0-9]*)``:", re.MULTILINE)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    every = function.args
    named = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    return {one.arg for one in named if one is not None}


def _names_of(node: ast.AST) -> set[str]:
    """All that a class or function declares, assigns or takes."""
    found = set()
    for inner in ast.walk(node):
        match inner:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found |= {name} | _parameters(inner)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
            case _:
                pass
    return found


def wrong_names(tree: ast.AST, scope: frozenset[str] = frozenset()) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from wrong_names(node, scope)
            continue
        text, names = ast.get_docstring(node) or "", scope | _names_of(node)
        if isinstance(node, _FUNCTIONS):
            names |= _parameters(node)
        wrong = set(_PARAMETER.findall(text)) - names
        if isinstance(node, ast.ClassDef) and not node.bases:
            wrong |= set(_FIELD.findall(text)) - names
        yield from (f"{node.name} (line {node.lineno}): {name}" for name in sorted(wrong))
        yield from wrong_names(node, names if isinstance(node, ast.ClassDef) else scope | names)


@pytest.mark.parametrize("folder", ["common", "edge", "control", "deploy", "loadtests", "tests"])
def test_a_docstring_names_what_exists(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {wrong}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for wrong in wrong_names(ast.parse(path.read_bytes()))
    ]
    assert not found, "\n".join(found)


def test_a_wrong_name_is_found() -> None:
    source = 'class A:\n    """``old``: gone. *new*: here."""\n    def __init__(self, new):\n        """*older*."""\n'
    assert list(wrong_names(ast.parse(source))) == ["A (line 1): old", "__init__ (line 3): older"]
