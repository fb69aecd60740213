"""
Routes that bypass Sanic's router, for the most frequent requests.

Sanic looks every request up by path, method and host, runs a chain of unused hooks and sends through three objects;
`make bench-serve` measures the gain. A direct route is one dictionary look-up, then its handler. Errors are handled as
elsewhere. The same handler is also in Sanic's router, for requests that are not plain enough for this path.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from sanic import HTTPResponse, Request, Sanic

Handler = Callable[[Request], Coroutine[Any, Any, HTTPResponse]]


class DirectRoutes:
    """The direct routes of one app. Handlers return a complete response, and read no body."""

    def __init__(self, app: Sanic[Any, Any]) -> None:
        self._app = app
        self._handlers: dict[tuple[str, str], Handler] = {}

    def add(self, method: str, path: str, handler: Handler) -> None:
        """*path*: an exact path, without parameters."""
        self._handlers[(method, path)] = handler

    async def handle(self, request: Request) -> None:
        """Called by the protocol for every request whose head has been read."""
        handler = self._handlers.get((request.method, request.path))
        http = request.stream
        if handler is None or http is None or http.request_body:
            await self._app.handle_request(request)
            return
        try:
            http.count_call()  # type: ignore[attr-defined]  # of `StrictHttp`
            http.respond(await handler(request))
        except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
            await self._app.handle_exception(request, error)
            return
        await http.send(b"", end_stream=True)  # type: ignore[attr-defined]  # of the HTTP/1.1 stream it is
