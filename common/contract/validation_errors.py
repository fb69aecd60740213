"""Converts pydantic's errors to the envelope's ``details``: all of them, in our words, without the values sent."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from common.contract.field_errors import MESSAGE
from common.contract.pattern_messages import PATTERN_MESSAGES
from common.values.errors import MAX_DETAILS, Detail, ErrorCode, Refused
from common.values.messages import Message

_MAX_PARAM_CHARS = 200
_KEY = "[key]"
"""Pydantic's last step to a fault in the name of a map's entry, after that name."""
_QUOTED = re.compile(r"'[^']*'")
"""The values in ``'a', 'b' or <Kind.C: 'c'>``, as pydantic writes those it expected."""


@dataclass(frozen=True, slots=True)
class _Template:
    """The response's code, and a function from pydantic's context (``ctx``) to our message."""

    code: str
    message: Callable[[Mapping[str, Any]], Message]


def _always(code: str, message: Message) -> _Template:
    return _Template(code, lambda _: message)


_REQUIRED = _always("required", Message("This field is required."))
_WHOLE_NUMBER = _always("type", Message("Must be a whole number."))
_BOOLEAN = _always("type", Message("Must be true or false."))
_LIST = _always("type", Message("Must be a list."))
_OBJECT = _always("type", Message("Must be an object."))
_TIMESTAMP = Message("Must be an ISO 8601 timestamp, like 2026-03-01T00:00:00Z.")


def _expected(context: Mapping[str, Any]) -> Message:
    names = _QUOTED.findall(context.get("expected") or context["expected_tags"])
    return Message("Must be one of {expected}.", expected=", ".join(names))


def _too_short(context: Mapping[str, Any]) -> Message:
    count = context["min_length"]
    if count == 1:
        return Message("Must not be empty.")
    return Message("Must have at least {min_length} characters.", min_length=count)


def _too_few(context: Mapping[str, Any]) -> Message:
    count = context["min_length"]
    if count == 1:
        return Message("Add at least one entry.")
    return Message("Must have at least {min_length} entries.", min_length=count)


def _too_many(context: Mapping[str, Any]) -> Message:
    count = context["max_length"]
    if count == 1:
        return Message("Only one entry is allowed.")
    return Message("Must have at most {max_length} entries.", max_length=count)


def _mismatch(context: Mapping[str, Any]) -> Message:
    pattern = context["pattern"]
    return PATTERN_MESSAGES.get(pattern) or Message("Must match {pattern}.", pattern=pattern)


_TEMPLATES: dict[str, _Template] = {
    "missing": _REQUIRED,
    "union_tag_not_found": _REQUIRED,
    "extra_forbidden": _always("unknown", Message("This field does not exist. Remove it.")),
    "string_type": _always("type", Message("Must be text.")),
    "int_type": _WHOLE_NUMBER,
    "int_parsing": _WHOLE_NUMBER,
    "int_parsing_size": _always("range", Message("The number is too large.")),
    "int_from_float": _WHOLE_NUMBER,
    "float_type": _always("type", Message("Must be a number.")),
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "none_required": _always("type", Message("Must be null.")),
    "datetime_type": _always("type", _TIMESTAMP),
    "datetime_parsing": _always("format", _TIMESTAMP),
    "datetime_from_date_parsing": _always("format", _TIMESTAMP),
    "timezone_aware": _always("format", Message("The timestamp needs a UTC offset, like `Z`.")),
    "enum": _Template("not_allowed", _expected),
    "literal_error": _Template("not_allowed", _expected),
    "union_tag_invalid": _Template("not_allowed", _expected),
    "greater_than_equal": _Template(
        "range", lambda c: Message("Must be at least {ge}.", ge=c["ge"])
    ),
    "greater_than": _Template("range", lambda c: Message("Must be more than {gt}.", gt=c["gt"])),
    "less_than_equal": _Template("range", lambda c: Message("Must be at most {le}.", le=c["le"])),
    "less_than": _Template("range", lambda c: Message("Must be less than {lt}.", lt=c["lt"])),
    "string_too_short": _Template("length", _too_short),
    "string_too_long": _Template(
        "length",
        lambda c: Message("Must have at most {max_length} characters.", max_length=c["max_length"]),
    ),
    "too_short": _Template("length", _too_few),
    "too_long": _Template("length", _too_many),
    "string_pattern_mismatch": _Template("format", _mismatch),
}
"""By pydantic's type of an error. Types of `field_error` are missing: those bring their code and message."""

