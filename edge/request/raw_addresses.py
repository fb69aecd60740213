"""Finds e-mail addresses in a request body, however they are written: senders must send opaque ids instead."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final
from unicodedata import normalize
from urllib.parse import unquote

from common.values.errors import MAX_DETAILS, Detail
from common.values.messages import Message

_ADDRESS: Final = re.compile(
    r"[^\s@,;:<>(\[\]]@(?:\([^()@]*\))?"
    r"(?:[^\s@,;:<>()\[\]\"'/]+\.[^\s@,;:<>()\[\]\"'/.]{2,}"
    r"|\[(?:ipv6:[0-9a-f:.]+|[0-9]+(?:\.[0-9]+){3})\])",
    re.IGNORECASE,
)
"""
From the last character before the @, so that the search takes time in proportion to the text. The part before the @ may
end with a quote or a comment, and a comment may follow (RFC 5322, 3.4.1); an address may stand in brackets in place of
the domain (RFC 5321, 4.1.3).
"""
_SUSPECT: Final = re.compile(r"[@%&]|[^\x00-\x7f]")
"""Text without one of these is not an address in any spelling: most text needs no further look."""
_MAX_DECODINGS: Final = 4
"""Systems that pass a value on encode it again."""
_MAX_CHARS: Final = 4_096
"""Of a text, from its start. Longer ones are not valid in any field that a person fills."""
_PIECE_CHARS: Final = 64
"""Of a text that is normalized: the time is quadratic in the number of combining marks in a row."""
_SHOWN_NAME: Final = 64
_SHOWN_PATH: Final = 256
"""Characters of a field's name, and of a path from which on it names no deeper field."""


def contains_address(text: str) -> bool:
    """Also percent-encoded, as an HTML entity, or with full-width characters; in either case of letters."""
    text = text[:_MAX_CHARS]
    if _SUSPECT.search(text) is None:
        return False
    for _ in range(_MAX_DECODINGS):
        if _ADDRESS.search(_compatible(text)) is not None:
            return True
        decoded = unescape(unquote(text))
        if decoded == text:
            return False
        text = decoded
    return False


def _compatible(text: str) -> str:
    """*text* in form NFKC, piece by piece: marks after a letter make no difference to an address."""
    if text.isascii():
        return text
    starts = range(0, len(text), _PIECE_CHARS)
    return "".join(normalize("NFKC", text[at : at + _PIECE_CHARS]) for at in starts)


def address_steps(value: Any, param: str, found: list[str]) -> Iterator[None]:
    """
    Adds to *found* the path of each text in *value* with an address, and of a field whose name has one, that of its
    object; at most `MAX_DETAILS`. A step for each text.
    """
    levels: list[Iterator[tuple[str, Any]]] = [iter([(param, value)])]
    while levels and len(found) < MAX_DETAILS:
        path, one = next(levels[-1], (None, None))
        if path is None:
            levels.pop()
        elif isinstance(one, str):
            if contains_address(one):
                found.append(path)
        elif isinstance(one, dict):
            levels.append(_members(path, one))
        elif isinstance(one, list):
            levels.append(_entries(path, one))
        yield


def _members(path: str, values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """In place of a field whose name has an address: that name, as a text at the path of the object."""
    for name, inner in values.items():
        yield (path, name) if contains_address(name) else (_below(path, name), inner)


def _entries(path: str, values: list[Any]) -> Iterator[tuple[str, Any]]:
    return ((_below(path, str(number)), inner) for number, inner in enumerate(values))


def _below(path: str, name: str) -> str:
    if len(path) > _SHOWN_PATH:
        return path
    return f"{path}.{name[:_SHOWN_NAME]}" if path else name[:_SHOWN_NAME]


def address_fault(param: str) -> Detail:
    """*param*: a path that `address_steps` found; empty for the body itself."""
    message = Message(
        "{param} contains an e-mail address. Send an opaque id instead, such as a keyed hash of it.",
        param=param or "The body",
    )
    return Detail(param or "body", "raw_address", message)
