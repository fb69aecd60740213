"""The CHECK of a column, as the migrations state it, admits what the API's field admits."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import control.storage.migrations
from control.foundation.resource_models import field_schemas
from tests.control.resource_table import RESOURCES, Resource

_VERSIONS = Path(control.storage.migrations.__file__).parent / "versions"
_API_ALONE: Mapping[str, frozenset[str]] = {
    "campaigns": frozenset({"budget_total_cents", "budget_daily_cents", "external_ref"}),
    "ads": frozenset({"name", "click_url"}),
    "assets": frozenset({"filename", "mime", "sha256"}),
    "properties": frozenset({"name", "domain", "bundle_id", "consent_policy"}),
    "slots": frozenset({"name", "floor_cents", "refresh_seconds"}),
    "accounts": frozenset({"currency"}),
}
"""By table: columns from before each bound had a CHECK, without one or with a wider one. New columns have one."""


def _calls(tree: ast.AST) -> Iterator[tuple[str, list[Any]]]:
    """The calls of the helpers with their arguments, in the order of the file, except those that go down."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "downgrade":
            continue
        match node:
            case ast.Call(func=ast.Name(id="check" | "one_of" as helper), args=args) if all(
                isinstance(each, ast.Constant) for each in args
            ):
                yield helper, [ast.literal_eval(each) for each in args]
            case _:
                pass
        yield from _calls(node)


def _checks() -> dict[tuple[str, str], Any]:
    """By table and column: the least and the most of a number or of a length, the values, or the pattern."""
    found: dict[tuple[str, str], Any] = {}
    for path in sorted(_VERSIONS.glob("*.py")):
        for helper, (table, name, *rule) in _calls(ast.parse(path.read_bytes())):
            if helper == "one_of":
                found[table, name] = frozenset(rule)
            elif bounds := re.fullmatch(
                rf"(?:length\({name}\)|{name}) between (\d+) and (\d+)", rule[0]
            ):
                found[table, name] = (int(bounds[1]), int(bounds[2]))
            elif pattern := re.fullmatch(rf"{name} ~ '(.*)'", rule[0]):
                found[table, name] = pattern[1]
    return found


def _bounds_of(schema: Mapping[str, Any]) -> Any:
    """As those of `_checks`; None where every value of the type is admitted."""
    if "enum" in schema:
        return frozenset(schema["enum"])
    if "maximum" in schema:
        return schema["minimum"], schema["maximum"]
    if "maxLength" in schema:
        return schema.get("minLength", 0), schema["maxLength"]
    return schema.get("pattern")


@pytest.mark.parametrize("one", RESOURCES, ids=lambda one: one.name)
def test_a_check_admits_what_the_field_admits(one: Resource) -> None:
    table, checks = str(one.row.__tablename__), _checks()
    schemas = {**field_schemas(one.create), **field_schemas(one.patch)}
    bounds = {name.replace(".", "_"): _bounds_of(schema) for name, schema in schemas.items()}
    differing = {
        column
        for column, bound in bounds.items()
        if bound is not None
        and column in one.row.model_fields
        and checks.get((table, column)) != bound
    }
    assert differing == _API_ALONE.get(one.name, frozenset())
