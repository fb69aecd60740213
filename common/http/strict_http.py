"""
The requests of one connection: Sanic's HTTP/1.1 with real deadlines, strict heads and bounded bodies.

Every byte resets Sanic's own request timeout, so a slow client can hold a connection for ever; its head parser is
lenient. This subclass fixes both, so that nothing depends on signals or middleware.
"""

import asyncio
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from sanic.exceptions import RequestTimeout
from sanic.http import Http, Stage
from sanic.server.protocols.http_protocol import HttpProtocol

from common.contract.operation import MAX_HEAD_BYTES
from common.http.answer import HEADER, StaticHeaders, encode_raw_response
from common.http.head import (
    HeadInvalid,
    check_framing,
    check_head,
    check_host,
    check_unfinished_head,
    head_too_large,
    is_chunk_head,
    to_origin_form,
)
from common.http.raw_response import EncodedResponse
from common.http.request_id import request_id
from common.values.errors import Refused

if TYPE_CHECKING:
    from common.http.protocol import StrictHttpProtocol

HEAD_DEADLINE_S = 5.0
"""From the first byte of a request to the empty line after its head."""
BODY_DEADLINE_S = 10.0
"""From the end of the head to the last byte of the body."""

_LINGER_S = 1.0
_MAX_CHUNK_HEAD_BYTES = 64
_CRLF_BYTES = 2
"""What Sanic leaves of the head in front of a chunked body."""
_MAX_DRAINED_BYTES = 16_384
"""Maximum of an unwanted body that is read and dropped to keep the connection."""


