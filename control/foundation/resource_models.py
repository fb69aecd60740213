"""
Derives a resource's other models from its create model, where each writable field is declared once: its PATCH model,
its response, examples, and what forms need of it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo
from pydantic_core import to_jsonable_python

from control.foundation.wire_types import unchanged

In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel)


def patch_model_of(
    create: type[BaseModel], *, without: Collection[str] = ()
) -> Callable[[type[In]], type[In]]:
    """
    Adds to a PATCH model every field of *create*: the same type, constraints and description, absent means unchanged.

    The class itself declares what differs, and fields that only a PATCH has. *without*: fields that never change.
    """

    def derived(own: type[In]) -> type[In]:
        types = get_type_hints(create, include_extras=True)
        fields: dict[str, Any] = {
            name: (_constrained(types[name], field), unchanged(description=field.description))
            for name, field in create.model_fields.items()
            if name not in without
        }
        own_types = get_type_hints(own, include_extras=True)
        fields |= {name: (own_types[name], field) for name, field in own.model_fields.items()}
        (base,) = own.__bases__
        return create_model(
            own.__name__, __base__=base, __module__=own.__module__, __doc__=own.__doc__, **fields
        )

    return derived


def _constrained(annotation: Any, field: FieldInfo) -> Any:
    """*annotation* with the constraints of ``Field(…)`` beside it, such as ``strict``."""
    inside = FieldInfo.from_annotation(annotation).metadata
    for constraint in field.metadata:
        if constraint not in inside:
            annotation = Annotated[annotation, constraint]
    return annotation


def from_row(model: type[Out], row: object, **computed: Any) -> Out:
    """
    The response *model* of *row*: each field is *computed*, or the row's attribute of that name.

    Raises `AttributeError` for a field that is neither.
    """
    stored = {name: getattr(row, name) for name in model.model_fields if name not in computed}
    return model.model_validate(stored | computed)


def created_example(
    model: type[BaseModel], create: type[BaseModel], body: Mapping[str, Any], **computed: Any
) -> dict[str, Any]:
    """The example of a response after *create* with *body*: the fields sent, the defaults of others, and *computed*."""
    sent = create.model_validate(body)
    fields = {name: getattr(sent, name) for name in create.model_fields} | computed
    known = {name: value for name, value in fields.items() if name in model.model_fields}
    return model.model_validate(known, from_attributes=True).model_dump(mode="json")


def defaults_of(create: type[BaseModel]) -> dict[str, Any]:
    """The JSON value of each field of a request that leaves all of them out; None where a field is required."""
    return {
        name: None
        if field.is_required()
        else to_jsonable_python(field.get_default(call_default_factory=True))
        for name, field in create.model_fields.items()
    }


@cache
def field_schemas(model: type[BaseModel]) -> Mapping[str, Mapping[str, Any]]:
    """
    The JSON schema of each field by its dotted name: ``budget.total_cents``.

    A field that holds a model is replaced by that model's fields. Of "*X* or null" it is that of *X*, with
    ``nullable``.
    """
    schema = model.model_json_schema()
    return dict(_leaves(schema, schema.get("$defs", {}), ""))


def _leaves(
    schema: Mapping[str, Any], models: Mapping[str, Any], start: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, field in schema["properties"].items():
        found = _resolved(field, models)
        if "properties" in found:
            yield from _leaves(found, models, f"{start}{name}.")
        else:
            yield f"{start}{name}", found


def _resolved(field: Mapping[str, Any], models: Mapping[str, Any]) -> Mapping[str, Any]:
    every = field.get("anyOf", (field,))
    others = [one for one in every if one.get("type") != "null"]
    found = others[0] if len(others) == 1 else field
    named = models[found["$ref"].removeprefix("#/$defs/")] if "$ref" in found else found
    return {**named, "nullable": len(others) < len(every)}
