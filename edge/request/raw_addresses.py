"""Finds e-mail addresses in a request body, however they are written: senders must send opaque ids instead."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final
from unicodedata import normalize
from urllib.parse import unquote

from common.values.errors import Detail
from common.values.messages import Message

_ADDRESS: Final = re.compile(
    r"[^\s@,;:<>()\[\]\"']+@[^\s@,;:<>()\[\]\"'/]+\.[^\s@,;:<>()\[\]\"'/.]{2,}"
)
_SUSPECT: Final = re.compile(r"[@%&]|[^\x00-\x7f]")
"""Text without one of these is not an address in any spelling: most text needs no further look."""
_MAX_DECODINGS: Final = 4
"""Systems that pass a value on encode it again."""

Place = tuple[str, ...]


def contains_address(text: str) -> bool:
    """Also percent-encoded, as an HTML entity, or with full-width characters; in either case of letters."""
    if _SUSPECT.search(text) is None:
        return False
    for _ in range(_MAX_DECODINGS):
        if _ADDRESS.search(normalize("NFKC", text)) is not None:
            return True
        decoded = unescape(unquote(text))
        if decoded == text:
            return False
        text = decoded
    return False


def addresses_in(value: Any, param: str) -> Iterator[str]:
    """Yields the path of each text in *value* with an address; of a field whose name has one, that of its object."""
    if isinstance(value, str):
        if contains_address(value):
            yield param
    elif isinstance(value, dict):
        for name, inner in value.items():
            if contains_address(name):
                yield param
            else:
                yield from addresses_in(inner, f"{param}.{name}" if param else name)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from addresses_in(inner, f"{param}.{number}")


def address_fault(param: str) -> Detail:
    """*param*: a path that `addresses_in` yielded; empty for the body itself."""
    message = Message(
        "{param} contains an e-mail address. Send an opaque id instead, such as a keyed hash of it.",
        param=param or "The body",
    )
    return Detail(param or "body", "raw_address", message)
