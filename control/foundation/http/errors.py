"""Converts pydantic's errors to the envelope's ``details``: all of them, in our words, without the values sent."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from common.values.errors import MAX_DETAILS, Detail, ErrorCode, Refused
from control.foundation.http.pattern_messages import WORDS as PATTERN_WORDS

_MAX_PARAM_CHARS = 200
_ENUM_MEMBER = re.compile(r"<\w+\.\w+: ('[^']*')>")
"""How pydantic writes an enum member in a Literal; clients are shown only its value."""

_WORDS: dict[str, tuple[str, str]] = {
    "missing": ("required", "This field is required."),
    "union_tag_not_found": ("required", "This field is required."),
    "extra_forbidden": ("unknown", "There is no such field here. Remove it."),
    "string_type": ("type", "Must be text."),
    "int_type": ("type", "Must be a whole number."),
    "int_parsing": ("type", "Must be a whole number."),
    "int_parsing_size": ("range", "The number is too large."),
    "int_from_float": ("type", "Must be a whole number."),
    "float_type": ("type", "Must be a number."),
    "bool_type": ("type", "Must be true or false."),
    "bool_parsing": ("type", "Must be true or false."),
    "list_type": ("type", "Must be a list."),
    "tuple_type": ("type", "Must be a list."),
    "dict_type": ("type", "Must be an object."),
    "model_type": ("type", "Must be an object."),
    "model_attributes_type": ("type", "Must be an object."),
    "none_required": ("type", "Must be null."),
    "datetime_type": ("type", "Must be an ISO 8601 timestamp, like 2026-03-01T00:00:00Z."),
    "datetime_parsing": ("format", "Must be an ISO 8601 timestamp, like 2026-03-01T00:00:00Z."),
    "datetime_from_date_parsing": (
        "format",
        "Must be an ISO 8601 timestamp, like 2026-03-01T00:00:00Z.",
    ),
    "timezone_aware": ("format", "The timestamp must say its offset, `Z` for UTC."),
    "enum": ("not_allowed", "Must be one of {expected}."),
    "literal_error": ("not_allowed", "Must be one of {expected}."),
    "union_tag_invalid": (
        "not_allowed",
        "Must be one of {expected_tags}.",
    ),
    "greater_than_equal": ("range", "Must be at least {ge}."),
    "greater_than": ("range", "Must be more than {gt}."),
    "less_than_equal": ("range", "Must be at most {le}."),
    "less_than": ("range", "Must be less than {lt}."),
    "string_too_short": ("length", "Must have at least {min_length} characters."),
    "string_too_long": ("length", "Must have at most {max_length} characters."),
    "too_short": ("length", "Must have at least {min_length} entries."),
    "too_long": ("length", "Must have at most {max_length} entries."),
    "string_pattern_mismatch": ("format", "Must match {pattern}."),
}
"""Pydantic's error type → our code and message. A type that is missing here brings its own message (custom errors)."""

PYDANTIC_TYPES = frozenset(_WORDS)

_OF_ONE = {
    "Must have at least 1 characters.": "Must not be empty.",
    "Must have at least 1 entries.": "Name at least one.",
    "Must have at most 1 entries.": "Name at most one.",
}


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
            f"{only.param}: {only.message}",
            param=only.param,
            details=(only,),
        )
    return Refused(
        ErrorCode.VALIDATION_FAILED,
        f"{len(details)} fields are wrong; `details` says which and why.",
        details=tuple(details),
    )


def _detail(item: Mapping[str, Any], sent: Any) -> Detail:
    kind, context = item["type"], item.get("ctx", {})
    code, words = _WORDS.get(kind, (kind, ""))
    message = words.format_map(context) if words else item["msg"].removeprefix("Value error, ")
    if kind == "string_pattern_mismatch":
        message = PATTERN_WORDS.get(context["pattern"], message)
    message = _ENUM_MEMBER.sub(r"\1", _OF_ONE.get(message, message))
    path = _path(item["loc"], sent)
    if kind.startswith("union_tag_"):
        path.append(context["discriminator"].strip("'"))
    return Detail((".".join(path) or "body")[:_MAX_PARAM_CHARS], code, message)


def _path(location: Sequence[int | str], sent: Any) -> list[str]:
    """
    Returns the path of a field without the names of union branches, which are not fields of the input.

    A branch's name is never the last step. It may equal a field's name (`password`): then it is not the last step and
    the field has no members.
    For a list that was sent as one text, the path ends at the field.
    """
    path: list[str] = []
    here = sent
    for number, step in enumerate(location):
        is_last = number == len(location) - 1
        is_comma_list = not is_last and isinstance(location[number + 1], int)
        if _holds(here, step) and (is_last or is_comma_list or isinstance(here[step], dict | list)):
            here = here[step]
        elif not (is_last and _could_hold(here, step)):
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
