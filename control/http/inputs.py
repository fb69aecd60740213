"""What a caller sent, parsed once: query, body, `If-Match`, `Idempotency-Key`. Every function raises `Refused`."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import orjson
from pydantic import BaseModel, ValidationError
from sanic import Request

from common.contract.models import NoQuery
from common.contract.operation import Operation
from common.errors import Detail, ErrorCode, Refused, invalid
from control.http.faults import refusal_of, refuse

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 100
_MOST_LEVELS = 32
"""Of lists and objects in a body; nothing of ours goes a third as deep."""
_VERSION = re.compile(r'(?P<quote>"?)(?P<number>[0-9]{1,18})(?P=quote)')
_ETAG = re.compile(r'(W/)?"[!#-~]*"')
_DIGITS = re.compile(r"[0-9]+")
_KEY = re.compile(r"[!-~]{1,255}")


def parse_query(operation: Operation, request: Request) -> BaseModel:
    """Unknown parameters are refused, and repeated ones that are no lists."""
    lists = _lists_of(operation.query or NoQuery)
    return judge_query(operation, _parse_form(request.query_string, lists))


@cache
def _lists_of(model: type[BaseModel]) -> frozenset[str]:
    """The parameters that hold several values: by comma, repeated, or both."""
    options = {
        name: [field, *field.get("anyOf", ())]
        for name, field in model.model_json_schema().get("properties", {}).items()
    }
    return frozenset(
        name
        for name, found in options.items()
        if any(option.get("type") == "array" for option in found)
    )


def judge_query(operation: Operation, fields: dict[str, str]) -> BaseModel:
    """*fields*: the parameters, however they came."""
    model = operation.query or NoQuery
    _refuse_nul(fields, "query")
    try:
        return model.model_validate_strings(fields)
    except ValidationError as error:
        raise refusal_of(error, fields) from None


def parse_body(operation: Operation, request: Request) -> BaseModel | None:
    """None for an operation without a body, which may send none, or an empty object."""
    if operation.body is None:
        if request.body.strip() not in (b"", b"{}"):
            raise invalid("body", "unknown", "This call takes no body. Send none.")
        return None
    return judge_body(operation, _parse_fields(request, operation.body_media_types))


def judge_body(operation: Operation, fields: Any) -> BaseModel:
    """*fields*: what JSON can say, however it came. *operation* takes a body."""
    if operation.body is None:
        raise TypeError(f"{operation.id} takes no body")
    _refuse_nul(fields, "body")
    try:
        return operation.body.model_validate(fields)
    except ValidationError as error:
        raise refusal_of(error, fields) from None


def parse_version(operation: Operation, request: Request) -> int | None:
    """The number in ``If-Match``, plain or quoted. A well-formed tag that is no version of ours matches nothing."""
    if not (operation.needs_version or operation.may_say_version):
        return None
    given = (_find_header(request, "If-Match") or "").strip()
    if not given and operation.may_say_version:
        return None
    if not given:
        raise Refused(
            ErrorCode.VERSION_REQUIRED,
            "Send the object's version in `If-Match`, as its `version` field or `ETag` gave it.",
        )
    found = _VERSION.fullmatch(given)
    if found:
        return int(found["number"])
    if _ETAG.fullmatch(given) or _DIGITS.fullmatch(given):
        raise Refused(
            ErrorCode.VERSION_CONFLICT,
            "`If-Match` is no version of this object. Read it again and send its version.",
        )
    raise invalid("If-Match", "format", "Send one version number, like `3`.")


def find_idempotency_key(operation: Operation, request: Request) -> str | None:
    """None where the operation creates nothing or no key was sent."""
    given = _find_header(request, "Idempotency-Key") if operation.creates else None
    if given is None:
        return None
    if not _KEY.fullmatch(given):
        raise invalid(
            "Idempotency-Key",
            "format",
            "Send 1 to 255 visible ASCII characters, a UUID for example.",
        )
    return given


def _find_header(request: Request, name: str) -> str | None:
    """Raises `Refused` where it came twice: which one is meant nobody knows."""
    given = request.headers.getall(name, [])
    if len(given) > 1:
        raise invalid(name, "repeated", "Send this header once.")
    return str(given[0]) if given else None


def _parse_fields(request: Request, media_types: tuple[str, ...]) -> Any:
    if request.headers.getone("content-encoding", "").strip().lower() not in ("", "identity"):
        raise Refused(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            "Send the body as it is, without `Content-Encoding`.",
            headers={"Accept-Encoding": "identity"},
        )
    media_type, _, _ = request.headers.getone("content-type", "").partition(";")
    media_type = media_type.strip().lower()
    if media_type not in media_types:
        raise Refused(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            f"Send the body as {' or '.join(media_types)} and say so in `Content-Type`.",
        )
    if media_type == FORM:
        return _parse_form(request.body.decode("ascii", "replace"))
    try:
        fields = orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise Refused(
            ErrorCode.INVALID_JSON,
            f"The body is no JSON: line {error.lineno}, column {error.colno}. Send one JSON object.",
        ) from None
    _refuse_repeated(_names_twice(request.body), "Send this field once.")
    return fields


def _parse_form(text: str, lists: frozenset[str] = frozenset()) -> dict[str, str]:
    """*lists*: names that may be repeated; their values are joined by comma."""
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except UnicodeDecodeError:
        raise invalid("query", "format", "Percent-encode parameters as UTF-8.") from None
    except ValueError:
        raise invalid("query", "length", f"Send at most {_MOST_FIELDS} parameters.") from None
    once = [name for name, _ in pairs if name not in lists]
    _refuse_repeated(_twice(once), "Send this parameter once.")
    found = dict(pairs)
    for name in lists & found.keys():
        found[name] = ",".join(value for given, value in pairs if given == name and value)
    return found


def _refuse_repeated(names: set[str], message: str) -> None:
    if names:
        raise refuse([Detail(name, "repeated", message) for name in sorted(names)])


def _names_twice(body: bytes) -> set[str]:
    """Names that stand twice in one object, of which orjson keeps the last and forgets the first."""
    found: set[str] = set()

    def note(pairs: list[tuple[str, Any]]) -> None:
        found.update(_twice([name for name, _ in pairs]))

    try:
        json.loads(body, object_pairs_hook=note, parse_int=str, parse_float=str)
    except RecursionError:
        raise _too_deep() from None
    return found


def _twice(names: list[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def _refuse_nul(fields: Any, whole: str) -> None:
    """PostgreSQL's text cannot hold U+0000, and nobody means it. *whole* names what was sent."""
    paths = _nul_paths(fields, "", levels=_MOST_LEVELS)
    found = [Detail(path or whole, "control_character", "Remove U+0000.") for path in paths]
    if found:
        raise refuse(found)


def _nul_paths(value: Any, path: str, *, levels: int) -> Iterator[str]:
    if levels == 0:
        raise _too_deep()
    match value:
        case str() if "\0" in value:
            yield path
        case dict():
            for name, inner in value.items():
                if "\0" in name:
                    yield path
                yield from _nul_paths(inner, f"{path}.{name}".removeprefix("."), levels=levels - 1)
        case list():
            for number, inner in enumerate(value):
                yield from _nul_paths(
                    inner, f"{path}.{number}".removeprefix("."), levels=levels - 1
                )
        case _:
            pass


def _too_deep() -> Refused:
    return invalid("body", "depth", f"Nest at most {_MOST_LEVELS} lists and objects.")
