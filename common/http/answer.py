"""
A complete response as bytes. Sanic validates and encodes every header of every response again; here the headers that
all responses share are encoded once.
"""

import itertools
import os
import random
import re
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, final

from sanic.helpers import STATUS_CODES

from common.values.generation_cache import GenerationCache

HEADER: Final = "X-Request-Id"
_process, _numbers = "", itertools.count()
_VISIBLE = re.compile(r"[!-~]{1,128}")
_STATUS_LINES: Final = {
    status: b"HTTP/1.1 %d %s\r\n" % (status, phrase) for status, phrase in STATUS_CODES.items()
}
"""With Sanic's phrases: those of `HTTPStatus` differ between versions of Python."""
_BODILESS: Final = frozenset({204})
_LEFT_TO_SANIC: Final = frozenset({304, 412})
"""Sanic removes the entity headers from these."""
_KEPT: Final = b"connection: keep-alive\r\n\r\n"
_CLOSED: Final = b"connection: close\r\n\r\n"
_NONE: Final[Mapping[str, str]] = MappingProxyType({})
_MAX_LINES: Final = 512
"""Distinct header lines to cache: responses have few, but an ETag or a Location may have any value."""


def chosen_id(given: str | None) -> str:
    """Returns *given*, the id that the client chose for its request, if it is valid; else a new id."""
    if given is not None and _VISIBLE.fullmatch(given):
        return given
    return f"{_process}{next(_numbers):016x}"


def _choose_first_id() -> None:
    """An id names a request and protects nothing, so it need not be hard to guess."""
    global _process, _numbers  # noqa: PLW0603 - a forked process must not repeat its parent's ids
    _process = f"{random.getrandbits(32):08x}"
    _numbers = itertools.count(random.getrandbits(63))


_choose_first_id()
os.register_at_fork(after_in_child=_choose_first_id)


@final
class StaticHeaders:
    """Headers of every response, except one that sets the same name itself. Belongs to one app."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.pairs = tuple(headers.items())
        self.encoded = "".join(f"{name}: {value}\r\n" for name, value in self.pairs).encode(
            "latin-1"
        )
        self._names = frozenset(name.lower() for name in headers)
        self._lines = GenerationCache(_MAX_LINES)

    def find_line(self, name: str, value: str) -> bytes | None:
        """
        Returns a response's own header as bytes;
        None for a static header's name, and where a character is not allowed.
        """
        known: bytes | None = self._lines.get((name, value))
        if known is None:
            known = self._line(name, value)
            if known is not None:
                self._lines.put((name, value), known)
        return known

    def _line(self, name: str, value: str) -> bytes | None:
        text = f"{name}: {value}"
        if name.lower() in self._names or "\n" in text or "\r" in text or "\0" in text:
            return None
        return text.encode(errors="surrogateescape") + b"\r\n"


@final
class RawResponse:
    """
    A response whose own headers are already encoded: for the few responses that are sent millions of times.

    *head*: status line and headers, each ended by CRLF, without static ones; see `response_head`. ``headers``: the same
    headers by name, for code that reads them.
    """

    def __init__(
        self, head: bytes, body: bytes, *, status: int = 200, headers: Mapping[str, str] = _NONE
    ) -> None:
        self.head = head
        self.body = body
        self.status = status
        self.headers = headers

    def encode(self, static_headers: StaticHeaders, request_id: str, *, keep_alive: bool) -> bytes:
        body = self.body
        length = b"" if self.status in _BODILESS else b"content-length: %d\r\n" % len(body)
        return b"".join(
            (
                self.head,
                b"X-Request-Id: ",
                request_id.encode("ascii"),
                b"\r\n",
                static_headers.encoded,
                length,
                _KEPT if keep_alive else _CLOSED,
                body,
            )
        )


def response_head(headers: Mapping[str, str], status: int = 200) -> bytes:
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    return _STATUS_LINES[status] + lines.encode("ascii")


def split_head(head: bytes, static_headers: StaticHeaders, length: int) -> tuple[bytes, bytes]:
    """
    Returns the parts before and after the request id in the head of `RawResponse.encode`, for a body of *length* on a
    kept-alive connection.
    """
    return head + b"X-Request-Id: ", b"\r\n%bcontent-length: %d\r\n%b" % (
        static_headers.encoded,
        length,
        _KEPT,
    )


def encode_raw_response(
    status: int,
    headers: Mapping[str, str],
    static_headers: StaticHeaders,
    body: bytes,
    *,
    content_type: str | None,
    request_id: str,
    keep_alive: bool,
    head_only: bool,
) -> bytes | None:
    """
    Returns None where Sanic must encode it: an unsupported status, an overridden static header, a forbidden character.

    This function adds length and connection. The response to a HEAD has its length and no body, unless its headers name
    the length of a body that was not read.
    """
    line = _STATUS_LINES.get(status)
    if line is None or status < HTTPStatus.OK or status in _LEFT_TO_SANIC:
        return None
    lines = [static_headers.find_line(name, value) for name, value in headers.items()]
    if content_type is not None and "content-type" not in headers:
        lines.append(static_headers.find_line("content-type", content_type))
    parts = [line]
    for own in lines:
        if own is None:
            return None
        parts.append(own)
    parts += (b"X-Request-Id: ", request_id.encode("ascii"), b"\r\n", static_headers.encoded)
    bodiless = status in _BODILESS
    if not bodiless and not (head_only and "content-length" in headers):
        parts.append(b"content-length: %d\r\n" % len(body))
    parts.append(_KEPT if keep_alive else _CLOSED)
    if not (head_only or bodiless):
        parts.append(body)
    return b"".join(parts)
