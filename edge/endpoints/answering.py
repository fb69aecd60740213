"""One opportunity of a serve call: the gates of this moment, the decision, what it changes, and its answer."""

from sanic import HTTPResponse

from common.decision.decide import decide
from common.decision.explain import explain
from common.decision.gates import Gates, Lookup
from common.decision.last_gates import expected_micros
from common.decision.opportunity import Opportunity
from common.decision.outcome import Decision, Explanation, Fill, NoFill
from common.decision.question import Question
from common.decision.watched import watched
from common.http.responses import no_content
from common.snapshot.snapshot import Snapshot
from common.vocabulary import Source
from edge.context import EdgeContext
from edge.endpoints.asking import Asking
from edge.render.ad import as_json, as_page
from edge.tracking.issue import UNBILLED, issue

_NO_STORE = {"Cache-Control": "no-store"}


def decide_now(
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


def render(
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
