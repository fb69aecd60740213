"""The protocol of every listener of the service: a connection, its limits, and calls that bypass Sanic."""

import asyncio
from time import monotonic
from typing import Any

from sanic.http import Stage
from sanic.server.protocols.http_protocol import HttpProtocol

from common.http.connections import Connections, SlowReaderGuard, peer_address
from common.http.strict_http import BODY_DEADLINE_S, HEAD_DEADLINE_S, StrictHttp

__all__ = [
    "BODY_DEADLINE_S",
    "HEAD_DEADLINE_S",
    "StrictHttp",
    "StrictHttpProtocol",
]

_IDLE = Stage.IDLE


class StrictHttpProtocol(HttpProtocol):
    """The protocol of every listener of the service."""

    HTTP_CLASS = StrictHttp
    __slots__ = ("_in_flight", "_is_held", "_reading", "address", "counted", "peer")

    def _setup(self) -> None:
        super()._setup()  # type: ignore[no-untyped-call]  # Sanic's, untyped
        self._http: StrictHttp | None = None
        self._in_flight = False
        """A call is being processed outside Sanic."""
        self._is_held = False
        """The client reads too slowly: more data is pending than should be."""
        self.counted: Connections = self.app.config.CONNECTIONS
        self.peer = ""
        self.address = ""
        """The address that the connection counts for, unless calls are counted, behind trusted proxies."""
        self._reading = SlowReaderGuard(self.loop, self.counted)
        self.request_handler = self.app.config.DIRECT.handle

    @property
    def may_answer_at_once(self) -> bool:
        """
        Whether the next byte would begin a request whose response could be written at once. An idle stage alone is not
        enough: a handler may have returned while its body is still being sent.
        """
        # Read on every call: in one frame it costs a third of what it would in four. Sanic's annotation of its request
        # omits that it may be None.
        http: Any = self._http
        transport = self.transport
        return (
            http is not None
            and http.stage is _IDLE
            and http.request is None
            and http.keep_alive
            and not http.recv_buffer
            and not self._in_flight
            and not self._is_held
            and not self.signal.stopped
            and transport is not None
            and not transport.is_closing()
        )

    def write_at_once(self, data: bytes) -> bool:
        """Returns False where the client is slow or gone: then Sanic's `send` waits for it, or raises."""
        transport = self.transport
        if transport is None or transport.is_closing() or self._is_held:
            return False
        transport.write(data)
        self._time = monotonic()
        return True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Beyond a limit, closes the connection at once: a client that retries is better off than one that waits."""
        self.peer = peer_address(transport.get_extra_info("peername"))
        is_full = len(self.connections) >= self.counted.most
        address = None if is_full else self.counted.enter(self.peer)
        if address is None:
            self.counted.refused += 1
            transport.close()
            return
        self.address = address
        super().connection_made(transport)  # type: ignore[no-untyped-call]  # Sanic's, untyped
        self.counted.open = len(self.connections)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.conn_info is None:  # it was closed at once
            return
        http = self.http
        if http is not None:
            http.end_call()
        super().connection_lost(exc)  # type: ignore[no-untyped-call]  # Sanic's, untyped
        self.counted.leave(self.address)
        self.counted.open = len(self.connections)

    def pause_writing(self) -> None:
        self._is_held = True
        super().pause_writing()  # type: ignore[no-untyped-call]  # Sanic's, untyped
        if self.transport is not None:
            self._reading.watch(self.transport)

    def resume_writing(self) -> None:
        self._is_held = False
        super().resume_writing()  # type: ignore[no-untyped-call]  # Sanic's, untyped
        self._reading.leave()
