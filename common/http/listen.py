"""Serves an app in a running event loop, and stops serving it without dropping a response."""

import asyncio
import socket
import ssl
from contextlib import suppress
from functools import partial
from typing import Any

from sanic import Sanic
from sanic.application.state import ApplicationServerInfo
from sanic.http import Http
from sanic.http.constants import HTTP
from sanic.models.server_types import Signal
from sanic.server import AsyncioServer

from common.http.protocol import StrictHttpProtocol

_BACKLOG = 1024
_DRAIN_STEP_S = 0.02
_HANDSHAKE_S = 5.0
"""As long as a request's head may take."""


class Listener:
    """A listening app; `port` is the actual port where 0 was requested."""

    def __init__(
        self,
        app: Sanic[Any, Any],
        *,
        server: AsyncioServer,
        accepting: asyncio.Server,
        connections: set[StrictHttpProtocol],
        signal: Signal,
        bound: socket.socket,
    ) -> None:
        self._app = app
        self._server = server
        self._accepting = accepting
        self._connections = connections
        self._signal = signal
        self._bound: socket.socket | None = bound
        self.port: int = bound.getsockname()[1]

    @property
    def connections_count(self) -> int:
        return len(self._connections)

    async def close(self, *, drain_s: float = 5.0) -> None:
        """
        Stops accepting, lets running requests finish for at most *drain_s*, then closes connections and runs the stop
        listeners.

        A connection that is used during the drain gets its response with ``Connection: close``.
        """
        if self._bound is not None:
            with suppress(OSError):  # it was closed already
                self._bound.shutdown(socket.SHUT_RDWR)  # also for other processes that hold it
        self._stop_accepting()
        await self._drain(drain_s)
        for connection in list(self._connections):
            connection.abort()  # type: ignore[no-untyped-call]  # Sanic's, untyped
        await asyncio.sleep(0)
        await self._server.before_stop()
        await self._server.after_stop()
        Sanic.unregister_app(self._app)

    async def hand_over(self, linger_s: float) -> None:
        """
        Leaves the socket to another process that listens on it too; clients see nothing but ``Connection: close``.

        Further requests on open connections are served. Returns when none is left, or after *linger_s*; then call
        `close`.
        """
        self._bound = None
        self._stop_accepting()
        loop = asyncio.get_running_loop()
        until = loop.time() + linger_s
        while self._connections and loop.time() < until:  # noqa: ASYNC110 - as in `_drain`
            await asyncio.sleep(_DRAIN_STEP_S)

    def _stop_accepting(self) -> None:
        self._accepting.close()
        self._signal.stopped = True

    async def _drain(self, drain_s: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + drain_s
        while self._connections and loop.time() < until:
            for connection in list(self._connections):
                if not connection.recv_buffer:
                    connection.close_if_idle()
            await asyncio.sleep(_DRAIN_STEP_S)


async def listen(
    app: Sanic[Any, Any],
    *,
    host: str,
    port: int,
    reuse_port: bool = False,
    tls: ssl.SSLContext | None = None,
) -> Listener:
    """
    Runs the app's start listeners, then accepts. *port* 0 takes any free one; *reuse_port* shares it between processes;
    with *tls* only HTTPS is accepted.

    Raises OSError where the address cannot be bound, and names the address; then nothing was started.
    """
    return await listen_on(app, _bind(host, port, reuse_port=reuse_port), tls=tls)


async def listen_on(
    app: Sanic[Any, Any], bound: socket.socket, *, tls: ssl.SSLContext | None = None
) -> Listener:
    """`listen` on a socket that is already bound, and that other processes may share."""
    loop = asyncio.get_running_loop()
    connections: set[StrictHttpProtocol] = set()
    signal = Signal()
    protocol = partial(
        app.config.PROTOCOL, loop=loop, app=app, connections=connections, signal=signal
    )
    serving = loop.create_server(
        protocol,
        sock=bound,
        backlog=_BACKLOG,
        ssl=tls,
        ssl_handshake_timeout=None if tls is None else _HANDSHAKE_S,
    )
    server = AsyncioServer(app, loop, serving, connections)
    # Sanic rewrites its own methods at the first start in a process, and cannot do it twice.
    app.state.primary = not getattr(Http, "__touched__", False)
    # With this, Sanic sends no empty `alt-svc`: the app supports HTTP/1.1 only.
    app.state.server_info.append(ApplicationServerInfo({"version": HTTP.VERSION_1}))
    try:
        await server.startup()
        await server.before_start()
    except BaseException:
        serving.close()
        bound.close()
        Sanic.unregister_app(app)
        raise
    accepting = await serving
    await server.after_start()
    return Listener(
        app,
        server=server,
        accepting=accepting,
        connections=connections,
        signal=signal,
        bound=bound,
    )


def _bind(host: str, port: int, *, reuse_port: bool) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setblocking(False)  # noqa: FBT003 - its only parameter
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if reuse_port:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise OSError(error.errno, f"cannot listen on {host}:{port}: {error.strerror}") from error
    return bound
