"""Converts a form that shows a whole object to the body of its PATCH: emptied fields are sent empty."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from control.dashboard.form_body import Reader, body_of, put
from control.foundation.resource_models import field_schemas


def patch_of(
    fields: Mapping[str, Sequence[str]], readers: Mapping[str, Reader], model: type[BaseModel]
) -> dict[str, Any]:
    """As `body_of`; an empty field of the form is null, or an empty list, where *model* allows it."""
    body = body_of(fields, readers)
    schemas = field_schemas(model)
    for name in readers.keys() & fields.keys() & schemas.keys():
        if readers[name](fields[name]) is None:
            if schemas[name]["nullable"]:
                put(body, name, None)
            elif schemas[name].get("type") == "array":
                put(body, name, [])
    return body
