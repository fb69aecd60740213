"""From the fields of a form that shows an object whole to the body of its PATCH: what was emptied is sent empty."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from control.dashboard.form_body import Reader, body_of, choices, lines


def whole_lines(typed: Sequence[str]) -> list[str]:
    """As `lines`; none of them is an empty list."""
    return lines(typed) or []


def whole_choices(typed: Sequence[str]) -> list[str]:
    return choices(typed) or []


def patch_of(
    fields: Mapping[str, Sequence[str]], readers: Mapping[str, Reader], nullable: Iterable[str]
) -> dict[str, Any]:
    """As `body_of`; those of *nullable* that stand in the form and are empty become null."""
    body = body_of(fields, readers)
    for name in nullable:
        if name in fields and not fields[name][0].strip():
            *outer, last = name.split(".")
            here = body
            for step in outer:
                here = here.setdefault(step, {})
            here[last] = None
    return body
