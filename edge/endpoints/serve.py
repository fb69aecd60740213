"""
``GET /v1/serve``: which ad goes into this slot. Straight down, from memory, without waiting for anyone; but where a
capped ad could win and only Redis knows what the person saw, for 3 ms at most.
"""

from dataclasses import dataclass, replace

from sanic import HTTPResponse, Request

from common.decision.decide import decide
from common.decision.explain import explain
from common.decision.gates import Gates, Lookup
from common.decision.last_gates import expected_micros
from common.decision.opportunity import Opportunity
from common.decision.outcome import Decision, Explanation, Fill, NoFill
from common.decision.question import Question
from common.decision.watched import watched
from common.errors import ErrorCode, Refused
from common.http.responses import no_content
from common.privacy.consent import Consent
from common.snapshot.snapshot import Snapshot
from common.vocabulary import Source
from edge.admission.client import surface_of
from edge.admission.keys import Admission, Door, admit
from edge.context import EdgeContext
from edge.endpoints.serve_many import (
    MOST_SLOTS,
    CountedTogether,
    SlotsAsked,
    answer_many,
    check_several,
    find_slot_texts,
)
from edge.endpoints.serve_query import (
    parse_serve_query,
    preview_ad_id,
    slot_text,
    wants_debug,
)
from edge.endpoints.slots import get_slot
from edge.endpoints.timing import Timing
from edge.http.call import Call, call_of
from edge.opportunity.consent import consent_of
from edge.opportunity.signals import signals_of
from edge.render.ad import as_json, as_page
from edge.tracking.issue import UNBILLED, issue

_NO_STORE = {"Cache-Control": "no-store"}


@dataclass(slots=True)
class Asking:
    """
    A call past its admission: everything its answer follows from, but what was counted of the person.

    ``person``: whose caps may be asked for; None without a consented uid. ``seen``: the caller's own counter.
    ``several``: the slots where more than one is asked for; ``opportunity`` is the first's.
    """

    admission: Admission
    opportunity: Opportunity
    consent: Consent
    now_ms: int
    seed: int
    debug: bool
    output: str
    person: bytes | None
    seen: Lookup | None
    several: SlotsAsked = ()
    timing: Timing | None = None


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
    asking = _ask(edge, call)
    if asking.person is None:
        return _answer(edge, asking, asking.seen)
    if asking.several:
        return asking
    probe = _Probe()
    decided = _decide(edge, asking, probe)
    return asking if probe.asked else _timed(asking, _render(edge, asking, *decided))


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
    return _answer(edge, asking, asking.seen if counts is None else counts)


class _Probe:
    """Finds out whether deciding asks for counts at all."""

    def __init__(self) -> None:
        self.asked = False

    def get(self, _name: str, default: int, /) -> int:
        self.asked = True
        return default


def _ask(edge: EdgeContext, call: Call) -> Asking:
    now_ms = edge.clock.now_ms()
    several = find_slot_texts(call.query_string)
    admission = admit(edge, call, Door.SERVE, now_ms, calls=min(len(several), MOST_SLOTS) or 1)
    query, prop = call.query, admission.property
    debug, preview = wants_debug(query), preview_ad_id(query)
    if debug or preview is not None:
        _check_may_look_inside(edge, admission)
    slot = get_slot(admission.snapshot, prop, slot_text(query))
    asked = parse_serve_query(call, server=admission.is_server)
    consent = consent_of(call, prop, edge.settings.tcf_vendor_id)
    opportunity = Opportunity(
        edge.environment,
        prop,
        slot,
        asked.format,
        asked.width,
        asked.height,
        surface_of(admission.key.kind, prop.kind, admission.client.user_agent),
        preview,
        consent.limited,
        consent.child_directed,
        signals_of(edge, call, admission, asked.told, personal=consent.personal),
    )
    slots: SlotsAsked = ()
    if several:
        check_several(several, output=asked.output, preview=preview)
        slots = [(text, get_slot(admission.snapshot, prop, text)) for text in several]
    # Nothing below sees the request.
    person = None
    if consent.personal and asked.uid is not None:
        person = edge.capping.person(prop.id, asked.uid)
    seed = edge.rng.getrandbits(64)
    return Asking(
        *(admission, opportunity, consent, now_ms, seed),
        *(debug, asked.output, person, asked.seen, slots),
        timing=Timing(edge.clock) if debug else None,
    )


def _answer(edge: EdgeContext, asking: Asking, counts: Lookup | None) -> HTTPResponse:
    if not asking.several:
        return _timed(asking, _render(edge, asking, *_decide(edge, asking, counts)))

    # What the store knows, it knows with what was shown just now; the caller's counter comes from before.
    own = (
        CountedTogether(asking.seen) if asking.seen is not None and counts is asking.seen else None
    )

    def answer_one(opportunity: Opportunity) -> tuple[Decision, HTTPResponse]:
        one = replace(asking, opportunity=opportunity)
        decided = _decide(edge, one, counts if own is None else own)
        decision = decided[0]
        if own is not None and isinstance(decision, Fill):
            own.add(decision)
        return decision, _render(edge, one, *decided)

    return _timed(asking, answer_many(asking.opportunity, asking.several, answer_one))


