"""
The short way for ``GET /v1/serve``: a complete, plain call on a waiting connection is answered in `data_received`,
without Sanic, in the same bytes. Everything else is Sanic's, untouched.
"""

from time import monotonic
from typing import Any, Final

from sanic import Sanic

from common.http.protocol import MAX_HEAD_BYTES, StrictHttpProtocol
from edge.http.short_way import START, ShortWay

_MOST_AT_ONCE: Final = 16
"""Pipelined calls answered before the loop may turn to others; what is left over is Sanic's."""


class FastServeProtocol(StrictHttpProtocol):
    """Counts requests and keeps the connection's clock as Sanic does."""

    __slots__ = ("_find_answer",)

    def _setup(self) -> None:
        super()._setup()
        way: ShortWay = self.app.config.SHORT_WAY
        self._find_answer = way.find_answer

    def data_received(self, data: bytes) -> None:
        if data.startswith(START) and self.may_answer_at_once:
            answered = self._answer(data)
            if answered == len(data):
                return
            data = data[answered:]
        self.receive_other(data)

    def receive_other(self, data: bytes) -> None:
        """What this way is not for."""
        super().data_received(data)

    def _answer(self, data: bytes) -> int:
        """How many bytes of *data* were whole calls, and are answered."""
        find_answer, state, transport = self._find_answer, self.state, self.transport
        peer = self.conn_info.client_ip if self.conn_info else ""
        done = 0
        for _ in range(_MOST_AT_ONCE):
            end = data.find(b"\r\n\r\n", done)
            if not 0 <= end - done < MAX_HEAD_BYTES:
                break
            answer = find_answer(data, done, end, peer)
            if answer is None:
                break
            state["requests_count"] += 1
            transport.write(answer)  # type: ignore[union-attr]  # it is there, or we would not be
            self._time = monotonic()
            done = end + 4
            if not (data.startswith(START, done) and self.may_answer_at_once):
                break
        return done


def answer_fast(app: Sanic[Any, Any]) -> None:
    """Opens the short way when the app starts, its context being open."""

    def open_short_way(app: Sanic[Any, Any]) -> None:
        app.config.update(SHORT_WAY=ShortWay(app))

    app.config.update(PROTOCOL=FastServeProtocol)
    app.register_listener(open_short_way, "before_server_start")
