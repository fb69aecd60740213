"""Whole calls of ``POST /v1/track`` in, whole answers out, later: without Sanic, in the same bytes."""

from functools import partial
from time import monotonic
from typing import Any, Final, Protocol, final

from sanic import Sanic

from common.contract.edge import TRACK
from common.contract.operation import STRANGERS_BODY_BYTES
from common.http.answer import StandingHeaders
from common.http.chosen_id import HEADER, chosen_id
from common.http.protocol import MAX_HEAD_BYTES
from common.http.quick_post import PostReader, QuickPost
from common.http.ready_answer import encode_response
from edge.context import EdgeContext
from edge.endpoints.track import answer_to, full
from edge.endpoints.tracking import begin_track
from edge.events.spool import SpoolFull
from edge.http.call import call_with
from edge.tracking.redeeming import Redeemed

_REQUEST_ID: Final = HEADER.lower()
_MARK: Final = "request-id-goes-here"


class Waiter(Protocol):
    """A connection whose call is in flight."""

    @property
    def stays_open(self) -> bool:
        """Whether a further call will be taken from it."""
        ...

    def answer(self, data: bytes, *, keep_alive: bool) -> None: ...


@final
class TrackWay:
    """One app's: whole calls in, whole answers out, later."""

    def __init__(self, app: Sanic[Any, Any]) -> None:
        self.reader = PostReader(
            "/v1/track", max_head_bytes=MAX_HEAD_BYTES, max_body_bytes=STRANGERS_BODY_BYTES
        )
        self._edge: EdgeContext = app.ctx.edge
        self._standing: StandingHeaders = app.config.STANDING
        self._errors: Any = app.error_handler
        self._known: dict[tuple[Redeemed, bool], tuple[int, bytes, bytes]] = {}

    def begin(self, post: QuickPost, waiter: Waiter, peer: str) -> None:
        """``waiter.answer`` is called, now or later, with the answer."""
        self._edge.metrics.answered_at_once += 1
        request_id = chosen_id(post.headers.get(_REQUEST_ID))
        done = partial(self._done, waiter, request_id, monotonic())
        try:
            begin_track(
                self._edge, call_with(post.headers, post.query_string, peer), post.body, done
            )
        except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
            done(error)

    def _done(
        self, waiter: Waiter, request_id: str, begun_s: float, result: Redeemed | Exception
    ) -> None:
        keep_alive = waiter.stays_open
        if isinstance(result, Redeemed):
            status, before, after = self._around_id(result, keep_alive=keep_alive)
            waiter.answer(before + request_id.encode("ascii") + after, keep_alive=keep_alive)
        else:
            error = full() if isinstance(result, SpoolFull) else result
            response = self._errors.answer(error, request_id=request_id, method="POST", route=None)
            status = response.status
            waiter.answer(
                encode_response(response, self._standing, request_id, keep_alive=keep_alive),
                keep_alive=keep_alive,
            )
        self._edge.metrics.latencies.observe(TRACK.id, status, monotonic() - begun_s)

    def _around_id(self, result: Redeemed, *, keep_alive: bool) -> tuple[int, bytes, bytes]:
        """
        The status of the answer to *result*, and its bytes before and after the request's id. Without the id there are
        only a few different answers.
        """
        known = self._known.get((result, keep_alive))
        if known is None:
            response = answer_to(self._edge, result)
            whole = encode_response(response, self._standing, _MARK, keep_alive=keep_alive)
            before, _, after = whole.partition(_MARK.encode("ascii"))
            known = self._known[(result, keep_alive)] = (response.status, before, after)
        return known