def _decide(
    edge: EdgeContext, asking: Asking, counts: Lookup | None
) -> tuple[Decision, Explanation | None, Question | None]:
    """The question is there, with what was looked at, where the decision is to be recorded."""
    snapshot, opportunity = asking.admission.snapshot, asking.opportunity
    now_ms, seed = asking.now_ms, asking.seed
    gates, question = _gates(edge, snapshot, now_ms, counts), None
    if edge.decisions.wants(seed, debug=asking.debug):
        gates = watched(gates)
        question = Question(snapshot, opportunity, gates, now_ms, seed)
    if asking.timing is not None:
        begun_s = asking.timing.now_s()
        decide(snapshot, opportunity, gates, now_ms, seed)
        asking.timing.decide_s += asking.timing.now_s() - begun_s
        explanation = explain(snapshot, opportunity, gates, now_ms, seed)
        return explanation.decision, explanation, question
    return decide(snapshot, opportunity, gates, now_ms, seed), None, question


def _render(
    edge: EdgeContext,
    asking: Asking,
    decision: Decision,
    explanation: Explanation | None,
    question: Question | None,
) -> HTTPResponse:
    """Everything that a decision changes, and its answer."""
    admission, opportunity, now_ms = asking.admission, asking.opportunity, asking.now_ms
    snapshot = admission.snapshot
    match decision:
        case NoFill(reason):
            _count(edge, opportunity, None, reason)
            shows = edge.environment.is_test or (asking.debug and admission.is_server)
            headers = {**_NO_STORE, "X-No-Fill-Reason": reason} if shows else _NO_STORE
            if question is not None:
                decision_id = str(edge.new_token_id(now_ms))
                edge.decisions.keep(decision_id, question, decision, asking.consent)
                headers = {**headers, "X-Decision-Id": decision_id} if shows else headers
            return no_content(headers)
        case Fill():
            _commit(edge, snapshot, opportunity, decision, now_ms)
            person = _reserve(edge, asking, decision)
            issued = issue(edge, snapshot, decision, opportunity, now_ms, person=person)
            if question is not None:
                edge.decisions.keep(issued.decision_id, question, decision, asking.consent)
            _count(edge, opportunity, decision, "fill")
            if asking.output == "html":
                return as_page(snapshot, decision, issued)
            shown = asking.consent if asking.debug else None
            return as_json(snapshot, decision, opportunity, issued, explanation, consent=shown)


def _timed(asking: Asking, response: HTTPResponse) -> HTTPResponse:
    return response if asking.timing is None else asking.timing.put_on(response)


def _check_may_look_inside(edge: EdgeContext, admission: Admission) -> None:
    if not edge.environment.is_test and not admission.is_server:
        raise Refused(
            ErrorCode.INSUFFICIENT_SCOPE,
            "debug and preview_ad need a secret key, or a test key on the test edge.",
        )


def _gates(edge: EdgeContext, snapshot: Snapshot, now_ms: int, counts: Lookup | None) -> Gates:
    stale = (
        not edge.environment.is_test and edge.snapshots.age_s(now_ms) > edge.settings.dead_after_s
    )
    open_micros = edge.budgets.open_micros(snapshot, now_ms)
    return Gates(stale, edge.spool.nearly_full, open_micros, counts, ranking=edge.settings.ranking)


def _commit(
    edge: EdgeContext, snapshot: Snapshot, opportunity: Opportunity, fill: Fill, now_ms: int
) -> None:
    """What is never billed uses up no budget: test traffic, previews, house ads."""
    campaign = fill.campaign
    if campaign.budget is None or fill.source in UNBILLED or edge.environment.is_test:
        return
    micros = expected_micros(snapshot, opportunity.slot.id, campaign, fill.ad)
    edge.budgets.commit(snapshot, campaign, micros, now_ms)


def _reserve(edge: EdgeContext, asking: Asking, fill: Fill) -> bytes | None:
    """The person whose events of this fill are counted, None where nobody's are."""
    person = asking.person
    if person is None or not fill.campaign.frequency_caps or fill.source is Source.PREVIEW:
        return None
    edge.capping.reserve(person, fill.campaign, fill.ad, asking.now_ms)
    return person


def _count(edge: EdgeContext, opportunity: Opportunity, fill: Fill | None, outcome: str) -> None:
    campaign_id, ad_id = (None, None) if fill is None else (fill.campaign.id, fill.ad.id)
    edge.counters.count(opportunity.property.id, opportunity.slot.id, campaign_id, ad_id, outcome)
    edge.metrics.count_decision(outcome)
