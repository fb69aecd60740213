"""A serve request from admission to response, for the fast path and for Sanic."""

from typing import Final, final

from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.http.answer import RawResponse
from common.values.errors import ApiError
from edge.context import EdgeContext
from edge.request.call import Call
from edge.serving.serve_request import ServeRequest, build_request, count_request, rebase
from edge.serving.serve_response import DecidedServe, decide_request, render
from edge.serving.slots import CombinedCapCounts, answer_many
from edge.serving.test_controls import has_test_controls
from edge.serving.vast_response import answer_vast, answer_vmap
from edge.snapshots.handle import SnapshotMissing

_VMAP: Final = "vmap"


def serve(edge: EdgeContext, call: Call) -> RawResponse | ServeRequest:
    """
    Answers *call*; the answer is the same on the fast path and through Sanic. Never waits.

    Where a capped ad could win and the user's counts are only in Redis, it returns a `ServeRequest` for
    `serve_after_cap_lookup`. Only the rate limit has counted the request by then.

    Raises `Refused`, `SnapshotMissing`.
    """
    request = build_request(edge, call, is_counted=True)
    if request.params.output == _VMAP and request.params.player is not None:
        return answer_vmap(edge, call, request.params.player)
    if request.person is None:
        return _answer(edge, request, request.seen)
    decided = _decide_uncounted(edge, request)
    return request if decided is None else _timed(request, render(edge, request, decided))


def serve_inline(edge: EdgeContext, call: Call) -> RawResponse | None:
    """
    `serve` for the fast path, which cannot wait.

    Returns None, with nothing changed, where the answer might have to wait, as with a test scenario. A faulty request
    with a uid gets None too: the slow path counts it before it finds the fault, and must be the only one to count.
    """
    if edge.environment.is_test and has_test_controls(call):
        return None
    if call.query.get("output") == _VMAP:
        return None
    has_uid = call.query.get("uid") is not None
    try:
        request = build_request(edge, call, is_counted=not has_uid)
    except (ApiError, SnapshotMissing):
        if has_uid:
            return None
        raise
    decided = None
    if request.person is not None:
        decided = _decide_uncounted(edge, request)
        if decided is None:
            return None
    if has_uid:
        count_request(edge, request)
    if decided is None:
        return _answer(edge, request, request.seen)
    return _timed(request, render(edge, request, decided))


async def serve_after_cap_lookup(edge: EdgeContext, request: ServeRequest) -> RawResponse:
    """Waits for the counts in Redis, 15 ms at most; without an answer it uses the client's own counter."""
    counts: Lookup | None = None
    if request.person is not None:
        counts = await edge.frequency_caps.find_cached(request.person, request.now_ms)
        await edge.serve_slice.checkpoint()
        request = rebase(edge, request)
        answered = counts is not None or request.seen is not None
        edge.counters.count_cap_lookup(request.opportunity.property.id, answered=answered)
    return _answer(edge, request, request.seen if counts is None else counts)


def _answer(edge: EdgeContext, request: ServeRequest, counts: Lookup | None) -> RawResponse:
    player = request.params.player
    if player is not None:
        return _timed(request, answer_vast(edge, request, player, counts))
    if not request.several:
        return _timed(request, render(edge, request, decide_request(edge, request, counts)))
    return _timed(request, _answer_several(edge, request, counts))


def _answer_several(edge: EdgeContext, request: ServeRequest, counts: Lookup | None) -> RawResponse:
    # Counts of the cap store include the ads just chosen for other slots; the client's counter does not.
    own = (
        CombinedCapCounts(request.seen)
        if request.seen is not None and counts is request.seen
        else None
    )

    def answer_one(opportunity: Opportunity) -> tuple[Decision, RawResponse]:
        one = request.at(opportunity)
        decided = decide_request(edge, one, counts if own is None else own)
        decision = decided.decision
        if own is not None and isinstance(decision, Fill):
            own.add(decision)
        return decision, render(edge, one, decided)

    return answer_many(request.opportunity, request.several, answer_one)


def _decide_uncounted(edge: EdgeContext, request: ServeRequest) -> DecidedServe | None:
    """The decision where it does not depend on the user's frequency counts, else None. Pure."""
    if request.several or request.params.player is not None:
        return None
    probe = CapProbe()
    decided = decide_request(edge, request, probe)
    return None if probe.was_called else decided


def _timed(request: ServeRequest, response: RawResponse) -> RawResponse:
    return response if request.timing is None else request.timing.put_on(response)


@final
class CapProbe:
    """A `Lookup` that records whether the decision reads frequency counts at all."""

    def __init__(self) -> None:
        self.was_called = False

    def get(self, _name: str, default: int, /) -> int:
        self.was_called = True
        return default
