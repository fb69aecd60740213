"""
The short way for ``POST /v1/track``: a complete, plain call on a waiting connection is begun in `data_received` and
answered when its event is on disk, without Sanic and without a task of its own, in the same bytes. Everything else is
Sanic's, untouched.
"""

from functools import partial
from time import monotonic
from typing import Any

from sanic import Sanic

from common.http.answer import StandingHeaders
from common.http.chosen_id import HEADER, chosen_id
from common.http.errors import EnvelopeErrorHandler
from common.http.protocol import MAX_HEAD_BYTES
from common.http.quick_post import PostReader, QuickPost
from common.http.ready_answer import encode_response
from edge.context import EdgeContext
from edge.endpoints.track import answer_to, begin_track, full
from edge.events.spool import SpoolFull
from edge.http.app import MAX_BODY_BYTES
from edge.http.call import call_with
from edge.http.fast_serve import FastServeProtocol
from edge.tracking.redeeming import Redeemed

_READER_ARGUMENTS = {"max_head_bytes": MAX_HEAD_BYTES, "max_body_bytes": MAX_BODY_BYTES}
_MOST_HELD_BYTES = 64 * 1024
"""Received behind a call that is not answered yet; then the client waits."""
_REQUEST_ID = HEADER.lower()
_MARK = "request-id-goes-here"


class TrackWay:
    """One app's: whole calls in, whole answers out, later."""

    def __init__(self, app: Sanic[Any, Any]) -> None:
        self.reader = PostReader("/v1/track", **_READER_ARGUMENTS)
        self._edge: EdgeContext = app.ctx.edge
        self._standing: StandingHeaders = app.config.STANDING
        self._errors: EnvelopeErrorHandler = app.error_handler  # type: ignore[assignment]  # `bare_app` sets it
        self._known: dict[tuple[Redeemed, bool], tuple[bytes, bytes]] = {}

    def begin(self, post: QuickPost, protocol: "FastTrackProtocol", peer: str) -> None:
        """``protocol.answer`` is called, now or later, with the answer."""
        self._edge.metrics.answered_at_once += 1
        request_id = chosen_id(post.headers.get(_REQUEST_ID))
        done = partial(self._done, protocol, request_id)
        try:
            begin_track(
                self._edge, call_with(post.headers, post.query_string, peer), post.body, done
            )
        except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
            done(error)

    def _done(
        self, protocol: "FastTrackProtocol", request_id: str, result: Redeemed | Exception
    ) -> None:
        keep_alive = not protocol.signal.stopped
        if isinstance(result, Redeemed):
            before, after = self._around_id(result, keep_alive=keep_alive)
            protocol.answer(before + request_id.encode("ascii") + after, keep_alive=keep_alive)
            return
        error = full() if isinstance(result, SpoolFull) else result
        response = self._errors.answer(error, request_id=request_id, method="POST", route=None)
        protocol.answer(
            encode_response(response, self._standing, request_id, keep_alive=keep_alive),
            keep_alive=keep_alive,
        )

    def _around_id(self, result: Redeemed, *, keep_alive: bool) -> tuple[bytes, bytes]:
        """The answer to *result*, before and after the request's id: but for it there are only these few."""
        known = self._known.get((result, keep_alive))
        if known is None:
            response = answer_to(self._edge, result)
            whole = encode_response(response, self._standing, _MARK, keep_alive=keep_alive)
            before, _, after = whole.partition(_MARK.encode("ascii"))
            known = self._known[(result, keep_alive)] = (before, after)
        return known


class FastTrackProtocol(FastServeProtocol):
    """
    One call a connection is in flight by the short way. What arrives meanwhile is held back, and read as if it came
    after the answer: the order of answers is that of calls, and Sanic knows nothing of it.
    """

    __slots__ = ("_held", "_track")

    def _setup(self) -> None:
        super()._setup()
        self._track: TrackWay = self.app.config.TRACK_WAY
        self._held = bytearray()

    def receive_other(self, data: bytes) -> None:
        if self._in_flight:
            self._hold(data)
        elif not (data.startswith(self._track.reader.start) and self._begin(data)):
            super().receive_other(data)

    def answer(self, data: bytes, *, keep_alive: bool) -> None:
        """Writes what the call in flight is answered; nothing where the client is gone."""
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        transport.write(data)
        self._time = monotonic()
        if not keep_alive:
            self.close()
        elif self._held:
            # Not at once: a long pipeline of refusals must neither grow the stack nor hold the loop.
            self.loop.call_soon(self._go_on)
        else:
            self._in_flight = False

    def close_if_idle(self) -> bool:
        return False if self._in_flight else super().close_if_idle()

    def check_timeouts(self) -> None:
        """Who waits for an answer is not idle: until that is overdue the connection is looked at again later."""
        if self._in_flight and monotonic() - self._time <= self.response_timeout:
            self._callback_check_timeouts = self.loop.call_later(
                self.response_timeout / 2, self.check_timeouts
            )
            return
        super().check_timeouts()  # type: ignore[no-untyped-call]  # Sanic's, untyped

    def _begin(self, data: bytes) -> bool:
        if not self.may_answer_at_once:
            return False
        post = self._track.reader.find(data)
        if post is None:
            return False
        if post.end < len(data):
            self._held += memoryview(data)[post.end :]
        self.state["requests_count"] += 1
        self._time = monotonic()
        self._in_flight = True
        self._track.begin(post, self, self.conn_info.client_ip if self.conn_info else "")
        return True

    def _hold(self, data: bytes) -> None:
        self._held += data
        if len(self._held) > _MOST_HELD_BYTES and self.transport is not None:
            self.transport.pause_reading()

    def _go_on(self) -> None:
        held, self._held = bytes(self._held), bytearray()
        self._in_flight = False
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        transport.resume_reading()
        self.data_received(held)


def answer_track_fast(app: Sanic[Any, Any]) -> None:
    """Opens the short way when the app starts, its context being open. To be called after `answer_fast`."""

    def open_track_way(app: Sanic[Any, Any]) -> None:
        app.config.update(TRACK_WAY=TrackWay(app))

    app.config.update(PROTOCOL=FastTrackProtocol)
    app.register_listener(open_track_way, "before_server_start")
