"""What the description says of ids, instants and enumerations: generators make types of it."""

import re
from collections.abc import Iterator
from typing import Any

from common.contract.formats import NOT_UUIDS, OWN_IDS
from common.contract.operation import Plane
from tests.contract.described import all_described, document, resolve

Schema = dict[str, Any]

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_COMPARED_ONLY = "SnapshotPosition.epoch"
"""An opaque word; that it is a UUID today is no promise."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_every_id_is_a_uuid_or_says_why_it_is_none() -> None:
    ids = [(where, name, field) for where, name, field in _fields() if _is_named_as_id(name)]
    wrong = [f"{where}.{name}" for where, name, field in ids if _formats(field) != {"uuid"}]
    reasoned = {f"{where}.{name}" for where, name, _ in ids if name in NOT_UUIDS} | OWN_IDS.keys()

    assert set(wrong) == reasoned, "give it the format, or its reason in `NOT_UUIDS`"
    assert all((NOT_UUIDS | OWN_IDS).values())


def test_every_instant_is_a_date_time() -> None:
    wrong = [
        f"{where}.{name}"
        for where, name, field in _fields()
        if name.endswith("_at") and _formats(field) != {"date-time"}
    ]

    assert wrong == []


def test_examples_hold_no_uuid_and_no_instant_whose_field_has_no_format() -> None:
    """Whatever the field is called."""
    wrong = {
        where
        for where, field, value in _example_values()
        for pattern, form in ((_UUID, "uuid"), (_INSTANT, "date-time"))
        if pattern.fullmatch(value) and form not in _formats(field)
    }

    named = {where for where in wrong if where.rpartition(".")[2] in NOT_UUIDS}
    assert wrong - named - {_COMPARED_ONLY} == set()


def test_every_enumeration_of_a_parameter_has_a_name() -> None:
    inline = [
        f"{one.name}.{name}"
        for one in all_described()
        for name, given in one.parameters.items()
        if "enum" in given["schema"] or "enum" in given["schema"].get("items", {})
    ]

    assert inline == []


def test_edge_operations_name_both_edges_by_address_and_by_a_variable() -> None:
    """By address first: some generators take the first server and leave a variable as it stands."""
    edge = [one for one in all_described() if one.operation.plane is Plane.EDGE]

    assert edge
    for one in edge:
        live, test, either = one.item["servers"]
        variable = either["variables"]["edge_url"]
        assert either["url"] == "{edge_url}"
        assert variable["enum"] == [live["url"], test["url"]]
        assert variable["default"] == live["url"]


def _fields() -> Iterator[tuple[str, str, Schema]]:
    """Its location, its name and its schema: of every field of a model, and of every parameter."""
    for model, schema in document()["components"]["schemas"].items():
        for name, field in schema.get("properties", {}).items():
            yield model, name, field
    for one in all_described():
        for name, given in one.parameters.items():
            yield one.name, name, given["schema"]


def _is_named_as_id(name: str) -> bool:
    return name in {"id", "ids"} or name.endswith(("_id", "_ids"))


def _formats(schema: Schema) -> set[str | None]:
    """Of the texts that *schema* allows, alone, in a list or as a map's values."""
    schema = resolve(schema)
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    options += [schema[name] for name in ("items", "additionalProperties") if name in schema]
    found: set[str | None] = set()
    for option in options:
        found |= _formats(option) if isinstance(option, dict) else set()
    kinds = schema.get("type", ())
    if "string" in ([kinds] if isinstance(kinds, str) else kinds):
        found.add(schema.get("format"))
    return found


def _example_values() -> Iterator[tuple[str, Schema, str]]:
    """Every text of an example that has a schema."""
    for one in all_described():
        answers = [one.item.get("requestBody", {}), *one.responses.values()]
        for media in (media for a in answers for media in a.get("content", {}).values()):
            if "example" in media:
                yield from _values(one.name, media["schema"], media["example"])


def _values(where: str, schema: Schema, example: Any) -> Iterator[tuple[str, Schema, str]]:
    where = schema.get("$ref", where).rpartition("/")[2]
    schema = resolve(schema)
    if isinstance(example, str):
        yield where, schema, example
        return
    for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if set(resolve(option).get("required", ())) <= set(_names(example)):
            yield from _values(where, option, example)
    if isinstance(example, list) and isinstance(schema.get("items"), dict):
        for item in example:
            yield from _values(where, schema["items"], item)
    elif isinstance(example, dict):
        for name, inner in schema.get("properties", {}).items():
            if name in example:
                yield from _values(f"{where}.{name}", inner, example[name])


def _names(example: Any) -> Iterator[str]:
    yield from example if isinstance(example, dict) else ()
