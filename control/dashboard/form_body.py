"""
From the fields of a form to the JSON body of an operation, whose own model then judges it: a form has no rules of its
own. Names are dotted as in the API (``budget.total_cents``).

A field that is left empty is not sent. What cannot be read as what it should be is sent as it was typed, so that the
API's own message names it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

Reader = Callable[[Sequence[str]], Any]
"""Of what was typed, in the order of the fields of that name; None: leave it out."""

_MAX_DIGITS = 15
_WHOLE = re.compile(rf"-?[0-9]{{1,{_MAX_DIGITS}}}")


def text(typed: Sequence[str]) -> str | None:
    return typed[0].strip() or None


def whole(typed: Sequence[str]) -> int | str | None:
    given = typed[0].strip().replace(" ", "")
    return int(given) if _WHOLE.fullmatch(given) else given or None


def money(typed: Sequence[str]) -> int | str | None:
    """
    Cents, of an amount like ``1234.5``, ``1,234.50`` or ``1.234,50``: the last of comma and point is the decimal one,
    unless three digits follow it and it is the only kind.
    """
    given = re.sub(r"[\s\u00a0]", "", typed[0])
    if not given:
        return None
    point = max(given.rfind("."), given.rfind(","))
    if point >= 0:
        sign, digits = given[point], len(given) - point - 1
        is_only_kind = not (set(given) & ({".", ","} - {sign}))
        if is_only_kind and (digits == 3 or given.count(sign) > 1):  # noqa: PLR2004 - a group of thousands
            given = given.replace(sign, "")
        else:
            whole_part = re.sub(r"[.,]", "", given[:point])
            given = f"{whole_part}.{given[point + 1 :]}"
    try:
        cents = Decimal(given) * 100
    except InvalidOperation:
        return typed[0].strip()
    if (
        not cents.is_finite()
        or cents != cents.to_integral_value()
        or cents.adjusted() > _MAX_DIGITS
    ):
        return typed[0].strip()
    return int(cents)


def checked(typed: Sequence[str]) -> bool:
    """A box sends something only when it is checked; a hidden field ``off`` before it says that it was there."""
    return typed[-1] != "off"


def lines(typed: Sequence[str]) -> list[str] | None:
    """Of a text area, a line each, or separated by commas."""
    parts = [part.strip() for one in typed for part in re.split(r"[\n,]", one)]
    return [part for part in parts if part] or None


def choices(typed: Sequence[str]) -> list[str] | None:
    """Of boxes or a list that share the name."""
    return [one for one in typed if one] or None


def body_of(fields: Mapping[str, Sequence[str]], readers: Mapping[str, Reader]) -> dict[str, Any]:
    """What *readers* know of *fields*, nested by the dots in the names."""
    body: dict[str, Any] = {}
    for name, read in readers.items():
        typed = fields.get(name)
        value = read(typed) if typed else None
        if value is None:
            continue
        here = body
        *outer, last = name.split(".")
        for step in outer:
            here = here.setdefault(step, {})
        here[last] = value
    return body
