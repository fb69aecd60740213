"""
Fast path of ``GET /v1/serve``: `data_received` answers a complete, plain request on an idle connection.

It does so without Sanic, in the same bytes. Sanic receives everything else unchanged.
"""

from typing import Any

from sanic import Sanic

from common.http.protocol import StrictHttpProtocol
from edge.fastpath.http1.pipelined import answer_calls
from edge.fastpath.http1.serve_path import ServeFastPath
from edge.fastpath.http1.traced_paths import TracedServePath, serve_path_of


class FastServeProtocol(StrictHttpProtocol):
    """A connection with the serve fast path. It holds the parts of `ServeFastPath` that each request needs."""

    __slots__ = ("error_response_for_cached", "lookup_cached", "observe", "serve_uncached")

    def _setup(self) -> None:
        super()._setup()
        path: ServeFastPath | TracedServePath = self.app.config.SERVE_FAST_PATH
        self.lookup_cached = path.lookup_cached
        self.serve_uncached = path.serve_uncached
        self.error_response_for_cached = path.error_response_for_cached
        self.observe = path.observe

    def data_received(self, data: bytes) -> None:
        answered = answer_calls(self, data)
        if answered != len(data) or not data:
            self.receive_other(data[answered:] if answered else data)

    def receive_other(self, data: bytes) -> None:
        """Handles data that the serve fast path does not."""
        super().data_received(data)


def answer_fast(app: Sanic[Any, Any]) -> None:
    """Enables the serve fast path when the app starts, after its context was opened."""

    def open_serve_path(app: Sanic[Any, Any]) -> None:
        app.config.update(SERVE_FAST_PATH=serve_path_of(app))

    app.config.update(PROTOCOL=FastServeProtocol)
    app.register_listener(open_serve_path, "before_server_start")
