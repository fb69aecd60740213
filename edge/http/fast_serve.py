"""
The short way for ``GET /v1/serve``: a complete, plain call on a waiting connection is answered in `data_received`,
without Sanic, in the same bytes. Everything else is Sanic's, untouched.
"""

from collections.abc import Callable
from typing import Any

from sanic import Sanic
from sanic.response import HTTPResponse

from common.http.answer import ReadyAnswer, StandingHeaders, encode_answer
from common.http.errors import EnvelopeErrorHandler
from common.http.protocol import MAX_HEAD_BYTES, StrictHttpProtocol
from common.http.quick_head import HeadReader
from common.http.request_id import HEADER, chosen_id
from edge.context import EdgeContext
from edge.endpoints.serve import serve_at_once
from edge.http.call import Call

_START = b"GET /v1/serve?"
_QUERY_AT = len("/v1/serve?")
_MOST_AT_ONCE = 16
"""Pipelined calls answered before the loop may turn to others; what is left over is Sanic's."""
_REQUEST_ID = HEADER.lower()

Endpoint = Callable[[EdgeContext, Call], HTTPResponse | None]
"""None, with nothing changed, where the answer must be waited for."""


class ShortWay:
    """One app's: whole heads in, whole answers out."""

    def __init__(self, app: Sanic[Any, Any], endpoint: Endpoint = serve_at_once) -> None:
        self._edge: EdgeContext = app.ctx.edge
        self._standing: StandingHeaders = app.config.STANDING
        self._errors: EnvelopeErrorHandler = app.error_handler  # type: ignore[assignment]  # `bare_app` sets it
        self._endpoint = endpoint
        self._heads = HeadReader()

    def find_answer(self, head: bytes, peer: str) -> bytes | None:
        """
        *head*: without the empty line, begins with ``GET /v1/serve?``. None, with nothing changed, where the call is
        not for this way.
        """
        found = self._heads.find_get(head)
        if found is None:
            return None
        target, headers = found
        request_id = chosen_id(headers.get(_REQUEST_ID))
        try:
            response = self._endpoint(self._edge, Call(headers, target[_QUERY_AT:], peer))
        except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
            response = self._refusal(error, request_id)
        if response is None:
            return None
        self._edge.metrics.answered_at_once += 1
        if isinstance(response, ReadyAnswer):
            return response.encode(self._standing, request_id, keep_alive=True)
        return self._encode(response, request_id)

    def _encode(self, response: HTTPResponse, request_id: str) -> bytes:
        whole = encode_answer(
            response.status,
            response.headers,
            self._standing,
            response.body or b"",
            content_type=response.content_type,
            request_id=request_id,
            keep_alive=True,
            head_only=False,
        )
        if whole is None:
            fault = ValueError("an answer of serve has a header that may not be sent")
            return self._encode(self._refusal(fault, request_id), request_id)
        return whole

    def _refusal(self, error: Exception, request_id: str) -> HTTPResponse:
        return self._errors.answer(error, request_id=request_id, method="GET", route=None)


class FastServeProtocol(StrictHttpProtocol):
    """Counts requests and keeps the connection's clock as Sanic does."""

    __slots__ = ("_way",)

    def _setup(self) -> None:
        super()._setup()
        self._way: ShortWay = self.app.config.SHORT_WAY

    def data_received(self, data: bytes) -> None:
        if data.startswith(_START) and self.may_answer_at_once:
            answered = self._answer(data)
            if answered == len(data):
                return
            data = data[answered:]
        super().data_received(data)

    def _answer(self, data: bytes) -> int:
        """How many bytes of *data* were whole calls, and are answered."""
        peer = self.conn_info.client_ip if self.conn_info else ""
        done = 0
        for _ in range(_MOST_AT_ONCE):
            end = data.find(b"\r\n\r\n", done)
            if not 0 <= end - done < MAX_HEAD_BYTES:
                break
            answer = self._way.find_answer(data[done:end], peer)
            if answer is None:
                break
            self.state["requests_count"] += 1
            self.write_at_once(answer)
            done = end + 4
            if not (data.startswith(_START, done) and self.may_answer_at_once):
                break
        return done


def answer_fast(app: Sanic[Any, Any]) -> None:
    """Opens the short way when the app starts, its context being open."""

    def open_short_way(app: Sanic[Any, Any]) -> None:
        app.config.update(SHORT_WAY=ShortWay(app))

    app.config.update(PROTOCOL=FastServeProtocol)
    app.register_listener(open_short_way, "before_server_start")
