"""
Reads a request's body: its size is checked before it is read and after it is decoded, and the bytes held are counted.

``Content-Encoding`` may be ``gzip`` or ``deflate`` (RFC 9110, 8.4.1). Nothing of a body is decoded beyond its limit, so
a small body that decodes into a large one costs no more than a large one.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from sanic import Request
from sanic.exceptions import PayloadTooLarge

from common.values.errors import ApiError, ErrorCode, Refused
from common.values.messages import Message

if TYPE_CHECKING:
    from common.http.strict_http import StrictHttp

ENCODINGS = ("gzip", "deflate")
_NAMES = {"": "", "identity": "", "gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}
_GZIP_BITS = 16 + zlib.MAX_WBITS
_ZLIB_HEAD_BYTES = 2
_PIECE_BYTES = 262_144
"""Maximum that is decoded in one step."""
MAX_MEMBERS = 100
"""Of a gzip body. What follows a member is copied for each, so thousands of empty ones would take long."""
MAX_READS = 20_000
"""Reads for one body: chunks, or pieces of them. Each costs some microseconds, however small it is."""
_READS_AT_ONCE = 64

Charge = Callable[[int], None]
"""Counts bytes of a body before they are read. Raises `Refused` where the sender has sent too many."""


async def read_body(
    request: Request[Any, Any], *, max_bytes: int, charge: Charge | None = None
) -> None:
    """Reads the whole, decoded body into ``request.body``. Raises `Refused`: 400, 413, 415, 429, 503."""
    whole = bytearray()
    stream = cast("StrictHttp", request.stream)
    async for piece in body_pieces(request, max_bytes=max_bytes, charge=charge):
        try:
            stream.hold(len(piece))
        except ApiError:
            stream.leave_body()
            raise
        whole += piece
    request.body = bytes(whole)


async def body_pieces(
    request: Request[Any, Any], *, max_bytes: int, charge: Charge | None = None
) -> AsyncIterator[bytes]:
    """
    Yields the decoded body as it arrives. Raises `Refused`. A body longer than *max_bytes* is rejected before its first
    byte is read if ``Content-Length`` shows it, else at the first byte beyond.
    """
    stream = cast("StrictHttp", request.stream)
    if not stream.request_body:
        return
    stream.request_max_size = max_bytes
    length: int = stream.request_bytes or 0
    try:
        decoder = _decoder_of(request.headers.getall("content-encoding", ()))
        if length > max_bytes:
            raise too_large(max_bytes)
        if charge is not None:
            charge(length)
        came = 0
        async for data in _as_sent(stream):
            for piece in decoder.decode(data):
                came += len(piece)
                if came > max_bytes:
                    raise too_large(max_bytes)
                if charge is not None and came > length:
                    charge(min(len(piece), came - length))
                yield piece
        decoder.finish()
    except PayloadTooLarge:
        raise too_large(max_bytes) from None
    except Refused:
        stream.leave_body()
        raise


async def _as_sent(stream: "StrictHttp") -> AsyncIterator[bytes]:
    """Yields the body as it arrives, not decoded. Raises `Refused` where it arrives in very many pieces."""
    for number in range(1, MAX_READS + 1):
        if not stream.request_body:
            return
        data = await stream.read()
        if data:
            yield data
        if number % _READS_AT_ONCE == 0:  # hundreds may be pending; other tasks run in between
            await asyncio.sleep(0)
    raise Refused(
        ErrorCode.BAD_REQUEST, Message("The chunks of the body are too small. Send larger ones.")
    )


def decoded(encoding: str, data: bytes) -> Iterator[bytes]:
    """Yields the pieces of a whole body. Raises `Refused` (400). *encoding*: one of `ENCODINGS`."""
    decoder = _Decoder(encoding)
    yield from decoder.decode(data)
    decoder.finish()


def too_large(max_bytes: int) -> Refused:
    return Refused(
        ErrorCode.PAYLOAD_TOO_LARGE,
        Message(
            "The body has more than {max_bytes:,} bytes after decoding. Send less at once.",
            max_bytes=max_bytes,
        ),
    )


class _AsItIs:
    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        pass


class _Decoder:
    """*encoding*: ``gzip``, of one or more members; or ``deflate``, with zlib's header (as it should be) or without."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._waiting = b""
        self._stream: Any = None
        self._members = 0

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Raises `Refused` where *data* is something else."""
        data = self._waiting + data
        self._waiting = b""
        try:
            while data:
                if self._stream is None or self._stream.eof:
                    if len(data) < _ZLIB_HEAD_BYTES and self._encoding == "deflate":
                        self._waiting = data
                        return
                    self._members += 1
                    if self._members > (MAX_MEMBERS if self._encoding == "gzip" else 1):
                        raise _garbled(self._encoding)
                    self._stream = zlib.decompressobj(self._bits(data))
                piece = self._stream.decompress(data, _PIECE_BYTES)
                data = self._stream.unused_data or self._stream.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error:
            raise _garbled(self._encoding) from None

    def finish(self) -> None:
        """Raises `Refused` where the end is missing."""
        if self._waiting or self._stream is None or not self._stream.eof:
            raise _garbled(self._encoding)

    def _bits(self, data: bytes) -> int:
        if self._encoding == "gzip":
            return _GZIP_BITS
        has_head = data[0] & 15 == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
        return zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS


def _decoder_of(values: tuple[str, ...] | list[str]) -> _AsItIs | _Decoder:
    encoding = _NAMES.get(",".join(values).strip().lower())
    if encoding is None:
        raise Refused(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            Message(
                "This `Content-Encoding` is not supported. Send the body unencoded, or encoded once "
                "as {encodings}.",
                encodings=" or ".join(ENCODINGS),
            ),
            headers={"Accept-Encoding": ", ".join(ENCODINGS)},
        )
    return _Decoder(encoding) if encoding else _AsItIs()


def _garbled(encoding: str) -> Refused:
    return Refused(
        ErrorCode.BAD_REQUEST,
        Message(
            "The body is not complete {encoding} data, although `Content-Encoding` says so. "
            "Encode it again, or send it unencoded.",
            encoding=encoding,
        ),
    )
