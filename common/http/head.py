"""
What a request head must look like before anything acts on it.

Sanic's parser lets through shapes that another server in the chain reads differently (a space before the colon,
folded lines, bare line feeds, full-width digits, two Hosts): each can smuggle a second request. Here they are refused.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from sanic.exceptions import BadRequest

from common.values.errors import ErrorCode, Refused

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
"""Spaces beyond ASCII before a length, for example, which Sanic strips and another server takes for part of it."""
_TARGET = re.compile(rb"/[!-~]*")
_STARTS_LIKE_A_METHOD = re.compile(rb"[A-Z]{1,20}(?: |$)")
_BARE_LINE_FEED = re.compile(rb"(?<!\r)\n")
_HOST = re.compile(r"[A-Za-z0-9._~%\-\[\]:]*")
_LENGTH = re.compile(r"[0-9]{1,15}[\t ]*")
_CHUNK_HEAD = re.compile(rb"\r\n[0-9A-Fa-f]{1,8}\r\n")


class HeadInvalid(BadRequest):
    """The request can be read in more than one way; the message says what to send instead."""


def check_head(received: bytes | bytearray, end: int) -> None:
    """Everything before the empty line, which is at *end*. Raises `HeadInvalid`."""
    if _HEAD.fullmatch(received, 0, end) is None:
        raise HeadInvalid(
            "The request head is malformed. Send `METHOD /path HTTP/1.1` and `Name: value` lines, each ended by CRLF."
        )
    if not received.isascii() and _UNREADABLE.search(received, 0, end) is not None:
        raise HeadInvalid("What frames a request is ASCII. Send plain `Name: value` lines.")
    if received.count(b"\r\n", 0, end) > MAX_HEADERS:
        raise HeadInvalid(f"There are too many headers. Send at most {MAX_HEADERS}.")


def to_origin_form(received: bytearray, end: int) -> int:
    """
    A target that names scheme and host, as one sent to a proxy does, without them: every server has to take it (RFC
    9112, 3.2.2). One that names another host than ``Host`` stays, to be refused. Gives where the empty line is then.
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
    Name in lower case and value of one header line without its CRLF; None where `check_head` would refuse it, and
    where it is not ASCII.
    """
    field = _FIELD.fullmatch(line)
    if field is None or not line.isascii():
        return None
    return field[1].decode("ascii").lower(), field[2].decode("ascii").lstrip("\t ")


def is_target(target: bytes) -> bool:
    """Whether it is a path, perhaps with a query, that `check_head` lets pass; with a fragment it is not."""
    return b"#" not in target and _TARGET.fullmatch(target) is not None


def check_unfinished_head(start: bytes) -> None:
    """Refuses at once what no further byte could mend. Raises `HeadInvalid`."""
    if _STARTS_LIKE_A_METHOD.match(start[:21]) is None or _BARE_LINE_FEED.search(start):
        raise HeadInvalid(
            "This is no HTTP/1.1 request. Send a request line and headers ended by CRLF."
        )


def check_host(values: Sequence[str], *, required: bool) -> None:
    """Exactly one ``Host`` (none is fine where not *required*). Raises `HeadInvalid`."""
    if len(values) > 1 or (required and not values):
        raise HeadInvalid("Send exactly one Host header.")
    if values and not _is_host(values[0]):
        raise HeadInvalid("The Host header is malformed. Send `host` or `host:port`.")


@lru_cache(maxsize=1024)
def _is_host(text: str) -> bool:
    return _HOST.fullmatch(text.strip(" \t")) is not None


def head_too_large(received: bytes | bytearray, max_bytes: int) -> Refused:
    """The refusal of a head that has more than *most_bytes*: 414 where most of that is its target, else 431."""
    line = received.find(b"\r\n")
    bound = f"The request line and the headers may have {max_bytes:,} bytes together."
    if line < 0 or line > max_bytes // 2:
        return Refused(ErrorCode.URI_TOO_LONG, f"{bound} Send a shorter address.")
    return Refused(ErrorCode.HEADERS_TOO_LARGE, f"{bound} Send fewer or shorter headers.")


def check_framing(*, length: str | None, encoding: str | None, version: str) -> None:
    """One way to tell where the body ends. Raises `HeadInvalid`."""
    if length is not None and _LENGTH.fullmatch(length) is None:
        raise HeadInvalid("Content-Length is malformed. Send a plain decimal number.")
    if encoding is None:
        return
    if encoding != "chunked" or version != "1.1":
        raise HeadInvalid("The only Transfer-Encoding taken is `chunked`, in HTTP/1.1.")


def is_chunk_head(raw: bytes) -> bool:
    """Whether *raw* is exactly the CRLF that ends what came before, a hexadecimal size, and CRLF."""
    return _CHUNK_HEAD.fullmatch(raw) is not None
