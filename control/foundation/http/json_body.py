"""
A JSON body parsed within bounds. Its values are counted before any is made: a megabyte of empty lists takes seconds,
and holds the interpreter's lock all that time. orjson keeps the last of names that stand twice in an object and takes
U+0000; a second pass by Python's own parser finds repeated names, and a walk what PostgreSQL cannot store.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import orjson

from common.values.errors import MAX_DETAILS, Detail, ErrorCode, Refused, invalid
from control.foundation.http.errors import refuse

MAX_VALUES = 20_000
"""In one body; a campaign with all the targeting that it may have has two thirds of that."""
MAX_NAMES = 5_000
"""Of fields, in all objects together."""
MAX_LEVELS = 32
"""Of lists and objects; nothing of ours goes a third as deep."""

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


def parse_json(body: bytes) -> Any:
    """Raises `Refused`: 400 where it is no JSON, 422 where names are repeated or a bound is passed."""
    _check_count(body)
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Refused(
            ErrorCode.INVALID_JSON,
            f"The body is no JSON: line {error.lineno}, column {error.colno}. Send one JSON object.",
        ) from None
    twice = _Names().find_twice(body)
    if twice:
        raise refuse([Detail(name, "repeated", "Send this field once.") for name in sorted(twice)])
    return fields


def check_text(fields: Any, whole: str) -> None:
    """
    Raises `Refused` where text holds U+0000, which PostgreSQL cannot store and nobody means, and where there are too
    many values or levels. *whole* names what was sent.
    """
    if not _has_nul(fields):
        return
    found = [
        Detail(path or whole, "control_character", "Remove U+0000.")
        for path in islice(_nul_paths(fields), MAX_DETAILS)
    ]
    raise refuse(found)


def _check_count(body: bytes) -> None:
    """
    Every value but the first stands behind one of three signs; those inside strings are left out where it matters.
    That takes long for very many strings, so their quotes are counted before: at least those that are not escaped.
    """
    if _signs(body) <= MAX_VALUES:
        return
    quotes = body.count(b'"') - body.count(rb"\"")
    if quotes > 2 * (MAX_VALUES + MAX_NAMES) or _signs(_STRING.sub(b"", body)) > MAX_VALUES:
        raise invalid("body", "length", f"Send at most {MAX_VALUES:,} values in all.")


def _signs(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


class _Names:
    """Of one body: counts names as its objects end, and notes those that came twice in one."""

    def __init__(self) -> None:
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
        if self._names > MAX_NAMES or self._objects > MAX_VALUES:
            raise invalid("body", "length", f"Send at most {MAX_NAMES:,} fields in all.")
        if len(pairs) > 1 and len(dict(pairs)) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            self._twice.update(name for name, count in counts.items() if count > 1)


def _has_nul(fields: Any) -> bool:
    """Builds no paths, which cost ten times the walk. Raises `Refused` as `check_text`."""
    level: list[Any] = [fields]
    has_nul, values = False, 1
    for _ in range(MAX_LEVELS):
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                has_nul = has_nul or "\0" in value
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
                raise invalid("body", "length", f"Send at most {MAX_VALUES:,} values in all.")
            below += members
        level = below
        if not level:
            return has_nul
    raise _too_deep()


def _nul_paths(fields: Any) -> Iterator[str]:
    """*fields*: within the bounds of `_has_nul`."""
    level: list[tuple[str, Any]] = [("", fields)]
    while level:
        below: list[tuple[str, Any]] = []
        for path, value in level:
            if isinstance(value, str):
                if "\0" in value:
                    yield path
            elif isinstance(value, dict | list):
                if isinstance(value, dict) and any("\0" in name for name in value):
                    yield path
                below += _members(path, value)
        level = below


def _members(path: str, value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    return ((f"{path}.{name}" if path else str(name), one) for name, one in members)


def _too_deep() -> Refused:
    return invalid("body", "depth", f"Nest at most {MAX_LEVELS} lists and objects.")
