"""
Every field that the description lets a caller write is read by something. What this proves, and no more: outside the
models and what only carries a value (rows, tables, examples, pages), the code of the operation's own plane takes each
field by its name, as an attribute or as a key. `tests/control/test_edges_are_told.py` shows of what edges decide by
that a changed field changes what they have.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from common.contract.edge import EDGE_OPERATIONS
from common.contract.operation import Operation, Plane
from control.app import OPERATIONS as CONTROL_OPERATIONS
from deploy.standalone.child import ROOT

_OPERATIONS = (*CONTROL_OPERATIONS, *EDGE_OPERATIONS)
_CARRIERS = frozenset(
    {
        "schemas.py",
        "content.py",
        "act_schemas.py",
        "operations.py",
        "examples.py",
        "rows.py",
        "words.py",
    }
)
_NOT_READERS = ("control/tables/", "control/web/", "control/migrations/", "common/contract/")
_WINDOWS = ("control/web/embed/", "control/web/mount.py")
"""Pages carry what forms send; these two read what an embedded window was asked for with."""
_ROOMS: dict[Plane, tuple[str, ...]] = {
    Plane.CONTROL: ("control", "common", "edge"),
    Plane.EDGE: ("edge", "common"),
}
_LISTED = {
    "ad_format": "of an export: its own model hands it to the report as `format`",
    "kv": "parameters `kv.NAME`, which `edge/http/query.py` reads by their prefix",
    "grant_type": "chooses the model of the grant",
    "max_duration_ms": "of a slot's audio: read by what fills breaks of sound, which comes with the surfaces",
    "max_ads": "likewise",
    "skip_offset_ms": "of a video: read by the documents for players, which come with the surfaces",
}
"""The fields that no code takes by their name, each with its reason."""


def _models(kind: Any) -> Iterator[type[BaseModel]]:
    """Of an annotation, however deep; a model once."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        yield kind
    for part in get_args(kind):
        yield from _models(part)


def _fields(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    if model in seen:
        return
    seen.add(model)
    for name, field in model.model_fields.items():
        if name != "root":
            yield field.alias or name
        for annotation in (field.annotation, *field.metadata):
            for inner in _models(annotation):
                yield from _fields(inner, seen)


def _written(operation: Operation) -> set[str]:
    models = (operation.body, operation.form, operation.query)
    seen = set[type[BaseModel]]()
    return {name for model in models if model is not None for name in _fields(model, seen)}


@cache
def _read_in(room: str) -> frozenset[str]:
    """Names that the code of *room* takes as attributes, or writes as texts other than docstrings."""
    found = set[str]()
    for path in sorted((ROOT / room).rglob("*.py")):
        where = path.relative_to(ROOT).as_posix()
        is_reader = where.startswith(_WINDOWS) or not where.startswith(_NOT_READERS)
        if path.name not in _CARRIERS and is_reader:
            found |= _names(path)
    return frozenset(found)


def _names(path: Path) -> set[str]:
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Load()):
                found.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier():
                found.add(text)
    return found


def _unread(operation: Operation) -> set[str]:
    read = frozenset[str]().union(*map(_read_in, _ROOMS[operation.plane]))
    return {name for name in _written(operation) if name not in read}


@pytest.mark.parametrize("operation", _OPERATIONS, ids=lambda one: one.id)
def test_every_field_that_a_caller_may_write_is_read(operation: Operation) -> None:
    assert _unread(operation) <= set(_LISTED)


def test_every_field_on_the_list_is_written_and_still_unread() -> None:
    assert set().union(*map(_unread, _OPERATIONS)) == set(_LISTED)
