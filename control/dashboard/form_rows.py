"""Repeated fields of a form, numbered as in the API: ``frequency_caps.0.limit``. Empty rows are ignored."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from control.dashboard.form_body import Reader, body_of

Fields = Mapping[str, Sequence[str]]
MAX_ROWS = 60
"""More than any list of the API may have."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """``identifying``: the columns that define a row; if all of them are empty, there is no row."""

    name: str
    readers: Mapping[str, Reader]
    identifying: tuple[str, ...]


def numbers_of(fields: Fields, name: str) -> list[int]:
    """The rows of the form, empty or not."""
    pattern = re.compile(rf"{re.escape(name)}\.([0-9]{{1,3}})\.")
    found = {int(match[1]) for field in fields if (match := pattern.match(field))}
    return sorted(found)[:MAX_ROWS]


def read_rows(fields: Fields, of: Repeated) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The values, and a map from each row's name in the API to its name in the form."""
    values: list[dict[str, Any]] = []
    places: dict[str, str] = {}
    for number in numbers_of(fields, of.name):
        start = f"{of.name}.{number}"
        own = {
            name.removeprefix(f"{start}."): given
            for name, given in fields.items()
            if name.startswith(f"{start}.")
        }
        if any(text.strip() for name in of.identifying for text in own.get(name, ())):
            places[f"{of.name}.{len(values)}"] = start
            values.append(body_of(own, of.readers))
    return values, places


def put_rows(body: dict[str, Any], fields: Fields, every: Sequence[Repeated]) -> dict[str, str]:
    """Puts the rows of each list into *body* at their place in the API; returns the maps of `read_rows`."""
    places: dict[str, str] = {}
    for each in every:
        rows, own = read_rows(fields, each)
        places |= own
        if rows:
            here = body
            *outer, last = each.name.split(".")
            for step in outer:
                here = here.setdefault(step, {})
            here[last] = rows
    return places


def rows_shown(
    fields: Fields, name: str, identifying: Sequence[str], *, more: bool = False
) -> list[int]:
    """The rows of the form and one empty row; another empty one with *more*."""
    numbers = numbers_of(fields, name)
    free = sum(
        not any(
            text.strip()
            for field in identifying
            for text in fields.get(f"{name}.{each}.{field}", ())
        )
        for each in numbers
    )
    wanted = 1 + int(more and free > 0) - min(free, 1)
    start = max(numbers, default=-1) + 1
    return [*numbers, *range(start, start + wanted)][:MAX_ROWS]
