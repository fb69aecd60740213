"""A docstring names what exists: ``*name*`` a parameter, ``name``: a field, `name` or `module.Name` anything else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_PARAMETER = re.compile(r"(?<![\w*])\*([a-z_][a-z_0-9]*)\*(?![\w*])")
_FIELD = re.compile(r"(?:^|(?<=[.;] ))``([a-z_][a-z_0-9]*)``:", re.MULTILINE)
_REFERENCE = re.compile(r"(?<!`)`([A-Za-z_]\w*(?:\.\w+)*)`(?!`)")
_WITHOUT_FIELDS = {"NamedTuple", "Protocol", "Exception", "ValueError"}
"""Base classes from which a class inherits no field that its docstring may name."""
_PRODUCT = ("common", "edge", "control")
_OTHERS = {
    "__dict__",
    "pg_get_expr",
    "AdDefinitionBase_type",
    "NoResultFound",
    "COPY",
    "SynapseWorkstation",
    "ViewSonic",
    "Booking.com",
    "SUBJECT.WHAT",
    "CampaignPage",
    "AdStatusActive",
    "CONTRIBUTING.md",
}
"""Names of Python, PostgreSQL, VAST's schema and SQLAlchemy; of schemas in the description; texts that are no names."""


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
        if isinstance(node, ast.ClassDef) and {*map(ast.unparse, node.bases)} <= _WITHOUT_FIELDS:
            wrong |= set(_FIELD.findall(text)) - names
        yield from (f"{node.name} (line {node.lineno}): {name}" for name in sorted(wrong))
        yield from wrong_names(node, names if isinstance(node, ast.ClassDef) else scope | names)


def _documented(tree: ast.AST) -> Iterator[str]:
    """Docstrings of modules, classes and functions, and the texts below attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case _:
                pass


def _declared(path: Path, tree: ast.AST) -> Iterator[str]:
    """The module's names, and those in short texts: keys, columns, forms."""
    yield from path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(tree):
        for field in ("name", "id", "attr", "arg", "module"):
            if isinstance(name := getattr(node, field, None), str):
                yield from name.split(".")
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "`" not in node.value:
            yield from re.findall(r"\w+", node.value)


def unknown_references(sources: dict[Path, str], declared_elsewhere: frozenset[str]) -> list[str]:
    """Names in single backticks that nothing in *sources* has."""
    trees = {path: ast.parse(source) for path, source in sources.items()}
    known = {name for path, tree in trees.items() for name in _declared(path, tree)}
    return [
        f"{path.relative_to(ROOT)}: {name}"
        for path, tree in trees.items()
        for text in _documented(tree)
        for name in _REFERENCE.findall(text)
        if name not in _OTHERS and not {*name.split(".")} <= known | declared_elsewhere
    ]


def test_a_reference_leads_to_a_name_of_the_product() -> None:
    files = [path for folder in _PRODUCT for path in (ROOT / folder).rglob("*.py")]
    native = [path for folder in _PRODUCT for path in (ROOT / folder).rglob("*.[ch]")]
    words = {word for path in native for word in re.findall(r"\w+", path.read_text())}

    found = unknown_references({path: path.read_text() for path in files}, frozenset(words))

    assert not found, "\n".join(found)


def test_a_reference_to_a_former_name_is_found() -> None:
    source = '"""Uses `x.present` and `former`."""\ndef present(): ...\n'
    assert unknown_references({ROOT / "x.py": source}, frozenset()) == ["x.py: former"]


@pytest.mark.parametrize("folder", ["common", "edge", "control", "deploy", "loadtests", "tests"])
def test_a_docstring_names_what_exists(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {wrong}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for wrong in wrong_names(ast.parse(path.read_bytes()))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("bases", ["", "(NamedTuple)"])
def test_a_wrong_name_is_found(bases: str) -> None:
    text = '"""``old``: gone. *new*: here."""'
    source = f'class A{bases}:\n    {text}\n    def __init__(self, new):\n        """*older*."""\n'
    assert list(wrong_names(ast.parse(source))) == ["A (line 1): old", "__init__ (line 3): older"]
