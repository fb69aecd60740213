"""
Adapts schemas to code generators: ids are UUIDs everywhere, no title repeats a field's name, and a map describes its
values.
"""

from typing import Any

_UUID = {"format": "uuid"}
_NULL = {"type": "null"}
NOT_UUIDS = {
    "bundle_id": "The app's id in its store.",
    "click_id": "A UUID, alone or with a signature: `<uuid>.<tag>`.",
    "object_id": "Some objects have a key of another shape.",
    "order_id": "The shop's own.",
    "universal_ad_id": "An object: registry and value.",
    "session_id": "The listening session's id may be the caller's own.",
    "send_id": "The sender's own.",
    "request_id": "The caller's own `X-Request-Id`, where one was sent.",
}
"""Fields named like ids that are not UUIDs, and the reason."""
OWN_IDS = {
    "StitchBreak.id": "The caller's own.",
    "StitchContent.id": "The caller's own.",
    "StitchedBreak.id": "The caller's own, as it was sent.",
}
"""Fields of the name `id` that are not UUIDs, and the reason; such a field has a greatest length."""
_USERS = frozenset({"by", "created_by", "invited_by", "requested_by"})
"""Fields with the id of a user."""


def with_formats(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns a model's *schema* with the formats of its fields."""
    if "properties" not in schema:
        return schema
    fields = {
        name: with_format(name, {key: value for key, value in field.items() if key != "title"})
        for name, field in schema["properties"].items()
    }
    return schema | {"properties": fields}


def with_format(name: str, field: dict[str, Any]) -> dict[str, Any]:
    """*field*: the schema of the field or parameter of that *name*."""
    field = _without_default(_nullable(_as_map(field)))
    if name in NOT_UUIDS or (name == "id" and _has_length(field)):
        return field
    if name in {"id", "ids"} | _USERS or name.endswith(("_id", "_ids")):
        return _as_uuid(field)
    return field


def _has_length(field: dict[str, Any]) -> bool:
    """Whether an id is the caller's own text."""
    return "maxLength" in field or any("maxLength" in one for one in field.get("anyOf", ()))


def _as_map(field: dict[str, Any]) -> dict[str, Any]:
    """Rewrites a map whose keys have a pattern, as pydantic writes it: few generators support that form."""
    if "anyOf" in field:
        return field | {"anyOf": [_as_map(option) for option in field["anyOf"]]}
    patterns = field.get("patternProperties", {})
    if len(patterns) != 1:
        return field
    [(pattern, value)] = patterns.items()
    rest = {key: inner for key, inner in field.items() if key != "patternProperties"}
    return rest | {"propertyNames": {"pattern": pattern}, "additionalProperties": value}


def _nullable(field: dict[str, Any]) -> dict[str, Any]:
    """
    Writes a plain value or null as one schema with two types. With alternatives, some generators make the value
    nullable wherever an equal schema occurs.
    """
    options = field.get("anyOf", [])
    plain = [option for option in options if option != _NULL]
    if len(options) != 2 or len(plain) != 1 or not _is_plain(plain[0]):  # noqa: PLR2004 - it, or null
        return field
    rest = {key: inner for key, inner in field.items() if key != "anyOf"}
    return {**plain[0], "type": [plain[0]["type"], "null"], **rest}


def _without_default(field: dict[str, Any]) -> dict[str, Any]:
    """
    Moves the default of a list of enum values into the description: some generators write its values as other
    constants.
    """
    if "default" not in field or "$ref" not in field.get("items", {}):
        return field
    rest = {key: inner for key, inner in field.items() if key != "default"}
    if not field["default"]:
        return rest
    usual = ", ".join(f"`{value}`" for value in field["default"])
    return rest | {"description": f"{field.get('description', '')} Left out: {usual}.".strip()}


def _is_plain(schema: dict[str, Any]) -> bool:
    return isinstance(schema.get("type"), str) and not {"enum", "const"} & schema.keys()


def _as_uuid(field: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in field:
        return field | {"anyOf": [_as_uuid(option) for option in field["anyOf"]]}
    if field.get("type") in ("string", ["string", "null"]):
        return field | _UUID
    for inner in ("items", "additionalProperties"):
        if isinstance(field.get(inner), dict):
            return field | {inner: _as_uuid(field[inner])}
    return field
