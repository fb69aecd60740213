"""
``GET /v1/serve``: which ad goes into this slot. Straight down, from memory, without waiting for anyone; but where a
capped ad could win and only Redis knows what the person saw, for 3 ms at most.
"""

from dataclasses import replace

from sanic import HTTPResponse, Request

from common.decision.gates import Lookup
from common.decision.opportunity import Opportunity
from common.decision.outcome import Decision, Fill
from edge.context import EdgeContext
from edge.endpoints.answering import decide_now, render
from edge.endpoints.asking import Asking, ask, renewed
from edge.endpoints.serve_many import CountedTogether, answer_many
from edge.http.call import Call, call_of


async def handle(request: Request) -> HTTPResponse:
    edge: EdgeContext = request.app.ctx.edge
    found = serve(edge, call_of(request))
    if isinstance(found, Asking):
        return await answer_counted(edge, found)
    return found


def serve(edge: EdgeContext, call: Call) -> HTTPResponse | Asking:
    """
    The same answer by whichever way *call* came in. Never waits: where a capped ad could win and only the store knows
    what this person saw, it is an `Asking` for `answer_counted`, and nothing but the rate was counted yet.

    Raises `Refused`, `SnapshotMissing`.
    """
    asking = ask(edge, call)
    if asking.person is None:
        return _answer(edge, asking, asking.seen)
    if asking.several:
        return asking
    probe = _Probe()
    decided = decide_now(edge, asking, probe)
    return asking if probe.asked else _timed(asking, render(edge, asking, *decided))


def serve_at_once(edge: EdgeContext, call: Call) -> HTTPResponse | None:
    """
    `serve` for a way that cannot wait: None, with nothing changed, where it might have to. A uid says so before
    anything is looked up; what that costs is the other way's detour.
    """
    if "uid" in call.query:
        return None
    found = serve(edge, call)
    return found if isinstance(found, HTTPResponse) else None


async def answer_counted(edge: EdgeContext, asking: Asking) -> HTTPResponse:
    """Waits for the store 3 ms at most; without it the caller's own counter is asked."""
    counts: Lookup | None = None
    if asking.person is not None:
        counts = await edge.capping.known(asking.person, asking.now_ms)
        asking = renewed(edge, asking)
    return _answer(edge, asking, asking.seen if counts is None else counts)


def _answer(edge: EdgeContext, asking: Asking, counts: Lookup | None) -> HTTPResponse:
    if not asking.several:
        return _timed(asking, render(edge, asking, *decide_now(edge, asking, counts)))

    # What the store knows, it knows with what was shown just now; the caller's counter comes from before.
    own = (
        CountedTogether(asking.seen) if asking.seen is not None and counts is asking.seen else None
    )

    def answer_one(opportunity: Opportunity) -> tuple[Decision, HTTPResponse]:
        one = replace(asking, opportunity=opportunity)
        decided = decide_now(edge, one, counts if own is None else own)
        decision = decided[0]
        if own is not None and isinstance(decision, Fill):
            own.add(decision)
        return decision, render(edge, one, *decided)

    return _timed(asking, answer_many(asking.opportunity, asking.several, answer_one))


def _timed(asking: Asking, response: HTTPResponse) -> HTTPResponse:
    return response if asking.timing is None else asking.timing.put_on(response)


class _Probe:
    """Finds out whether deciding asks for counts at all."""

    def __init__(self) -> None:
        self.asked = False

    def get(self, _name: str, default: int, /) -> int:
        self.asked = True
        return default
