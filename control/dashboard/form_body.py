"""
Converts the fields of a form to the JSON body of an operation, whose model validates it.

A form has no rules of its own. Names are dotted as in the API (``budget.total_cents``). An empty field is not sent.
Text that cannot be converted is sent as typed, so that the API's own message names it.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from babel import Locale, numbers
from pydantic import BaseModel

from control.foundation.resource_models import field_schemas

Reader = Callable[[Sequence[str]], Any]
"""Converts the typed texts, in the order of the fields of that name; None: leave it out."""

_CENT = 100
_MAX_DIGITS = 15
_MAX_ENTRIES = 2_000
"""Of a list. No list of the API has as many, so that it refuses them."""
_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
_WHOLE = re.compile(rf"-?[0-9]{{1,{_MAX_DIGITS}}}")


def text(values: Sequence[str]) -> str | None:
    return values[0].strip() or None


def whole(values: Sequence[str]) -> int | str | None:
    given = values[0].strip().replace(" ", "")
    return int(given) if _WHOLE.fullmatch(given) else given or None


def money(values: Sequence[str]) -> int | str | None:
    """
    Cents, from an amount like ``1234.5``, ``1,234.50`` or ``1.234,50``.

    The last comma or point is the decimal separator, unless the whole amount is in groups of thousands like ``1,234``.
    Of one kind alone, there may be several only in such groups.
    """
    given = re.sub(r"[\s\u00a0]", "", values[0])
    if not given:
        return None
    point = max(given.rfind("."), given.rfind(","))
    if point >= 0:
        sign = given[point]
        is_only_kind = not (set(given) & ({".", ","} - {sign}))
        if is_only_kind and _THOUSANDS.fullmatch(given):
            given = given.replace(sign, "")
        elif is_only_kind and given.count(sign) > 1:
            return values[0].strip()
        else:
            whole_part = re.sub(r"[.,]", "", given[:point])
            given = f"{whole_part}.{given[point + 1 :]}"
    try:
        cents = Decimal(given) * 100
    except InvalidOperation:
        return values[0].strip()
    if (
        not cents.is_finite()
        or cents != cents.to_integral_value()
        or cents.adjusted() > _MAX_DIGITS
    ):
        return values[0].strip()
    return int(cents)


def cents_text(cents: int, locale: Locale) -> str:
    """``1234.50`` in the user's locale, without grouping: `money` reads it back."""
    whole_part, rest = divmod(cents, _CENT)
    return f"{whole_part}{numbers.get_decimal_symbol(locale)}{rest:02d}"


def checked(values: Sequence[str]) -> bool:
    """A box sends a value only when checked; a hidden field ``off`` before it shows that the box was in the form."""
    return values[-1] != "off"


def lines(values: Sequence[str]) -> list[str] | None:
    """Entries of a text area, one a line, or separated by commas."""
    parts = [part.strip() for one in values for part in re.split(r"[\n,]", one)]
    return [part for part in parts if part][:_MAX_ENTRIES] or None


def choices(values: Sequence[str]) -> list[str] | None:
    """Values of boxes or a list that share the name."""
    return [one for one in values if one] or None


def readers_of(
    model: type[BaseModel], otherwise: Mapping[str, Reader], *, without: Collection[str] = ()
) -> dict[str, Reader]:
    """
    A reader for each field of *model* by its dotted name, chosen by its type; amounts end in ``_cents``.

    *otherwise*: the readers of fields that are typed in another way. *without*: fields that the form does not have,
    or reads by other means. Raises `TypeError` for a field of a type that no reader is for.
    """
    typed = {
        name: _reader_of(name, schema)
        for name, schema in field_schemas(model).items()
        if name not in otherwise and name.partition(".")[0] not in without
    }
    return {**typed, **otherwise}


def _reader_of(name: str, schema: Mapping[str, Any]) -> Reader:
    match schema.get("type"):
        case "string":
            return text
        case "integer":
            return money if name.endswith("_cents") else whole
        case "boolean":
            return checked
        case "array":
            return lines
        case other:
            raise TypeError(
                f"No reader for {name}, which is of type {other}. Name one, or leave it out."
            )


def body_of(fields: Mapping[str, Sequence[str]], readers: Mapping[str, Reader]) -> dict[str, Any]:
    """The values of *fields* that have a reader, nested by the dots in the names."""
    body: dict[str, Any] = {}
    for name, read in readers.items():
        values = fields.get(name)
        value = read(values) if values else None
        if value is not None:
            put(body, name, value)
    return body


def put(body: dict[str, Any], name: str, value: Any) -> None:
    """Sets the field with the dotted *name*."""
    *outer, last = name.split(".")
    for step in outer:
        body = body.setdefault(step, {})
    body[last] = value
