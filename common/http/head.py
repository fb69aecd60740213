"""
Validates a request head before anything acts on it.

Sanic's parser accepts shapes that another server in the chain reads differently (a space before the colon, folded
lines, bare line feeds, full-width digits, two Hosts). Each can smuggle a second request. They are rejected here.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sanic.exceptions import BadRequest

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message

MAX_HEADERS = 100

_NAME = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_VALUE = rb"[\t ]*(?:[!-~\x80-\xff][\t -~\x80-\xff]*)?"
_HEAD = re.compile(
    rb"(?:OPTIONS \*|[A-Z]{1,20} /[!\"$-~]*) HTTP/1\.[01](?:\r\n" + _NAME + rb":" + _VALUE + rb")*"
)
_ABSOLUTE = re.compile(
    rb"([A-Z]{1,20} )https?://([A-Za-z0-9._~%\-\[\]:]+)((?:[/?][!\"$-~]*)?) ", re.IGNORECASE
)
_HOST_FIELD = re.compile(rb"\r\nhost:[\t ]*([^\r]*)", re.IGNORECASE)
_FIELD = re.compile(rb"(" + _NAME + rb"):(" + _VALUE + rb")")
_UNREADABLE = re.compile(
    rb"\r\n(?:content-length|transfer-encoding|connection|expect|host|upgrade):[^\r]*[\x80-\xff]",
    re.IGNORECASE,
)
"""For example non-ASCII spaces before a length: Sanic strips them, and another server takes them for part of it."""
_TARGET = re.compile(rb"/[!-~]*")
_STARTS_LIKE_A_METHOD = re.compile(rb"[A-Z]{1,20}(?: |$)")
_BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")
_HOST = re.compile(r"[A-Za-z0-9._~%\-\[\]:]*")
_LENGTH = re.compile(r"[0-9]{1,15}[\t ]*")
_CHUNK_HEAD = re.compile(rb"\r\n[0-9A-Fa-f]{1,8}\r\n")


class HeadInvalid(BadRequest):
    """The request can be read in more than one way; the message states what to send instead."""


def check_head(received: bytes | bytearray, end: int) -> None:
    """Checks everything before the empty line, which is at *end*. Raises `HeadInvalid`."""
    if _HEAD.fullmatch(received, 0, end) is None:
        raise HeadInvalid(
            "The request head is malformed. Send `METHOD /path HTTP/1.1` and `Name: value` lines, each ended by CRLF."
        )
    if not received.isascii() and _UNREADABLE.search(received, 0, end) is not None:
        raise HeadInvalid(
            "The request head has bytes that are not ASCII. Send plain `Name: value` lines."
        )
    if received.count(b"\r\n", 0, end) > MAX_HEADERS:
        raise HeadInvalid(f"There are too many headers. Send at most {MAX_HEADERS}.")


def to_origin_form(received: bytearray, end: int) -> int:
    """
    Removes scheme and host from a target that has them, like one sent to a proxy: every server must accept it (RFC
    9112, 3.2.2). A target with another host than ``Host`` is kept, and rejected later. Returns the new offset of the
    empty line.
    """
    found = _ABSOLUTE.match(received, 0, end)
    host = _HOST_FIELD.search(received, 0, end) if found else None
    if found is None or host is None or found[2].lower() != host[1].rstrip(b"\t ").lower():
        return end
    method, rest = found[1], found[3]
    path = rest if rest.startswith(b"/") else b"/" + rest
    received[: found.end() - 1] = method + path
    return end - (found.end() - 1) + len(method + path)


def find_field(line: bytes) -> tuple[str, str] | None:
    """
    Returns name in lower case and value of one header line without its CRLF. Returns None where `check_head` would
    reject it, and where it is not ASCII.
    """
    field = _FIELD.fullmatch(line)
    if field is None or not line.isascii():
        return None
    return field[1].decode("ascii").lower(), field[2].decode("ascii").lstrip("\t ")


def is_target(target: bytes) -> bool:
    """Whether it is a path, perhaps with a query, that `check_head` accepts; a target with a fragment is not."""
    return b"#" not in target and _TARGET.fullmatch(target) is not None


def check_unfinished_head(start: bytes) -> None:
    """Rejects at once a head that no further byte could make valid. Raises `HeadInvalid`."""
    if _STARTS_LIKE_A_METHOD.match(start[:21]) is None or _BARE_LINE_FEED.search(start):
        raise HeadInvalid(
            "This is not an HTTP/1.1 request. Send a request line and headers, each ended by CRLF."
        )


def check_host(values: Sequence[str], *, required: bool) -> None:
    """Requires exactly one ``Host`` (none is fine where not *required*). Raises `HeadInvalid`."""
    if len(values) > 1 or (required and not values):
        raise HeadInvalid("Send exactly one Host header.")
    if values and not _is_host(values[0]):
        raise HeadInvalid("The Host header is malformed. Send `host` or `host:port`.")


@lru_cache(maxsize=1024)
def _is_host(text: str) -> bool:
    return _HOST.fullmatch(text.strip(" \t")) is not None


def head_too_large(received: bytes | bytearray, max_bytes: int) -> Refused:
    """Returns the error for a head of more than *max_bytes*: 414 where most of that is its target, else 431."""
    line = received.find(b"\r\n")
    bound = Message(
        "The request line and the headers have more than {max_bytes:,} bytes together.",
        max_bytes=max_bytes,
    )
    if line < 0 or line > max_bytes // 2:
        return Refused(
            ErrorCode.URI_TOO_LONG, Message("{problem} Send a shorter URL.", problem=bound)
        )
    return Refused(
        ErrorCode.HEADERS_TOO_LARGE,
        Message("{problem} Send fewer or shorter headers.", problem=bound),
    )


def check_framing(*, length: str | None, encoding: str | None, version: str) -> None:
    """Ensures one way to find the end of the body. Raises `HeadInvalid`."""
    if length is not None and _LENGTH.fullmatch(length) is None:
        raise HeadInvalid("Content-Length is malformed. Send a plain decimal number.")
    if encoding is None:
        return
    if encoding != "chunked" or version != "1.1":
        raise HeadInvalid(
            "This Transfer-Encoding is not supported. Use `chunked` in HTTP/1.1, or Content-Length."
        )


def is_chunk_head(raw: bytes) -> bool:
    """Whether *raw* is exactly the CRLF after the previous chunk, a hexadecimal size, and CRLF."""
    return _CHUNK_HEAD.fullmatch(raw) is not None