PYDANTIC_TYPES = frozenset(_TEMPLATES)


def refusal_of(error: ValidationError, sent: Any) -> Refused:
    """
    *sent* is the validated input; it distinguishes fields from the names that pydantic gives to
    branches of a union.
    """
    found = error.errors(include_url=False, include_input=False)
    return refuse([_detail(item, sent) for item in found[:MAX_DETAILS]])


def inside(field: str, error: ValidationError, sent: Any) -> Refused:
    """As `refusal_of`, where the validated input is *field* of the body."""
    faults = refusal_of(error, sent).details
    return refuse(
        [
            Detail(field if one.param == "body" else f"{field}.{one.param}", one.code, one.message)
            for one in faults
        ]
    )


def refuse(details: Sequence[Detail]) -> Refused:
    """Returns one 422 about one or more fields."""
    if len(details) == 1:
        only = details[0]
        return Refused(
            ErrorCode.VALIDATION_FAILED,
            Message("{param}: {message}", param=only.param, message=only.message),
            param=only.param,
            details=(only,),
        )
    return Refused(
        ErrorCode.VALIDATION_FAILED,
        Message("{count} fields are invalid. See `details` for each of them.", count=len(details)),
        details=tuple(details),
    )


def with_faults_of(refused: Refused, body: object) -> Refused:
    """
    *refused*, a 422, with the faults of *body* where that is a 422, too: one response names all of them. A body that
    cannot be read at all comes first.
    """
    code = ErrorCode.VALIDATION_FAILED
    if refused.code is not code or not isinstance(body, Refused):
        return refused
    return refuse((*refused.details, *body.details)) if body.code is code else body


def _detail(item: Mapping[str, Any], sent: Any) -> Detail:
    kind, context = item["type"], item.get("ctx", {})
    template = _TEMPLATES.get(kind)
    code, message = (
        (kind, _own_message(item))
        if template is None
        else (template.code, template.message(context))
    )
    path = _path(item["loc"], sent)
    if kind.startswith("union_tag_"):
        path.append(context["discriminator"].strip("'"))
    return Detail((".".join(path) or "body")[:_MAX_PARAM_CHARS], code, message)


def _own_message(item: Mapping[str, Any]) -> Message:
    """That of `field_error`; pydantic's own English for a type that no model here raises."""
    message = item.get("ctx", {}).get(MESSAGE)
    return message if isinstance(message, Message) else Message.untranslated(item["msg"])


def _path(location: Sequence[int | str], sent: Any) -> list[str]:
    """
    Returns the path of a field without the names of union branches, which are not fields of the input.

    A branch's name is never the last step. It may equal a field's name (`password`): then it is not the last step and
    the field has no members.
    For a list that was sent as one text, the path ends at the field. For a map's entry with an invalid name, it ends at
    that name.
    """
    path: list[str] = []
    here = sent
    for number, step in enumerate(location):
        is_last = number == len(location) - 1
        follower = None if is_last else location[number + 1]
        ends_here = is_last or isinstance(follower, int) or follower == _KEY
        if _holds(here, step) and (ends_here or isinstance(here[step], dict | list)):
            here = here[step]
        elif not (is_last and step != _KEY and _could_hold(here, step)):
            continue
        path.append(str(step))
    return path


def _holds(value: Any, step: int | str) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def _could_hold(value: Any, step: int | str) -> bool:
    """The last step of a path may name a missing field."""
    return isinstance(value, dict) and isinstance(step, str)
