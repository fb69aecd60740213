"""
The short way for ``GET /v1/serve``: a complete, plain call on a waiting connection is answered in `data_received`,
without Sanic, in the same bytes. Everything else is Sanic's, untouched.
"""

from typing import Any

from sanic import Sanic

from common.http.protocol import StrictHttpProtocol
from edge.fastpath.http1.pipelined import answer_calls
from edge.fastpath.http1.serve_path import ServeFastPath


class FastServeProtocol(StrictHttpProtocol):
    """Its `ServeFastPath`, part by part: what is asked for each call is held by the connection itself."""

    __slots__ = ("error_response_for_cached", "lookup_cached", "observe", "serve_uncached")

    def _setup(self) -> None:
        super()._setup()
        way: ServeFastPath = self.app.config.SHORT_WAY
        self.lookup_cached = way.lookup_cached
        self.serve_uncached = way.serve_uncached
        self.error_response_for_cached = way.error_response_for_cached
        self.observe = way.observe

    def data_received(self, data: bytes) -> None:
        answered = answer_calls(self, data)
        if answered != len(data) or not data:
            self.receive_other(data[answered:] if answered else data)

    def receive_other(self, data: bytes) -> None:
        """What this way is not for."""
        super().data_received(data)


def answer_fast(app: Sanic[Any, Any]) -> None:
    """Opens the short way when the app starts, its context being open."""

    def open_short_way(app: Sanic[Any, Any]) -> None:
        app.config.update(SHORT_WAY=ServeFastPath(app))

    app.config.update(PROTOCOL=FastServeProtocol)
    app.register_listener(open_short_way, "before_server_start")
