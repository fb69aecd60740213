"""``GET /v1/serve``: which ad goes into this slot. Straight down, from memory, without waiting for anyone."""

from sanic import HTTPResponse, Request

from common.decision.decide import decide
from common.decision.demo import find_demo_slot
from common.decision.explain import explain
from common.decision.gates import Gates
from common.decision.last_gates import expected_micros
from common.decision.opportunity import Opportunity
from common.decision.outcome import Decision, Explanation, Fill, NoFill
from common.errors import ErrorCode, Refused
from common.http.responses import no_content
from common.privacy.consent import Consent
from common.snapshot.model import Slot
from common.snapshot.snapshot import Snapshot
from edge.admission.client import surface_of
from edge.admission.keys import Admission, Door, admit
from edge.context import EdgeContext
from edge.endpoints.serve_many import (
    MOST_SLOTS,
    answer_many,
    check_several,
    find_slot_texts,
)
from edge.endpoints.serve_query import (
    parse_serve_query,
    preview_ad_id,
    slot_not_found,
    slot_text,
    wants_debug,
)
from edge.http.call import Call, call_of
from edge.opportunity.consent import consent_of
from edge.opportunity.signals import signals_of
from edge.render.ad import as_json, as_page
from edge.tracking.issue import UNBILLED, issue

_NO_STORE = {"Cache-Control": "no-store"}


async def handle(request: Request) -> HTTPResponse:
    return serve(request.app.ctx.edge, call_of(request))


def serve(edge: EdgeContext, call: Call) -> HTTPResponse:
    """The same answer by whichever way *call* came in. Raises `Refused`, `SnapshotMissing`."""
    now_ms = edge.clock.now_ms()
    several = find_slot_texts(call.query_string)
    admission = admit(edge, call, Door.SERVE, now_ms, calls=min(len(several), MOST_SLOTS) or 1)
    query = call.query
    debug, preview = wants_debug(query), preview_ad_id(query)
    if debug or preview is not None:
        _check_may_look_inside(edge, admission)
    slot = _get_slot(edge, admission, slot_text(query))
    asked = parse_serve_query(call, server=admission.is_server)
    consent = consent_of(call, admission.property, edge.settings.tcf_vendor_id)
    opportunity = Opportunity(
        edge.environment,
        admission.property,
        slot,
        asked.format,
        asked.width,
        asked.height,
        surface_of(admission.key.kind, admission.property.kind, admission.client.user_agent),
        preview,
        consent.limited,
        consent.child_directed,
        signals_of(edge, call, admission, asked.told, personal=consent.personal),
    )
    # Nothing below sees the request.
    seed = edge.rng.getrandbits(64)
    if not several:
        return _answer(
            edge,
            admission,
            opportunity,
            consent,
            now_ms,
            seed=seed,
            debug=debug,
            output=asked.output,
        )[1]
    check_several(several, output=asked.output, preview=preview)
    slots = [(text, _get_slot(edge, admission, text)) for text in several]
    return answer_many(
        opportunity,
        slots,
        lambda one: _answer(
            edge, admission, one, consent, now_ms, seed=seed, debug=debug, output=asked.output
        ),
    )


def _answer(
    edge: EdgeContext,
    admission: Admission,
    opportunity: Opportunity,
    consent: Consent,
    now_ms: int,
    *,
    seed: int,
    debug: bool,
    output: str,
) -> tuple[Decision, HTTPResponse]:
    snapshot = admission.snapshot
    gates = _gates(edge, snapshot, now_ms)
    explanation: Explanation | None = None
    if debug:
        explanation = explain(snapshot, opportunity, gates, now_ms, seed)
        decision = explanation.decision
    else:
        decision = decide(snapshot, opportunity, gates, now_ms, seed)
    match decision:
        case NoFill(reason):
            _count(edge, opportunity, None, reason)
            shows = edge.environment.is_test or (debug and admission.is_server)
            headers = {**_NO_STORE, "X-No-Fill-Reason": reason} if shows else _NO_STORE
            return decision, no_content(headers)
        case Fill():
            _commit(edge, snapshot, opportunity, decision, now_ms)
            issued = issue(edge, snapshot, decision, opportunity, now_ms)
            _count(edge, opportunity, decision, "fill")
            if output == "html":
                return decision, as_page(snapshot, decision, issued)
            shown = consent if debug else None
            return decision, as_json(
                snapshot, decision, opportunity, issued, explanation, consent=shown
            )


def _check_may_look_inside(edge: EdgeContext, admission: Admission) -> None:
    if not edge.environment.is_test and not admission.is_server:
        raise Refused(
            ErrorCode.INSUFFICIENT_SCOPE,
            "debug and preview_ad need a secret key, or a test key on the test edge.",
        )


def _get_slot(edge: EdgeContext, admission: Admission, text: str) -> Slot:
    """By key or id, of the key's property only. Raises `Refused`."""
    snapshot, prop = admission.snapshot, admission.property
    slot = snapshot.slots_by_key.get((prop.id, text)) or snapshot.slots.get(text)
    if slot is not None and slot.property_id == prop.id:
        return slot
    demo = find_demo_slot(prop, text) if edge.environment.is_test else None
    if demo is None:
        raise slot_not_found(text)
    return demo


def _gates(edge: EdgeContext, snapshot: Snapshot, now_ms: int) -> Gates:
    stale = (
        not edge.environment.is_test and edge.snapshots.age_s(now_ms) > edge.settings.dead_after_s
    )
    return Gates(
        stale, edge.spool.nearly_full, open_micros=edge.budgets.open_micros(snapshot, now_ms)
    )


def _commit(
    edge: EdgeContext, snapshot: Snapshot, opportunity: Opportunity, fill: Fill, now_ms: int
) -> None:
    """What is never billed uses up no budget: test traffic, previews, house ads."""
    campaign = fill.campaign
    if campaign.budget is None or fill.source in UNBILLED or edge.environment.is_test:
        return
    micros = expected_micros(snapshot, opportunity.slot.id, campaign, fill.ad)
    edge.budgets.commit(snapshot, campaign, micros, now_ms)


def _count(edge: EdgeContext, opportunity: Opportunity, fill: Fill | None, outcome: str) -> None:
    campaign_id, ad_id = (None, None) if fill is None else (fill.campaign.id, fill.ad.id)
    edge.counters.count(opportunity.property.id, opportunity.slot.id, campaign_id, ad_id, outcome)
    edge.metrics.count_decision(outcome)
