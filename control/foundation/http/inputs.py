"""Parses a request once: query, body, `If-Match`, `Idempotency-Key`. Every function raises `Refused`."""

import re
from collections import Counter
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

from pydantic import BaseModel, ValidationError
from sanic import Request

from common.contract.models import NoQuery
from common.contract.operation import Operation
from common.contract.validation_errors import refusal_of, refuse
from common.http.json_body import check_text, parse_json
from common.values.errors import Detail, ErrorCode, Refused, invalid
from common.values.messages import Message

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
ON_LOOP_BYTES = 16_384
"""Longer bodies are parsed in a thread: a KiB of host names that are not ASCII takes two milliseconds."""
_MAX_FIELDS = 100
_VERSION = re.compile(r'(?P<quote>"?)(?P<number>[0-9]{1,18})(?P=quote)')
_ETAG = re.compile(r'(W/)?"[!#-~]*"')
_DIGITS = re.compile(r"[0-9]+")
_KEY = re.compile(r"[!-~]{1,255}")


def parse_query(operation: Operation, request: Request) -> BaseModel:
    """Refuses unknown parameters, and repeated parameters that are not lists."""
    lists = _lists_of(operation.query or NoQuery)
    return validate_query(operation, _parse_form(request.query_string, lists))


@cache
def _lists_of(model: type[BaseModel]) -> frozenset[str]:
    """The parameters with several values: separated by commas, repeated, or both."""
    options = {
        name: [field, *field.get("anyOf", ())]
        for name, field in model.model_json_schema().get("properties", {}).items()
    }
    return frozenset(
        name
        for name, found in options.items()
        if any(option.get("type") == "array" for option in found)
    )


def validate_query(operation: Operation, fields: dict[str, str]) -> BaseModel:
    """Validates *fields*, the query parameters from any source."""
    model = operation.query or NoQuery
    check_text(fields, "query")
    try:
        return model.model_validate_strings(fields)
    except ValidationError as error:
        raise refusal_of(error, fields) from None


def parse_body(operation: Operation, request: Request) -> BaseModel | None:
    """Returns None for an operation without a body; its request must have an empty body or an empty object."""
    if operation.body is None:
        if request.body.strip() not in (b"", b"{}"):
            raise invalid(
                "body", "unknown", Message("This operation has no request body. Send none.")
            )
        return None
    return validate_body(operation, _parse_fields(request, operation.body_media_types))


def validate_body(operation: Operation, fields: Any) -> BaseModel:
    """Validates *fields*, a JSON value from any source. *operation* takes a body."""
    if operation.body is None:
        raise TypeError(f"{operation.id} takes no body")
    check_text(fields, "body")
    try:
        return operation.body.model_validate(fields)
    except ValidationError as error:
        raise refusal_of(error, fields) from None


def parse_version(operation: Operation, request: Request) -> int | None:
    """
    The number in ``If-Match``, plain or quoted.

    A well-formed tag that is not one of our versions matches nothing.
    """
    if not (operation.needs_version or operation.accepts_version):
        return None
    given = (_find_header(request, "If-Match") or "").strip()
    if not given and operation.accepts_version:
        return None
    if not given:
        raise Refused(
            ErrorCode.VERSION_REQUIRED,
            Message(
                "The `If-Match` header is missing. Send the object's version from its `version` "
                "field or `ETag`."
            ),
        )
    found = _VERSION.fullmatch(given)
    if found:
        return int(found["number"])
    if _ETAG.fullmatch(given) or _DIGITS.fullmatch(given):
        raise Refused(
            ErrorCode.VERSION_CONFLICT,
            Message(
                "`If-Match` is not a version of this object. Read the object again and send its "
                "version."
            ),
        )
    raise invalid("If-Match", "format", Message("Must be one version number, like `3`."))


def find_idempotency_key(operation: Operation, request: Request) -> str | None:
    """Returns None where the operation creates nothing, or where no key was sent."""
    given = _find_header(request, "Idempotency-Key") if operation.creates else None
    if given is None:
        return None
    if not _KEY.fullmatch(given):
        raise invalid(
            "Idempotency-Key",
            "format",
            Message("Must be 1 to 255 visible ASCII characters, for example a UUID."),
        )
    return given


def _find_header(request: Request, name: str) -> str | None:
    """Raises `Refused` where the header is repeated, because it is ambiguous which one is meant."""
    given = request.headers.getall(name, [])
    if len(given) > 1:
        raise invalid(
            name, "repeated", Message("This header was sent more than once. Send it once.")
        )
    return str(given[0]) if given else None


def _parse_fields(request: Request, media_types: tuple[str, ...]) -> Any:
    media_type, _, _ = request.headers.getone("content-type", "").partition(";")
    media_type = media_type.strip().lower()
    if media_type not in media_types:
        raise Refused(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            Message(
                "Send the body as {media_types}, and set `Content-Type` accordingly.",
                media_types=" or ".join(media_types),
            ),
        )
    if media_type == FORM:
        return _parse_form(request.body.decode("ascii", "replace"))
    return parse_json(request.body)


def _parse_form(text: str, lists: frozenset[str] = frozenset()) -> dict[str, str]:
    """*lists*: names that may be repeated; their values are joined by commas."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS, errors="strict")
    except UnicodeDecodeError:
        raise invalid(
            "query",
            "format",
            Message("The query is not valid UTF-8. Percent-encode its parameters as UTF-8."),
        ) from None
    except ValueError:
        raise invalid(
            "query",
            "length",
            Message("Send at most {max_parameters} parameters.", max_parameters=_MAX_FIELDS),
        ) from None
    once = [name for name, _ in pairs if name not in lists]
    _refuse_repeated(_twice(once), Message("This parameter was sent more than once. Send it once."))
    found = dict(pairs)
    for name in lists & found.keys():
        found[name] = ",".join(value for given, value in pairs if given == name and value)
    return found


def _refuse_repeated(names: set[str], message: Message) -> None:
    if names:
        raise refuse([Detail(name, "repeated", message) for name in sorted(names)])


def _twice(names: list[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}
