"""Turns whole requests of ``POST /v1/track`` into whole HTTP responses, later, without Sanic, in the same bytes."""

from functools import partial
from time import monotonic
from typing import Any, Final, Protocol, final

from sanic import Sanic

from common.contract.edge import TRACK
from common.contract.operation import UNAUTHENTICATED_BODY_BYTES
from common.http.answer import HEADER, StaticHeaders, chosen_id
from common.http.fast_head import FastRequest, HeadReader
from common.http.raw_response import encode_error, encode_response
from edge.context import EdgeContext
from edge.endpoints.track import answer_to, full
from edge.request.call import quick_call
from edge.runtime.latency import OK
from edge.spool.spool import SpoolFull
from edge.state.redemptions import Redeemed
from edge.tracking.track_flow import start_track

START: Final = b"POST " + TRACK.path.encode()
"""The first bytes of a request that may suit the track fast path."""
_PATH: Final = TRACK.path
_COUNTED: Final = Redeemed.COUNTED
_OPERATION: Final = TRACK.id
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
    """The track fast path of one app."""

    def __init__(self, app: Sanic[Any, Any]) -> None:
        self._reader = HeadReader(max_body_bytes=UNAUTHENTICATED_BODY_BYTES)
        self._edge: EdgeContext = app.ctx.edge
        self._standing: StaticHeaders = app.config.STANDING
        self._errors: Any = app.error_handler
        self._proxies_count: int = self._edge.settings.proxies_count
        self._latencies = self._edge.metrics.latencies
        self._latencies_ok = self._latencies.of(_OPERATION, OK)
        self._answers: dict[tuple[Redeemed, bool], tuple[bytes, bytes]] = {}
        self._usual: tuple[bytes, bytes] | None = None
        """The parts of the response to a counted event, on a connection that stays open."""

    def find_request(self, data: bytes) -> FastRequest | None:
        """Returns the request at the start of *data*, which begins with `START`; None where Sanic must handle it."""
        found = self._reader.read_request(data)
        if found is None:
            return None
        return found if found.head.target.partition("?")[0] == _PATH else None

    def begin(self, post: FastRequest, waiter: PendingResponse, peer: str) -> None:
        """Calls ``waiter.answer`` with the response, now or later."""
        self._edge.metrics.fast_path_requests += 1
        request_id = chosen_id(post.head.get(_REQUEST_ID))
        done = partial(self._done, waiter, request_id, monotonic())
        try:
            query_string = post.head.target.partition("?")[2]
            call = quick_call(post.head, query_string, peer, self._proxies_count)
            start_track(self._edge, call, post.body, done)
        except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
            done(error)

    def _done(
        self, waiter: PendingResponse, request_id: str, begun_s: float, result: Redeemed | Exception
    ) -> None:
        keep_alive = waiter.stays_open
        if isinstance(result, Redeemed):
            around = self._usual if keep_alive and result is _COUNTED else None
            if around is None:
                around = self._find_answer(result, keep_alive=keep_alive)
            waiter.answer(around[0] + request_id.encode("ascii") + around[1], keep_alive=keep_alive)
            self._latencies_ok.observe(monotonic() - begun_s)
            return
        error = full() if isinstance(result, SpoolFull) else result
        status, answer = encode_error(
            self._errors, error, self._standing, request_id, method="POST", keep_alive=keep_alive
        )
        waiter.answer(answer, keep_alive=keep_alive)
        self._latencies.observe(_OPERATION, status, monotonic() - begun_s)

    def _find_answer(self, result: Redeemed, *, keep_alive: bool) -> tuple[bytes, bytes]:
        """The response to *result*, before and after the request id. Without the id there are few: they are cached."""
        cached = self._answers.get((result, keep_alive))
        if cached is None:
            response = answer_to(self._edge, result)
            whole = encode_response(response, self._standing, _MARK, keep_alive=keep_alive)
            before, _, after = whole.partition(_MARK.encode("ascii"))
            cached = self._answers[(result, keep_alive)] = (before, after)
            if keep_alive and result is _COUNTED:
                self._usual = cached
        return cached
