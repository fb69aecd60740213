"""Converts a form that shows a whole object to the body of its PATCH: emptied fields are sent empty."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from control.dashboard.form_body import Reader, body_of, choices, lines


def whole_lines(values: Sequence[str]) -> list[str]:
    """As `lines`; an empty list where there are none."""
    return lines(values) or []


def whole_choices(values: Sequence[str]) -> list[str]:
    return choices(values) or []


def patch_of(
    fields: Mapping[str, Sequence[str]], readers: Mapping[str, Reader], nullable: Iterable[str]
) -> dict[str, Any]:
    """As `body_of`; fields of *nullable* that are in the form and empty become null."""
    body = body_of(fields, readers)
    for name in nullable:
        if name in fields and not fields[name][0].strip():
            *outer, last = name.split(".")
            here = body
            for step in outer:
                here = here.setdefault(step, {})
            here[last] = None
    return body
