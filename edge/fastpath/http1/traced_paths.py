"""
The fast paths of a worker whose traces are on. They leave calls that are traced to the slow path, and are not used
where traces are off.
"""

import re
from typing import Any, Final

from sanic import Sanic

from common.http.fast_head import FastRequest
from common.values.trace_context import MARK_IN_TOKEN
from edge.context import EdgeContext
from edge.fastpath.http1.serve_path import ServeFastPath
from edge.fastpath.http1.track_path import TrackFastPath
from edge.runtime.tracing import EdgeTracing
from edge.tracking.traced_request import serve_traced_inline

_NAME_END, _NAME_END_IN_CAPITALS = b"arent:", b"ARENT:"
"""The end of the header's name, to reject nearly all heads without a regular expression."""
_HEADER: Final = re.compile(rb"(?i)\r\ntraceparent:([^\r\n]*)")


class TracedServePath:
    """`ServeFastPath`, for `edge.fastpath.http1.fast_serve.FastServeProtocol`."""

    def __init__(self, app: Sanic[Any, Any], tracing: EdgeTracing) -> None:
        path = ServeFastPath(app, serve_traced_inline, has_cache=True)
        self._path = path
        self._tracing = tracing
        self._cached = path.lookup_cached
        self._is_followed = False
        """Whether the last request that `lookup_cached` saw is traced because of its caller."""
        self.error_response_for_cached = path.error_response_for_cached
        self.observe = path.observe

    def lookup_cached(self, data: bytes, start: int, end: int, peer: str, /) -> bytes | None:
        self._is_followed = _follows(self._tracing, data, start, end)
        return None if self._is_followed else self._cached(data, start, end, peer)

    def serve_uncached(self, data: bytes, start: int, end: int, peer: str, /) -> bytes | None:
        if self._is_followed:
            return self._path.answer_in_full(data[start:end], peer)
        return self._path.serve_uncached(data, start, end, peer)


class TracedTrackPath:
    """`TrackFastPath`, for `edge.fastpath.http1.fast_track.FastTrackProtocol`."""

    def __init__(self, app: Sanic[Any, Any], tracing: EdgeTracing) -> None:
        path = TrackFastPath(app)
        self._tracing = tracing
        self._find_request = path.find_request
        self.begin = path.begin

    def find_request(self, data: bytes) -> FastRequest | None:
        """As `TrackFastPath.find_request`; None also where the event may be traced."""
        if MARK_IN_TOKEN in data and self._tracing.has_room():
            return None
        if _follows(self._tracing, data, 0, len(data)):
            return None
        return self._find_request(data)


def serve_path_of(app: Sanic[Any, Any]) -> ServeFastPath | TracedServePath:
    edge: EdgeContext = app.ctx.edge
    return ServeFastPath(app) if edge.tracing is None else TracedServePath(app, edge.tracing)


def track_path_of(app: Sanic[Any, Any]) -> TrackFastPath | TracedTrackPath:
    edge: EdgeContext = app.ctx.edge
    return TrackFastPath(app) if edge.tracing is None else TracedTrackPath(app, edge.tracing)


def _follows(tracing: EdgeTracing, data: bytes, start: int, end: int) -> bool:
    """Whether a head in *data* is traced because of its ``traceparent``."""
    if data.find(_NAME_END, start, end) < 0 and data.find(_NAME_END_IN_CAPITALS, start, end) < 0:
        return False
    found = _HEADER.search(data, start, end)
    caller = None if found is None else tracing.find_caller(found[1].decode("latin-1"))
    return caller is not None and tracing.has_room()
