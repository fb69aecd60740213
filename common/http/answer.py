"""
A whole answer as bytes. Sanic cleans and encodes every header of every answer anew; here the headers that stand on
all answers are encoded once.
"""

from collections.abc import Mapping
from http import HTTPStatus

from sanic.response import HTTPResponse

_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
_BODILESS = frozenset({204})
_LEFT_TO_SANIC = frozenset({304, 412})
"""It takes the entity's headers out of these."""
_KEPT = b"connection: keep-alive\r\n\r\n"
_CLOSED = b"connection: close\r\n\r\n"
_MOST_LINES = 1024
"""Different headers remembered: answers have few, but an ETag or a Location may be any."""


class StandingHeaders:
    """Headers of every answer, except of one that sets the same name itself. Belongs to one app."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.pairs = tuple(headers.items())
        self.encoded = "".join(f"{name}: {value}\r\n" for name, value in self.pairs).encode(
            "latin-1"
        )
        self._names = frozenset(name.lower() for name in headers)
        self._lines: dict[tuple[str, str], bytes | None] = {}

    def find_line(self, name: str, value: str) -> bytes | None:
        """An answer's own header as it is sent; None for a standing one's name, and where a character may not be."""
        known = self._lines.get((name, value), b"")
        if known == b"":
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            known = self._lines[(name, value)] = self._line(name, value)
        return known

    def _line(self, name: str, value: str) -> bytes | None:
        text = f"{name}: {value}"
        if name.lower() in self._names or "\n" in text or "\r" in text or "\0" in text:
            return None
        return text.encode(errors="surrogateescape") + b"\r\n"


class ReadyAnswer(HTTPResponse):
    """
    A 200 whose own headers were encoded before: for the one answer that is given a million times.

    *head*: status line and headers, each ended by CRLF, none of them standing ones; see `ready_head`.
    """

    __slots__ = ("head",)

    def __init__(
        self, head: bytes, body: bytes
    ) -> None:  # not Sanic's: it makes headers nobody reads
        self.asgi = False
        self.body = body
        self.content_type = None
        self.stream = None
        self.status = 200
        self.head = head
        self._cookies = None

    def encode(self, standing: StandingHeaders, request_id: str, *, keep_alive: bool) -> bytes:
        body = self.body or b""
        return b"%bX-Request-Id: %b\r\n%bcontent-length: %d\r\n%b%b" % (
            self.head,
            request_id.encode("ascii"),
            standing.encoded,
            len(body),
            _KEPT if keep_alive else _CLOSED,
            body,
        )


def ready_head(headers: Mapping[str, str]) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return _STATUS_LINES[HTTPStatus.OK.value] + lines.encode("ascii")


def encode_answer(
    status: int,
    headers: Mapping[str, str],
    standing: StandingHeaders,
    body: bytes,
    *,
    content_type: str | None,
    request_id: str,
    keep_alive: bool,
    head_only: bool,
) -> bytes | None:
    """
    None where Sanic must do it: another status than ours, a standing header overridden, a character no header may hold.

    Length and connection are added here. A HEAD's answer has its length, unless it names that of a body that was not
    read, and no body.
    """
    line = _STATUS_LINES.get(status)
    if line is None or status < HTTPStatus.OK or status in _LEFT_TO_SANIC:
        return None
    lines = [standing.find_line(name, value) for name, value in headers.items()]
    if content_type is not None and "content-type" not in headers:
        lines.append(standing.find_line("content-type", content_type))
    parts = [line]
    for own in lines:
        if own is None:
            return None
        parts.append(own)
    parts += (b"X-Request-Id: ", request_id.encode("ascii"), b"\r\n", standing.encoded)
    bodiless = status in _BODILESS
    if not bodiless and not (head_only and "content-length" in headers):
        parts.append(b"content-length: %d\r\n" % len(body))
    parts.append(_KEPT if keep_alive else _CLOSED)
    if not (head_only or bodiless):
        parts.append(body)
    return b"".join(parts)
