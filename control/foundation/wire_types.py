"""
Types of wire fields, validated once here: they admit no value that a database or an edge cannot hold.

Numbers are strict (no ``"5"``, no ``5.0``). Text has no control characters except line breaks where lines are allowed.
Instants are aware.
"""

import re
import zoneinfo
from collections.abc import Hashable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    SerializationInfo,
    StringConstraints,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema

from common.contract.field_errors import field_error
from common.contract.hostnames import parse_named_host
from common.values.ids import canonical_id, is_uuid
from common.values.messages import Message
from common.values.text import composed

_FIRST_YEAR, _LAST_YEAR = 2000, 2199
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?"
)
_FLAGS = {"true": True, "false": False}
_DIGITS = re.compile(r"[0-9]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Also the two line separators of Unicode: they would split a name into two lines, and no header can hold them."""
_NO_PLACES = frozenset({"Factory", "localtime"})
"""Files in the zones' folder that are not places: "Factory" is no real zone, "localtime" is the machine's own."""

Item = TypeVar("Item", bound=Hashable)
_OF_QUERY = "string"
"""What pydantic calls the mode of `model_validate_strings`."""
Pixels = Annotated[int, Field(strict=True, ge=1, le=10_000)]

FOR_PAGES: Final = {"messages": "parts"}
"""Context of a serialization whose messages a page translates: each is its `Message.to_json`, not English text."""


def _plain(value: str) -> str:
    if _CONTROL.search(value):
        raise field_error("control_character", Message("Remove the control characters."))
    return value


def _lines(value: Any) -> Any:
    """Forms send CRLF at the end of each line."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def _prose(value: str) -> str:
    _plain(value.replace("\n", "").replace("\t", ""))
    return value


def _id(value: str) -> str:
    found = canonical_id(value)
    if not is_uuid(found):
        raise field_error("id_invalid", Message("Must be an id: a UUID."))
    return found


def _timezone(value: str) -> str:
    if value not in _timezones():
        raise field_error(
            "timezone_unknown",
            Message("Use a time zone of the IANA database, like America/Sao_Paulo."),
        )
    return value


@cache
def _timezones() -> frozenset[str]:
    """Scans the machine's time zone folder once."""
    return frozenset(zoneinfo.available_timezones() - _NO_PLACES)


def _instant_text(value: Any) -> Any:
    """
    Pydantic alone would accept numbers, also as text, and read them as seconds or milliseconds by their size; and a
    space or `_` in place of the `T`.
    """
    if not (isinstance(value, datetime) or (isinstance(value, str) and _TIME.fullmatch(value))):
        raise field_error(
            "timestamp_invalid",
            Message("Must be an ISO 8601 timestamp, like 2026-03-01T00:00:00Z."),
        )
    return value


def _instant(value: datetime) -> datetime:
    if not _FIRST_YEAR <= value.year <= _LAST_YEAR:
        raise field_error("timestamp_range", Message("Must be a time between 2000 and 2199."))
    return value.astimezone(UTC)


def _digits(value: Any) -> Any:
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise field_error("type", Message("Must be a whole number."))
    return value


def _flag(value: Any) -> Any:
    return _FLAGS.get(value, value) if isinstance(value, str) else value


def _distinct(values: Sequence[Item]) -> Sequence[Item]:
    if len(set(values)) != len(values):
        raise field_error("duplicate", Message("List each value only once."))
    return values


def _split(value: Any, info: ValidationInfo) -> Any:
    """Only in a query: a list in a body is a list."""
    if info.mode != _OF_QUERY:
        return value
    return value.split(",") if value else []


class _Distinct:
    """A validator that appears in the API description: its lists have ``uniqueItems``."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(_distinct, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "uniqueItems": True}


Plain = AfterValidator(_plain)
"""Refuses control characters, which neither PostgreSQL nor a header can hold."""

Lines = BeforeValidator(_lines)
"""
Converts line ends to one character, so that a text's length does not depend on the client.

Put it last: then it runs first.
"""

Prose = AfterValidator(_prose)
"""As `Plain`, but may have several lines."""

Composed = AfterValidator(composed)
"""Normalizes text that is matched or searched. Clients' own ids stay unchanged, byte for byte."""

MAX_SOUGHT_CHARS: Final = 200
Sought = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_SOUGHT_CHARS),
    Plain,
    Composed,
]
"""A part of a name, which lists search for (`control.api.listing.contains`)."""

Distinct = _Distinct()
"""Refuses a list that holds a value twice."""

Values = Annotated[list[Item], BeforeValidator(_split), Field(max_length=50), Distinct]
"""The values of a filter: a list in a body; in a query separated by commas, repeated, or both."""

Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Plain, Composed
]
Id = Annotated[str, AfterValidator(_id), Field(json_schema_extra={"format": "uuid"})]
Timezone = Annotated[str, AfterValidator(_timezone)]
Host = Annotated[
    str, StringConstraints(min_length=1, max_length=2048), AfterValidator(parse_named_host)
]
"""A public host. Of a URL, its host is stored."""
Instant = Annotated[AwareDatetime, BeforeValidator(_instant_text), AfterValidator(_instant)]
"""A timestamp from a client, converted to UTC."""
InDigits = BeforeValidator(_digits)
"""A number in a query: pydantic alone would accept `5.0`, `1_0` and ` 5`."""
QueryFlag = Annotated[bool, Field(strict=True), BeforeValidator(_flag)]
"""`true` or `false` in a query: pydantic alone would accept `1`, `yes` and `On`."""
Limit = Annotated[int, Field(ge=1, le=100), InDigits]
"""Maximum number of items on a page."""
MoneyCents = Annotated[int, Field(strict=True, ge=1, le=1_000_000_000)]
"""An amount that is paid, in or out: at most ten million units of the currency."""
Category = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
"""A code of the IAB content taxonomy, like `IAB7` or `483`; its existence is not checked."""
Categories = Annotated[list[Category], Field(max_length=100), Distinct]


def unchanged(**options: Any) -> Any:
    """A PATCH field that leaves the object unchanged where it is absent; its default is never read (see `given`)."""
    return Field(default_factory=_nothing, **options)


def _nothing() -> None:
    return None


def given(patch: BaseModel) -> dict[str, Any]:
    """Returns the fields that a PATCH contained, as Python values; an explicit null is None."""
    return {name: getattr(patch, name) for name in patch.model_fields_set}


def _message(value: Any) -> Message:
    return value if isinstance(value, Message) else Message.untranslated(str(value))


def _text_or_parts(message: Message, info: SerializationInfo) -> Any:
    return message.to_json() if info.context is FOR_PAGES else str(message)


WireMessage = Annotated[
    Message,
    PlainValidator(_message),
    PlainSerializer(_text_or_parts),
    WithJsonSchema({"type": "string"}),
]
"""A message in a response: English text on the wire, its parts `FOR_PAGES`."""
