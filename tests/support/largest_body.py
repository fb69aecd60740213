"""The longest JSON body that the committed description allows an operation."""

from typing import Any

import orjson

from control.api.openapi import COMMITTED

DOCUMENT = orjson.loads(COMMITTED.read_bytes())
_WIDE = "\U0001f600"
"""A character of four bytes, where the description does not say which there may be."""
_ENDLESS_CHARS, _ENDLESS_ITEMS = 64, 32
"""What is taken of a text or a list for which the description states no end."""
_NUMBER = 10**15
_ENOUGH_BYTES = 2 << 20
"""Beyond every limit: a list or an object is not made longer."""


def taking_a_body(*, edge: bool) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Method, path and description of each operation of a plane with a JSON body, by its name."""
    return {
        operation["operationId"]: (method, path, operation)
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict)
        and "requestBody" in operation
        and ("servers" in operation) is edge
    }


def largest_of(operation: dict[str, Any]) -> bytes:
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return orjson.dumps(largest_value(schema))


def largest_value(schema: dict[str, Any]) -> Any:
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "const" in schema:
        return schema["const"]
    choices = schema.get("enum") or [
        largest_value(one) for one in schema.get("anyOf") or schema.get("oneOf") or ()
    ]
    types = schema.get("type", [])
    if isinstance(types, list):  # such as a text or null
        choices += [largest_value({**schema, "type": one}) for one in types if one != "null"]
    if choices:
        return max(choices, key=lambda one: len(orjson.dumps(one)))
    match types:
        case "string":
            letter = "a" if "pattern" in schema or "format" in schema else _WIDE
            return letter * schema.get("maxLength", _ENDLESS_CHARS)
        case "array":
            item = largest_value(schema["items"])
            return [item] * _bounded(schema.get("maxItems", _ENDLESS_ITEMS), item)
        case "object":
            return largest_object(schema)
        case _:
            return schema.get("maximum", _NUMBER)


def largest_object(schema: dict[str, Any]) -> dict[str, Any]:
    fields = {name: largest_value(one) for name, one in schema.get("properties", {}).items()}
    more = schema.get("additionalProperties")
    if isinstance(more, dict):
        longest, value = schema.get("propertyNames", {}).get("maxLength", 64), largest_value(more)
        for number in range(_bounded(schema.get("maxProperties", _ENDLESS_ITEMS), value)):
            fields[f"{number:a>{longest}}"] = value
    return fields


def _bounded(count: int, value: Any) -> int:
    return min(count, _ENOUGH_BYTES // len(orjson.dumps(value)) + 1)
