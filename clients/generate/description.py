"""The models and operations of the libraries, as the description has them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from clients.generate.operations import EDGE, EXTRA_MODELS, MANAGEMENT, REPEATABLE

_MOST_ENUM_VALUES: Final = 64
"""Longer lists (currencies) are texts to a library."""


@dataclass(frozen=True, slots=True)
class Type:
    """
    ``kind``: string, integer, number, boolean, any, model, enum, list, map, const or union.

    ``name`` is that of a model or enum, or the value of a const; ``parts`` the item of a list or map, or the members
    of a union.
    """

    kind: str
    name: str = ""
    parts: tuple["Type", ...] = ()
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: Type
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Model:
    """``sent``: the service receives it, so that unknown fields in it are errors."""

    name: str
    description: str
    fields: tuple[Field, ...]
    sent: bool


@dataclass(frozen=True, slots=True)
class Union:
    """``tag``: the field that distinguishes the members."""

    name: str
    description: str
    members: tuple[str, ...]
    tag: str
    sent: bool


@dataclass(frozen=True, slots=True)
class Enum:
    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """
    ``result``: the model of the response; None for an empty one. ``item``: the model of a list's items.
    ``repeatable``: executing it twice changes nothing more. ``version``: ``required`` or ``optional`` where
    ``If-Match`` is, else empty.
    """

    name: str
    method: str
    path: str
    summary: str
    id_name: str
    query: tuple[Field, ...]
    body: str | None
    body_required: bool
    result: str | None
    item: str | None
    idempotent: bool
    repeatable: bool
    version: str


@dataclass(frozen=True, slots=True)
class Description:
    """``resources``: the operations of the control plane by resource; ``edge``: those of the edge."""

    version: str
    models: tuple[Model | Union, ...]
    enums: tuple[Enum, ...]
    resources: dict[str, tuple[Operation, ...]]
    edge: tuple[Operation, ...]


def read(document: dict[str, Any]) -> Description:
    """Raises `KeyError` with the name of an operation that the document does not have."""
    schemas = document["components"]["schemas"]
    found = {
        operation["operationId"]: (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if isinstance(operation, dict)
    }
    resources = {
        resource: tuple(_operation(name, *found[one], schemas) for name, one in methods.items())
        for resource, methods in MANAGEMENT.items()
    }
    edge = tuple(
        _operation(name, *found[one], schemas) for name, one in EDGE.items() if one in found
    )
    used = _reach(_roots([*edge, *(one for each in resources.values() for one in each)]), schemas)
    return Description(
        version=document["info"]["version"],
        models=tuple(_model(name, schemas) for name in used if "enum" not in schemas[name]),
        enums=tuple(
            Enum(name, tuple(schemas[name]["enum"]))
            for name in used
            if len(schemas[name].get("enum", ())) in range(1, _MOST_ENUM_VALUES)
        ),
        resources=resources,
        edge=edge,
    )


def _operation(
    name: str, method: str, path: str, text: dict[str, Any], schemas: dict[str, Any]
) -> Operation:
    parameters = {(one["in"], one["name"]): one for one in text["parameters"]}
    body = text.get("requestBody", {})
    matching = parameters.get(("header", "If-Match"))
    result = _result(text)
    data = schemas.get(result or "", {}).get("properties", {}).get("data", {})
    paged = ("query", "cursor") in parameters
    return Operation(
        name=name,
        method=method,
        path=path,
        summary=text["summary"],
        id_name="id" if ("path", "id") in parameters else "",
        query=tuple(
            Field(
                key,
                _type(one["schema"], schemas),
                required=one.get("required", False),
                description=one.get("description", ""),
            )
            for (place, key), one in parameters.items()
            if place == "query"
        ),
        body=_ref(body["content"]["application/json"]["schema"]) if body else None,
        body_required=body.get("required", False),
        result=result,
        item=_ref(data["items"]) if paged else None,
        idempotent=("header", "Idempotency-Key") in parameters,
        repeatable=method in ("GET", "DELETE")
        or ("header", "Idempotency-Key") in parameters
        or text["operationId"] in REPEATABLE,
        version="" if matching is None else "required" if matching["required"] else "optional",
    )


def _result(text: dict[str, Any]) -> str | None:
    for status, response in text["responses"].items():
        if status.startswith("2"):
            content = response.get("content", {}).get("application/json")
            return None if content is None else _ref(content["schema"])
    return None


def _roots(operations: Iterable[Operation]) -> Iterator[str]:
    yield from EXTRA_MODELS
    for operation in operations:
        yield from (name for name in (operation.body, operation.result) if name)
        yield from (name for field in operation.query for name in _names_in(field.type))


def _names_in(each: Type) -> Iterator[str]:
    if each.kind in ("model", "enum"):
        yield each.name
    for part in each.parts:
        yield from _names_in(part)


def _reach(roots: Iterable[str], schemas: dict[str, Any]) -> list[str]:
    reached: set[str] = set()
    ahead = [*roots]
    while ahead:
        name = ahead.pop()
        if name not in reached:
            reached.add(name)
            ahead += _refs(schemas[name])
    return sorted(reached)


def _refs(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield _ref(value)
        for name, part in value.items():
            if name not in ("discriminator", "examples", "default"):
                yield from _refs(part)
    elif isinstance(value, list):
        for part in value:
            yield from _refs(part)


def _ref(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _model(name: str, schemas: dict[str, Any]) -> Model | Union:
    schema = schemas[name]
    description = schema.get("description", "")
    if "oneOf" in schema:
        members = tuple(_ref(one) for one in schema["oneOf"])
        tag = schema.get("discriminator", {}).get("propertyName", "")
        return Union(name, description, members, tag, sent=_is_sent(schemas[members[0]]))
    fields = tuple(
        Field(
            key,
            _type(one, schemas),
            required=key in schema.get("required", ()),
            description=one.get("description", ""),
        )
        for key, one in schema.get("properties", {}).items()
    )
    return Model(name, description, fields, sent=_is_sent(schema))


def _is_sent(schema: dict[str, Any]) -> bool:
    return schema.get("additionalProperties") is False


def _type(schema: dict[str, Any], schemas: dict[str, Any]) -> Type:
    if "$ref" in schema:
        return _named(_ref(schema), schemas)
    if "const" in schema:
        return Type("const", str(schema["const"]))
    members = schema.get("anyOf") or schema.get("oneOf")
    if members:
        kept = [one for one in members if one.get("type") != "null"]
        parts = tuple(_type(one, schemas) for one in kept)
        nullable = len(kept) < len(members)
        if len(parts) == 1:
            return Type(parts[0].kind, parts[0].name, parts[0].parts, nullable)
        return Type("union", parts=parts, nullable=nullable)
    kinds = schema.get("type", "any")
    if isinstance(kinds, str):
        return _plain(kinds, schema, schemas, nullable=False)
    kept = [one for one in kinds if one != "null"]
    kind = kept[0] if len(kept) == 1 else "any"
    return _plain(kind, schema, schemas, nullable="null" in kinds)


def _named(name: str, schemas: dict[str, Any]) -> Type:
    values = schemas[name].get("enum")
    if values is None:
        return Type("model", name)
    return Type("enum", name) if len(values) < _MOST_ENUM_VALUES else Type("string")


def _plain(kind: str, schema: dict[str, Any], schemas: dict[str, Any], *, nullable: bool) -> Type:
    if kind == "array":
        return Type("list", parts=(_type(schema.get("items", {}), schemas),), nullable=nullable)
    if kind == "object":
        extra = schema.get("additionalProperties")
        part = _type(extra, schemas) if isinstance(extra, dict) else Type("any")
        return Type("map", parts=(part,), nullable=nullable)
    return Type(kind, nullable=nullable)
