"""Parameters of an operation: path, query model, and the headers that follow from its kind."""

from typing import Any

from common.contract.field_descriptions import PARAMETERS
from common.contract.formats import with_format
from common.contract.operation import Operation

_REQUEST_ID = {
    "name": "X-Request-Id",
    "in": "header",
    "required": False,
    "description": (
        "Your request id, returned in the response if it has 1 to 128 visible ASCII characters. Otherwise the server "
        "generates one."
    ),
    "schema": {"type": "string"},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": (
        "Makes a retry safe. A repeated request with the same key within 24 hours returns the stored first response, "
        "byte for byte, with `Idempotent-Replayed: true`, and creates nothing."
    ),
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
}
_IDEMPOTENCY_KEY_OF_A_REPORT = _IDEMPOTENCY_KEY | {
    "description": (
        "Repeated requests with the same key and body are one conversion; another body returns 422 "
        "`idempotency_key_reused`. Send it if there is no `order_id`; otherwise a repeated request counts again."
    ),
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": (
        'The `version` you read, with or without quotes (`3` or `"3"`). Any other version returns 412 '
        "`version_conflict`."
    ),
    "schema": {"type": "string", "pattern": '^("?)[0-9]{1,18}("?)$'},
}
_IF_MATCH_WHERE_IT_COMES = _IF_MATCH | {
    "required": False,
    "schema": {"type": "string", "pattern": '^("?[0-9]{1,18}"?)?$'},
}


def parameters_of(operation: Operation, query: dict[str, Any]) -> list[dict[str, Any]]:
    """*query*: the schema of the operation's query model; empty where it has none."""
    found: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": description,
            "schema": with_format(name, {"type": "string"}),
        }
        for name, description in operation.path_params.items()
    ]
    found += _query_parameters(operation, query)
    found += [
        {
            "name": name,
            "in": "header",
            "required": False,
            "description": description,
            "schema": {"type": "string"},
        }
        for name, description in operation.header_params.items()
    ]
    if operation.creates:
        found.append(_IDEMPOTENCY_KEY)
    if operation.takes_idempotency_key:
        found.append(_IDEMPOTENCY_KEY_OF_A_REPORT)
    if operation.needs_version or operation.accepts_version:
        found.append(_IF_MATCH if operation.needs_version else _IF_MATCH_WHERE_IT_COMES)
    found.append(_REQUEST_ID)
    return found


def _query_parameters(operation: Operation, query: dict[str, Any]) -> list[dict[str, Any]]:
    required = set(query.get("required", ()))
    found = []
    for name, field in query.get("properties", {}).items():
        plain = _plain(field)
        description = plain.pop("description", None) or PARAMETERS.get(name)
        item: dict[str, Any] = {"name": name, "in": "query", "required": name in required}
        if description:
            item["description"] = description
        if plain.get("type") == "array":
            item |= {"style": "form", "explode": False}
            item["description"] = f"{description} Comma-separated, repeated, or both."
        going = operation.deprecated_params.get(name)
        if going is not None:
            item["description"] = f"{item.get('description', '')} {going.words}".strip()
            item |= going.described
        found.append(item | {"schema": plain})
    return found


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of a value that is present or absent, but never null."""
    merged = {key: value for key, value in field.items() if key not in {"anyOf", "default"}}
    if field.get("default") is not None:
        merged["default"] = field["default"]
    for option in field.get("anyOf", ()):
        if option != {"type": "null"}:
            merged |= option
    if isinstance(merged.get("type"), list):
        merged["type"] = merged["type"][0]
    return merged