class StrictHttp(Http):
    """
    The requests of one connection. A rejected head gets a 400 and the connection is closed:
    nothing after it runs.
    """

    HEADER_MAX_SIZE = (
        MAX_HEAD_BYTES  # else Sanic's, which the newest app of the process sets for all
    )
    __slots__ = (
        "_address",
        "_deadline",
        "_follows",
        "_held_bytes",
        "_left_body",
        "_static_headers",
    )

    def __init__(self, protocol: HttpProtocol) -> None:
        super().__init__(protocol)  # type: ignore[no-untyped-call]  # Sanic's, untyped
        self._deadline: asyncio.TimerHandle | None = None
        self._static_headers: StaticHeaders = protocol.app.config.STATIC_HEADERS
        self._address = ""
        """The address that the current call counts for, behind trusted proxies; empty where it is not counted."""
        self._held_bytes = 0
        self._left_body = False
        self.request = None  # type: ignore[assignment]  # as in Sanic, but from the start

    def init_for_request(self) -> None:
        self.end_call()
        self._follows = bool(self.recv_buffer)
        super().init_for_request()  # type: ignore[no-untyped-call]  # Sanic's, untyped

    async def http1(self) -> None:
        try:
            await super().http1()  # type: ignore[no-untyped-call]  # Sanic's, untyped
        finally:
            self.end_call()
        if self._left_body or getattr(self.response, "status", 0) >= HTTPStatus.BAD_REQUEST:
            await self._linger()

    async def http1_request_header(self) -> None:
        if self._follows:  # hundreds may be pending on this connection; other tasks run
            await asyncio.sleep(0)
        buffer = self.recv_buffer
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            end = await self._receive_head()
        if not 0 <= end < self.HEADER_MAX_SIZE:
            raise head_too_large(buffer, self.HEADER_MAX_SIZE)
        end = to_origin_form(buffer, end)
        check_head(buffer, end)
        await super().http1_request_header()  # type: ignore[no-untyped-call]  # Sanic's, untyped
        self._check_headers()
        self.upgrade_websocket = False
        if self.is_chunked or len(buffer) < (self.request_bytes_left or 0):
            self._set_deadline(self.protocol.app.config.BODY_DEADLINE_S, "The body")

    async def read(self) -> bytes | None:
        if self.is_chunked and self.request_bytes_left == 0:
            await self._receive_chunk_head()
        if self._too_large:  # Sanic would first send a 100 Continue
            self.expecting_continue = False
        data: bytes | None = await super().read()
        if data is None:
            self._clear_deadline()
        return data

    async def receive_first_chunk_head(self) -> None:
        """
        Waits for the head of a chunked body's first chunk, which stays unread. Returns at once where the client sends
        nothing before a 100 Continue. Raises `HeadInvalid`.
        """
        if not self.expecting_continue or len(self.recv_buffer) > _CRLF_BYTES:
            await self._receive_chunk_head()

    def count_call(self) -> None:
        """Behind trusted proxies, counts the call for its address until the call's end. Raises `Refused` (429)."""
        protocol = self._strict_protocol
        if protocol.counted.proxies_count and not self._address:
            self._address = protocol.counted.enter_call(protocol.peer, self.request.headers)

    def hold(self, count: int) -> None:
        """Counts *count* more bytes of the body until the call's end. Raises `ApiError`: 429, 503."""
        protocol = self._strict_protocol
        protocol.counted.hold(self._address or protocol.address, count)
        self._held_bytes += count

    def leave_body(self) -> None:
        """Leaves the rest of the body unread: the connection ends with the response."""
        self._left_body = True
        self.expecting_continue = False
        self.keep_alive = False
        self.request_body = None

    def end_call(self) -> None:
        """Releases the call's counts: it is answered, or its connection is gone."""
        self._clear_deadline()
        protocol = self._strict_protocol
        if self._held_bytes:
            protocol.counted.release(self._address or protocol.address, self._held_bytes)
            self._held_bytes = 0
        if self._address:
            protocol.counted.leave(self._address)
            self._address = ""

    def take_large_body(self, *, max_bytes: int, deadline_s: float) -> None:
        """Sets other limits than the app's, for a handler that reads the body itself."""
        self.request_max_size = max_bytes
        if self._deadline is not None:
            self._set_deadline(deadline_s, "The body")

    async def http1_response_header(self, data: bytes, end_stream: bool) -> None:  # noqa: FBT001 - Sanic's signature
        response = self.response
        if self.request_body and response.status >= HTTPStatus.MULTIPLE_CHOICES:
            self._leave_long_body()
        if self.protocol.signal.stopped:
            self.keep_alive = False
        if isinstance(response, EncodedResponse):
            whole: bytes | None = response.ready.encode(
                self._static_headers, request_id(self.request), keep_alive=self.keep_alive
            )
        else:
            whole = None if self.expecting_continue else self._encode_whole(data, ended=end_stream)
        if whole is None:
            response.headers[HEADER] = request_id(self.request)
            for name, value in self._static_headers.pairs:
                response.headers.setdefault(name, value)
            await super().http1_response_header(data, end_stream)
            return
        self.response_func = None  # type: ignore[assignment]  # as Sanic does, to mark that nothing may follow
        if not self._strict_protocol.write_at_once(whole):
            await self._send(whole)
        self.stage = Stage.IDLE

    def _encode_whole(self, data: bytes, *, ended: bool) -> bytes | None:
        """Returns the response in one piece; None for a stream, and for what `encode_raw_response` leaves to Sanic."""
        response = self.response
        body = data or getattr(response, "body", None) or b""
        if not ended and (data or not body):
            return None
        return encode_raw_response(
            response.status,
            response.headers,
            self._static_headers,
            body,
            content_type=response.content_type,
            request_id=request_id(self.request),
            keep_alive=self.keep_alive,
            head_only=bool(self.head_only),
        )

    async def _linger(self) -> None:
        """
        Keeps reading for a moment after an error: closing with unread bytes resets the connection, and the client may
        never see the response.
        """
        transport = self.protocol.transport
        if transport is None or transport.is_closing():
            return
        transport.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_S):
                while True:
                    self.recv_buffer.clear()
                    await self._receive_more()

    def _leave_long_body(self) -> None:
        """
        Leaves the body of a call unread where the client still withholds it, or where it is long. This includes the
        rest of an upload: Sanic reads it with the app's own limit, and closes the connection where that is smaller.
        """
        rest = 0 if self.request_bytes_left is None else self.request_bytes_left
        is_upload = (self.request_bytes or 0) > self.protocol.request_max_size
        if self.expecting_continue or self._too_large or is_upload or rest > _MAX_DRAINED_BYTES:
            self.leave_body()

    @property
    def _strict_protocol(self) -> "StrictHttpProtocol":
        return self.protocol  # type: ignore[return-value]  # only that class creates us

    @property
    def is_chunked(self) -> bool:
        """Whether the rest of the body, of which some is left, comes in chunks."""
        body: object = (
            self.request_body
        )  # typed as bytes by Sanic, which stores "chunked" or a bool in it
        return body == "chunked"

    @property
    def _too_large(self) -> bool:
        """Whether the declared body exceeds its limit; then the connection ends with the response."""
        return (self.request_bytes or 0) > self.request_max_size

    async def _receive_head(self) -> int:
        """Waits for the empty line; returns its position, or -1 where the head exceeded its limit."""
        self._set_deadline(self.protocol.app.config.HEAD_DEADLINE_S, "The request head")
        buffer = self.recv_buffer
        while (end := buffer.find(b"\r\n\r\n")) < 0:
            check_unfinished_head(bytes(buffer))
            if len(buffer) - 3 >= self.HEADER_MAX_SIZE:
                break
            await self._receive_more()
        self._clear_deadline()
        return int(end)

    def _check_headers(self) -> None:
        headers = self.request.headers
        version = self.request.version
        try:
            check_host(headers.getall("host", ()), required=version == "1.1")
            if self.request_body:
                check_framing(
                    length=headers.getone("content-length", None),
                    encoding=headers.getone("transfer-encoding", None),
                    version=version,
                )
                self.count_call()  # others when their route is known
        except (HeadInvalid, Refused):
            self.request_body = None
            raise

    async def _receive_chunk_head(self) -> None:
        buffer = self.recv_buffer
        while (end := buffer.find(b"\r\n", 2)) < 0 and len(buffer) <= _MAX_CHUNK_HEAD_BYTES:
            await self._receive_more()
        if end < 0 or not is_chunk_head(bytes(buffer[: end + 2])):
            self.keep_alive = False
            self.request_body = None
            raise HeadInvalid("The chunked body is malformed. Send Content-Length instead.")

    def _set_deadline(self, seconds: float, what: str) -> None:
        self._clear_deadline()
        self._deadline = self.protocol.loop.call_later(seconds, self._expire, what, seconds)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self, what: str, seconds: float) -> None:
        task = self.protocol._task  # noqa: SLF001 - Sanic cancels its task the same way, in check_timeouts
        if task is not None:
            self.exception = RequestTimeout(f"{what} did not arrive within {seconds:g} seconds.")
            self.request_body = None
            task.cancel()
