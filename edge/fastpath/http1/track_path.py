"""
Turns whole requests of ``POST /v1/track`` and ``GET /v1/impression/{token}.gif`` into whole HTTP responses, later,
without Sanic, in the same bytes.
"""

from functools import partial
from time import monotonic
from typing import Any, Final, Protocol, final

from sanic import HTTPResponse, Sanic

from common.contract.edge import IMPRESSION, TRACK
from common.contract.operation import MAX_HEAD_BYTES, UNAUTHENTICATED_BODY_BYTES, Operation
from common.http.answer import HEADER, StaticHeaders, chosen_id
from common.http.fast_head import FastHead, FastRequest, HeadReader
from common.http.raw_response import encode_error, encode_response
from common.tracking.token import TOKEN_CHARS
from edge.context import EdgeContext
from edge.endpoints import impression
from edge.endpoints.track import answer_to, spool_full_error
from edge.request.call import quick_call
from edge.runtime.latency import OK
from edge.spool.spool import SpoolFull
from edge.state.redemptions import Redeemed
from edge.tracking.track_flow import start_track

_PATH: Final = TRACK.path
_PIXEL, _PIXEL_END = IMPRESSION.path.split("{token}")
_PIXEL_CHARS: Final = len(_PIXEL) + TOKEN_CHARS + len(_PIXEL_END)
START: Final = b"POST " + _PATH.encode(), b"GET " + _PIXEL.encode()
"""The first bytes of a request that may suit the track fast path."""
_COUNTED: Final = Redeemed.COUNTED
_REQUEST_ID: Final = HEADER.lower()
_MARK: Final = "request-id-goes-here"


class PendingResponse(Protocol):
    """A connection whose request is in flight."""

    @property
    def stays_open(self) -> bool:
        """Whether the connection will accept another request."""
        ...

    def answer(self, data: bytes, *, keep_alive: bool) -> None: ...


@final
class TrackFastPath:
    """The fast path of one app for requests that report an event."""

    def __init__(self, app: Sanic[Any, Any]) -> None:
        self._posts = HeadReader(max_body_bytes=UNAUTHENTICATED_BODY_BYTES)
        self._heads = HeadReader()
        self._edge: EdgeContext = app.ctx.edge
        self._static_headers: StaticHeaders = app.config.STATIC_HEADERS
        self._errors: Any = app.error_handler
        self._proxies_count: int = self._edge.settings.proxies_count
        self._latencies = self._edge.metrics.latencies
        self._latencies_ok = self._latencies.of(TRACK.id, OK)
        self._pixel_latencies_ok = self._latencies.of(IMPRESSION.id, OK)
        self._answers: dict[tuple[Redeemed | None, bool], tuple[bytes, bytes]] = {}
        """The parts of each response, by result and whether the connection stays open; None: the pixel's."""
        self._usual: tuple[bytes, bytes] | None = None
        """The parts of the response to a counted event, on a connection that stays open."""

    def find_request(self, data: bytes) -> FastRequest | None:
        """Returns the request at the start of *data*, which begins with `START`; None where Sanic must handle it."""
        if data.startswith(START[0]):
            found = self._posts.read_request(data)
            is_ours = found is not None and found.head.target.partition("?")[0] == _PATH
            return found if is_ours else None
        end = data.find(b"\r\n\r\n")
        head = self._heads.read_head(data[:end]) if 0 < end < MAX_HEAD_BYTES else None
        if head is None or len(head.target) != _PIXEL_CHARS:
            return None
        target = head.target
        # A token has no character that a URL may spell in another way.
        is_plain = target.endswith(_PIXEL_END) and "%" not in target and "?" not in target
        return FastRequest(head, b"", end + 4) if is_plain else None

    def begin(self, request: FastRequest, pending: PendingResponse, peer: str) -> None:
        """Calls ``pending.answer`` with the response, now or later."""
        self._edge.metrics.fast_path_requests += 1
        head = request.head
        request_id = chosen_id(head.get(_REQUEST_ID))
        if not request.body:
            self._begin_pixel(head, pending, request_id, peer)
            return
        done = partial(self._done, pending, request_id, monotonic())
        try:
            query_string = head.target.partition("?")[2]
            call = quick_call(head, query_string, peer, self._proxies_count)
            start_track(self._edge, call, request.body, done)
        except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
            done(error)

    def _begin_pixel(
        self, head: FastHead, pending: PendingResponse, request_id: str, peer: str
    ) -> None:
        done = partial(self._done_pixel, pending, request_id, monotonic())
        try:
            call = quick_call(head, "", peer, self._proxies_count)
            token = head.target[len(_PIXEL) : -len(_PIXEL_END)]
            impression.start(self._edge, call, token, done)
        except Exception as error:  # noqa: BLE001 - as above
            done(error)

    def _done(
        self,
        pending: PendingResponse,
        request_id: str,
        begun_s: float,
        result: Redeemed | Exception,
    ) -> None:
        if not isinstance(result, Redeemed):
            error = spool_full_error() if isinstance(result, SpoolFull) else result
            self._fail(TRACK, pending, request_id, begun_s, error)
            return
        keep_alive = pending.stays_open
        parts = self._usual if keep_alive and result is _COUNTED else None
        if parts is None:
            parts = self._find_answer(result, keep_alive=keep_alive)
        pending.answer(parts[0] + request_id.encode("ascii") + parts[1], keep_alive=keep_alive)
        self._latencies_ok.observe(monotonic() - begun_s)

    def _done_pixel(
        self, pending: PendingResponse, request_id: str, begun_s: float, fault: Exception | None
    ) -> None:
        if fault is not None:
            self._fail(IMPRESSION, pending, request_id, begun_s, fault)
            return
        keep_alive = pending.stays_open
        parts = self._find_answer(None, keep_alive=keep_alive)
        pending.answer(parts[0] + request_id.encode("ascii") + parts[1], keep_alive=keep_alive)
        self._pixel_latencies_ok.observe(monotonic() - begun_s)

    def _fail(
        self,
        operation: Operation,
        pending: PendingResponse,
        request_id: str,
        begun_s: float,
        error: Exception,
    ) -> None:
        keep_alive, method = pending.stays_open, operation.method
        status, answer = encode_error(
            self._errors,
            error,
            self._static_headers,
            request_id,
            method=method,
            keep_alive=keep_alive,
        )
        pending.answer(answer, keep_alive=keep_alive)
        self._latencies.observe(operation.id, status, monotonic() - begun_s)

    def _find_answer(self, result: Redeemed | None, *, keep_alive: bool) -> tuple[bytes, bytes]:
        """The response to *result*, before and after the request id. Without the id there are few: they are cached."""
        cached = self._answers.get((result, keep_alive))
        if cached is None:
            response: HTTPResponse = (
                impression.picture() if result is None else answer_to(self._edge, result)
            )
            whole = encode_response(response, self._static_headers, _MARK, keep_alive=keep_alive)
            before, _, after = whole.partition(_MARK.encode("ascii"))
            cached = self._answers[(result, keep_alive)] = (before, after)
            if keep_alive and result is _COUNTED:
                self._usual = cached
        return cached
