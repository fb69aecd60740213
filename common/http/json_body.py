"""
Parses a JSON body within bounds.

The values are counted before any is built: a megabyte of empty lists takes seconds, and holds the interpreter's lock
all that time.
orjson keeps the last of repeated names in an object, and accepts U+0000. A count of the names shows in nearly all
bodies that none is repeated; in the others, a second pass with Python's own parser finds them. A walk finds values
that PostgreSQL cannot store.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, islice
from typing import Any

import orjson

from common.contract.validation_errors import refuse
from common.values.errors import MAX_DETAILS, Detail, ErrorCode, Refused, invalid
from common.values.messages import Message

MAX_VALUES = 20_000
"""Maximum in one body; a campaign with all possible targeting has two thirds of that."""
MAX_NAMES = 5_000
"""Maximum number of field names, in all objects together."""
MAX_LEVELS = 32
"""Maximum nesting of lists and objects; no body of this API has a third of that."""

_NAME_END = re.compile(rb'"[ \t\r\n]*:')
_STRING = re.compile(rb'"[^"]*+"')
"""Of a body without escapes."""


def parse_json(body: bytes) -> Any:
    """Raises `Refused`: 400 for invalid JSON, 422 for repeated names or a passed bound."""
    check_count(body, MAX_VALUES, MAX_NAMES)
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refused(
            ErrorCode.INVALID_JSON,
            Message(
                "The body is not valid JSON at line {line}, column {column}. Send one JSON object.",
                line=error.lineno,
                column=error.colno,
            ),
        ) from None
    check_names(body, fields, MAX_NAMES)
    return fields


def check_names(body: bytes, fields: Any, max_names: int | None = None) -> None:
    """
    Raises `Refused` (422) where an object of *body*, which was parsed into *fields*, repeats a name, or where there are
    more than *max_names*.

    *fields* then have fewer names than *body*. It is parsed again only if their numbers differ, as they also do where
    text contains a quote and a colon.
    """
    names = len(_NAME_END.findall(body))
    most = len(body) if max_names is None else max_names
    if names > most or names != _count_names(fields):
        _refuse_repeated(body, most)


def _count_names(fields: Any) -> int:
    names, level = 0, [fields]
    while level:
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                names += len(value)
                below += value.values()
            elif isinstance(value, list):
                below += value
        level = below
    return names


def _refuse_repeated(body: bytes, max_names: int) -> None:
    """Raises `Refused` where a name is repeated, or where there are more than *max_names*."""
    if twice := _Names(max_names).find_twice(body):
        message = Message("This field was sent more than once. Send it once.")
        raise refuse([Detail(name, "repeated", message) for name in sorted(twice)])


def check_text(fields: Any, whole: str) -> None:
    """
    Raises `Refused` where text holds U+0000, which PostgreSQL cannot store, or where there are too many values or
    levels.

    *whole* names the input in errors: body or query.
    """
    if not _has_nul(fields):
        return
    found = [
        Detail(path or whole, "control_character", Message("Remove the NUL character (U+0000)."))
        for path in islice(_nul_paths(fields), MAX_DETAILS)
    ]
    raise refuse(found)


def check_count(body: bytes, max_values: int, max_names: int) -> None:
    """
    Raises `Refused` where *body* has more than *max_values* values. *max_names*: as many names may have quotes, too.

    Counts the characters ``,``, ``[`` and ``{``: every value except the first follows one of them.

    Where the count is too high, it is repeated without strings. That is slow for very many strings, so the quotes are
    counted first. Backslashes stand only in strings; without their pairs, the quotes that are left end one.
    """
    if _signs(body) <= max_values:
        return
    plain = body.replace(rb"\\", b"").replace(rb"\"", b"")
    quotes = plain.count(b'"')
    if quotes > 2 * (max_values + max_names) or _signs(_STRING.sub(b"", plain)) > max_values:
        raise invalid(
            "body",
            "length",
            Message(
                "The body has too many values. Send at most {max_values:,}.", max_values=max_values
            ),
        )


def _signs(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


class _Names:
    """Counts the names of one body's objects, and notes the names that one object repeats."""

    def __init__(self, max_names: int) -> None:
        self._max_names = max_names
        self._twice: set[str] = set()
        self._names = 0
        self._objects = 0

    def find_twice(self, body: bytes) -> set[str]:
        try:
            json.loads(body, object_pairs_hook=self._note, parse_int=str, parse_float=str)
        except RecursionError:
            raise _too_deep() from None
        return self._twice

    def _note(self, pairs: list[tuple[str, Any]]) -> None:
        self._objects += 1
        self._names += len(pairs)
        if self._names > self._max_names or self._objects > MAX_VALUES:
            raise invalid(
                "body",
                "length",
                Message(
                    "The body has too many fields. Send at most {max_fields:,}.",
                    max_fields=self._max_names,
                ),
            )
        if len(pairs) > 1 and len(dict(pairs)) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            self._twice.update(name for name, count in counts.items() if count > 1)


def _has_nul(fields: Any) -> bool:
    """Builds no paths, which would cost ten times the walk. Raises `Refused` as `check_text` does."""
    level: list[Any] = [fields]
    has_nul, values = False, 1
    for _ in range(MAX_LEVELS):
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                has_nul = has_nul or "\0" in value
                continue
            if not value:
                continue
            if isinstance(value, dict):
                has_nul = has_nul or "\0" in "".join(value)
                members: Collection[Any] = value.values()
            elif isinstance(value, list):
                members = value
            else:
                continue
            values += len(members)
            if values > MAX_VALUES:
                raise invalid(
                    "body",
                    "length",
                    Message(
                        "The body has too many values. Send at most {max_values:,}.",
                        max_values=MAX_VALUES,
                    ),
                )
            below += members
        level = below
        if not level:
            return has_nul
    raise _too_deep()


def _nul_paths(fields: Any) -> Iterator[str]:
    """
    Yields the paths of texts with U+0000. *fields* must be within the bounds of `_has_nul`. A path is built when it is
    reached: callers take the first few.
    """
    level: Iterable[tuple[str, Any]] = [("", fields)]
    while level:
        below: list[Iterator[tuple[str, Any]]] = []
        for path, value in level:
            if isinstance(value, str):
                if "\0" in value:
                    yield path
            elif isinstance(value, dict | list):
                if isinstance(value, dict) and any("\0" in name for name in value):
                    yield path
                below.append(_members(path, value))
        level = chain.from_iterable(below) if below else ()


def _members(path: str, value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    return ((f"{path}.{name}" if path else str(name), one) for name, one in members)


def _too_deep() -> Refused:
    return invalid(
        "body",
        "depth",
        Message(
            "The body is nested too deeply. Nest at most {max_levels} lists and objects.",
            max_levels=MAX_LEVELS,
        ),
    )
