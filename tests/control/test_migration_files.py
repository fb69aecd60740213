"""
Migrations follow one another in the order of their numbers. A downgrade drops each column that its migration adds, and
the column may be null where the model of the table says so. Opens no connection.
"""

import ast
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

import control.storage.migrations
from control.storage import tables
from control.storage.tables.base import metadata
from deploy.standalone.child import ROOT
from tests.upgrade.builds import read_releases

_VERSIONS = Path(control.storage.migrations.__file__).parent / "versions"
_MIGRATIONS = sorted(_VERSIONS.glob("*.py"))
_FILLED_IN = {("memberships", "id")}
"""Columns that the same migration fills and then makes not null."""
for _module in iter_modules(tables.__path__):
    import_module(f"{tables.__name__}.{_module.name}")


def _calls(path: Path, name: str) -> Iterator[list[ast.expr]]:
    """The arguments of each call of ``op.NAME``."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr=attr), args=args):
                if attr == name:
                    yield args
            case _:
                pass


def _value(node: ast.expr) -> Any:
    """None for a variable, such as that of a loop."""
    return node.value if isinstance(node, ast.Constant) else None


def _added(path: Path) -> Iterator[tuple[str, str, ast.Call]]:
    """Table and column, with the call of ``sa.Column``, of the columns whose names the migration states."""
    for where, column in _calls(path, "add_column"):
        if isinstance(column, ast.Call):
            table, name = _value(where), _value(column.args[0])
            if table and name:
                yield table, name, column


def test_each_migration_follows_the_one_with_the_number_below() -> None:
    stated = [
        {
            node.targets[0].id: _value(node.value)
            for node in ast.parse(path.read_bytes()).body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for path in _MIGRATIONS
    ]
    numbers = [one["revision"] for one in stated]

    assert all(
        path.name.startswith(str(number)) for path, number in zip(_MIGRATIONS, numbers, strict=True)
    )
    assert [one["down_revision"] for one in stated] == [None, *numbers[:-1]]


@pytest.mark.parametrize(("name", "commit"), read_releases().items())
def test_migrations_of_a_recorded_build_stay_as_they_are(name: str, commit: str) -> None:
    """A database of that build does not run them again, and its processes use their columns during an upgrade."""
    compared = subprocess.run(
        ["git", "diff", "--name-only", "--no-renames", "--diff-filter=DM", commit, "--", _VERSIONS],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    if compared.returncode != 0:
        pytest.skip(f"This clone lacks {name}.")
    assert compared.stdout.split() == []


def test_most_migrations_that_add_a_column_state_its_name() -> None:
    assert sum(1 for path in _MIGRATIONS for _ in _added(path)) > 20


@pytest.mark.parametrize("path", _MIGRATIONS, ids=lambda path: path.stem)
def test_a_downgrade_drops_what_the_migration_adds(path: Path) -> None:
    dropped = {(_value(table), _value(column)) for table, column in _calls(path, "drop_column")}

    lacking = [
        f"{table}.{name}"
        for table, name, _ in _added(path)
        if not {(table, name), (table, None)} & dropped
    ]
    assert lacking == []


@pytest.mark.parametrize("path", _MIGRATIONS, ids=lambda path: path.stem)
def test_an_added_column_may_be_null_where_the_model_says_so(path: Path) -> None:
    differing = []
    for table, name, column in _added(path):
        stated = [each.value for each in column.keywords if each.arg == "nullable"]
        may_be_null = not stated or _value(stated[0])
        model = metadata.tables[table].columns
        if (table, name) in _FILLED_IN or name not in model:
            continue
        if model[name].nullable is not may_be_null:
            differing.append((table, name))

    assert differing == []
