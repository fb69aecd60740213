"""Converts a JSON Schema of the description to rows: name, type, bounds, meaning, and nested fields."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

_DEEPEST = 6
_BOUNDS = (
    ("minimum", "≥ {}"),
    ("exclusiveMinimum", "> {}"),
    ("maximum", "≤ {}"),
    ("minLength", "≥ {} characters"),
    ("maxLength", "≤ {} characters"),
    ("minItems", "≥ {} entries"),
    ("maxItems", "≤ {} entries"),
    ("maxProperties", "≤ {} entries"),
    ("pattern", "matches {}"),
)


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field. ``choices``: the values of an enumeration; ``children``: the nested fields."""

    name: str
    type: str
    required: bool
    description: str
    choices: tuple[str, ...]
    notes: tuple[str, ...]
    children: tuple["FieldRow", ...]


class Schemas:
    """The components that schemas refer to."""

    def __init__(self, components: dict[str, Any]) -> None:
        self._components = components

    def fields(self, schema: dict[str, Any], depth: int = 0) -> tuple[FieldRow, ...]:
        """The fields of an object, of a list's items, or of each alternative model."""
        whole = self._resolve(schema)
        if depth >= _DEEPEST:
            return ()
        if "properties" in whole:
            required = set(whole.get("required", ()))
            return tuple(
                self._row(name, field, name in required, depth)
                for name, field in whole["properties"].items()
            )
        if "items" in whole:
            return self.fields(whole["items"], depth)
        models = [self._resolve(option) for option in _options(whole)]
        models = [model for model in models if "properties" in model]
        if len(models) == 1:
            return self.fields(models[0], depth)
        return tuple(self._model_row(model, depth) for model in models)

    def type_of(self, schema: dict[str, Any]) -> str:
        """In words: ``text``, ``list of integers or null``."""
        whole = self._resolve(schema)
        options = [self.type_of(option) for option in _options(whole)]
        if options:
            return " or ".join(dict.fromkeys(options))
        kind = whole.get("type", "any value")
        if isinstance(kind, list):
            return " or ".join(self.type_of(whole | {"type": one}) for one in kind)
        if kind == "array":
            return f"list of {self.type_of(whole.get('items', {}))}"
        if kind == "string":
            return {"uuid": "id", "date-time": "timestamp"}.get(whole.get("format", ""), "text")
        return str({"boolean": "true or false", "integer": "integer"}.get(kind, kind))

    def _row(self, name: str, field: dict[str, Any], required: bool, depth: int) -> FieldRow:  # noqa: FBT001 - of the field itself
        whole = self._resolve(field)
        return FieldRow(
            name=name,
            type=self.type_of(field),
            required=required,
            description=field.get("description", whole.get("description", "")),
            choices=self._choices(whole),
            notes=tuple(self._notes(whole)),
            children=self.fields(field, depth + 1),
        )

    def _model_row(self, model: dict[str, Any], depth: int) -> FieldRow:
        return FieldRow(
            name=model.get("title", ""),
            type="one of these forms",
            required=False,
            description=model.get("description", ""),
            choices=(),
            notes=(),
            children=self.fields(model, depth + 1),
        )

    def _choices(self, whole: dict[str, Any]) -> tuple[str, ...]:
        found: list[str] = [str(value) for value in whole.get("enum", ())]
        found += [str(whole["const"])] if "const" in whole else []
        for inner in (*_options(whole), *([whole["items"]] if "items" in whole else [])):
            found += self._choices(self._resolve(inner))
        return tuple(dict.fromkeys(found))

    def _notes(self, whole: dict[str, Any]) -> Iterable[str]:
        if whole.get("default") is not None:
            yield f"default {orjson.dumps(whole['default']).decode()}"
        for schema in (whole, *_options(whole)):
            yield from (words.format(schema[name]) for name, words in _BOUNDS if name in schema)

    def _resolve(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            target = self._components[schema["$ref"].rsplit("/", 1)[1]]
            schema = target | {key: value for key, value in schema.items() if key != "$ref"}
        return schema


def _options(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
