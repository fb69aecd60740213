"""
Fast path of ``POST /v1/track`` and of the impression pixel: `data_received` begins a complete, plain request on an idle
connection.

The response follows when its event is on disk, without Sanic and without a task of its own, in the same bytes. Sanic
receives everything else unchanged.
"""

import asyncio
from time import monotonic
from typing import Any

from sanic import Sanic

from edge.context import EdgeContext
from edge.fastpath.http1.fast_serve import FastServeProtocol
from edge.fastpath.http1.traced_paths import TracedTrackPath, track_path_of
from edge.fastpath.http1.track_path import START, TrackFastPath
from edge.fastpath.http1.uncached_throttle import UncachedThrottle

_MAX_HELD_BYTES = 64 * 1024
"""Bytes that are held behind an unanswered request before the connection stops reading."""


class FastTrackProtocol(FastServeProtocol):
    """
    A connection with both fast paths. It has at most one request in flight on them.

    Data that arrives meanwhile is held back, and processed as if it came after the response. So responses keep the
    order of the requests, and Sanic is not involved. A serve request that waits for a later turn of the loop
    (`UncachedThrottle`) is held back in the same way.
    """

    __slots__ = ("_held", "_throttle", "_track")

    def _setup(self) -> None:
        super()._setup()
        self._track: TrackFastPath | TracedTrackPath = self.app.config.TRACK_FAST_PATH
        self._throttle: UncachedThrottle = self.app.config.UNCACHED_THROTTLE
        self.serve_uncached = self._throttle.serve_uncached
        self._held = bytearray()

    def receive_other(self, data: bytes) -> None:
        if self._in_flight:
            self._hold(data)
        elif self._throttle.was_put_off:
            self._in_flight = True
            self._hold(data)
            self._throttle.put_off(self._go_on)
        elif not (data.startswith(START) and self._begin(data)):
            super().receive_other(data)

    @property
    def stays_open(self) -> bool:
        return not self.signal.stopped

    def answer(self, data: bytes, *, keep_alive: bool) -> None:
        """Writes the response of the request in flight; nothing where the client is gone."""
        transport = self.transport
        if transport is None or transport.is_closing():
            return
        transport.write(data)
        self._time = monotonic()
        if not keep_alive:
            self.close()
        elif self._held:
            # In a later turn: a long pipeline of refusals must neither grow the stack nor block the loop.
            self.loop.call_soon(self._go_on)
        else:
            self._in_flight = False

    def close_if_idle(self) -> bool:
        return False if self._in_flight else super().close_if_idle()

    def check_timeouts(self) -> None:
        """Keeps a connection with a request in flight: until the response is overdue, checks again later."""
        if self._in_flight and monotonic() - self._time <= self.response_timeout:
            self._callback_check_timeouts = self.loop.call_later(
                self.response_timeout / 2, self.check_timeouts
            )
            return
        super().check_timeouts()  # type: ignore[no-untyped-call]  # Sanic's, untyped

    def _begin(self, data: bytes) -> bool:
        if not self.may_answer_at_once:
            return False
        post = self._track.find_request(data)
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
        if len(self._held) > _MAX_HELD_BYTES and self.transport is not None:
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
    """Enables the track fast path when the app starts, after its context was opened. Call it after `answer_fast`."""

    def open_track_path(app: Sanic[Any, Any]) -> None:
        edge: EdgeContext = app.ctx.edge
        serve_uncached = app.config.SERVE_FAST_PATH.serve_uncached
        throttle = UncachedThrottle(serve_uncached, asyncio.get_running_loop(), edge.clock)
        app.config.update(TRACK_FAST_PATH=track_path_of(app), UNCACHED_THROTTLE=throttle)

    app.config.update(PROTOCOL=FastTrackProtocol)
    app.register_listener(open_track_path, "before_server_start")
