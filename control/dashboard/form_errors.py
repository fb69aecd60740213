"""Maps errors of the API to a form's fields and units: an error inside a field's value is shown at that field."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal

from babel import Locale

from common.values.errors import ApiError, Detail, Refused
from common.values.messages import Message
from control.dashboard.form_body import lines
from control.dashboard.form_rows import Fields, Repeated
from control.foundation.amounts import format_amount

_EXAMPLE_CENTS = 250
_ENTRY = re.compile(r"\.([0-9]+)(\.|$)")


@dataclass(frozen=True, slots=True)
class FormFields:
    """The contents of a form: its fields, and its lists of rows."""

    names: Sequence[str]
    lists: Sequence[Repeated]


def map_errors_to_fields(
    error: ApiError, fields: Fields, places: Mapping[str, str], shape: FormFields
) -> Refused:
    """*error* with the names that the form uses; *places*: from `control.dashboard.form_rows.put_rows`."""
    details = tuple(_placed(detail, fields, places, shape) for detail in error.details)
    only = details[0] if len(details) == 1 else None
    param = only.param if only else error.param
    message = only.message if only else error.message
    return Refused(error.code, message, param=param, details=details)


@contextmanager
def at_field(param: str, field: str) -> Iterator[None]:
    """Errors of the API's *param* are raised as errors of *field*, where a form calls it otherwise."""
    try:
        yield
    except ApiError as error:
        details = tuple(
            replace(one, param=field) if one.param == param else one for one in error.details
        )
        if error.param != param and details == error.details:
            raise
        there = field if error.param == param else error.param
        raise Refused(error.code, error.message, param=there, details=details) from None


def _placed(detail: Detail, fields: Fields, places: Mapping[str, str], shape: FormFields) -> Detail:
    for start, there in places.items():
        if detail.param == start or detail.param.startswith(f"{start}."):
            return _in_row(detail, start, there, shape)
    for name in shape.names:
        if detail.param.startswith(f"{name}."):
            return _in_list(detail, name, fields.get(name, ()))
    within = next((name for name in shape.names if name.startswith(f"{detail.param}.")), None)
    return replace(detail, param=within) if within else detail


def _in_row(detail: Detail, start: str, there: str, shape: FormFields) -> Detail:
    """An error of a row as a whole is shown at its first field."""
    columns = next(one for one in shape.lists if one.name == start.rpartition(".")[0]).readers
    message = detail.param.removeprefix(start).removeprefix(".")
    column = next((name for name in columns if f"{message}.".startswith(f"{name}.")), None)
    return replace(detail, param=f"{there}.{column or next(iter(columns))}")


def _in_list(detail: Detail, name: str, values: Sequence[str]) -> Detail:
    """An error of a list's entry is prefixed with the typed entry."""
    entry = _ENTRY.match(detail.param.removeprefix(name))
    entries = list(values) if len(values) > 1 else lines(values) or [] if values else []
    number = int(entry[1]) if entry else len(entries)
    message = (
        Message("{entry}: {message}", entry=entries[number], message=detail.message)
        if number < len(entries)
        else detail.message
    )
    return replace(detail, param=name, message=message)


def in_currency(error: ApiError, currency: str, locale: Locale) -> ApiError:
    """*error* with the limits of amounts as people type them: in *currency* instead of its cents."""

    def written(cents: float) -> str:
        return format_amount(Decimal(str(cents)) / 100, currency, locale)

    def converted(detail: Detail) -> Detail:
        if not detail.param.endswith("_cents"):
            return detail
        match detail.message.params:
            case {"ge": int() | float() as cents}:
                message = Message("Must be at least {amount}.", amount=written(cents))
            case {"le": int() | float() as cents}:
                message = Message("Must be at most {amount}.", amount=written(cents))
            case _ if detail.code == "type":
                message = Message("Enter an amount, like {amount}.", amount=written(_EXAMPLE_CENTS))
            case _:
                return detail
        return replace(detail, message=message)

    details = tuple(converted(detail) for detail in error.details)
    if details == error.details:
        return error
    return Refused(error.code, error.message, param=error.param, details=details)
