"""One opportunity of a serve request: its current gates, the decision, the decision's effects, and the response."""

from collections.abc import Mapping
from typing import Final, final

from common.decision.decide import decide
from common.decision.decision_input import DecisionInput
from common.decision.dynamic_gates import expected_micros
from common.decision.explain import explain
from common.decision.recorded_gates import recording
from common.decision.rules.gates import Gates, Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Explanation, Fill, NoFill, NoFillReason
from common.http.answer import RawResponse, response_head
from common.privacy.anonymize import find_origin
from common.snapshot.snapshot import Snapshot
from common.values.enums import Format, Source
from edge.context import EdgeContext
from edge.serving.render.ad import as_json, as_page
from edge.serving.render.amp import as_amp, as_rtc
from edge.serving.render.issue_token import UNBILLED_SOURCES, Issued, issue
from edge.serving.serve_request import ServeRequest

_NO_CONTENT: Final = 204
_NO_STORE: Final[Mapping[str, str]] = {"Cache-Control": "no-store"}
_SILENT_HEAD: Final = response_head(_NO_STORE, _NO_CONTENT)


@final
class DecidedServe:
    """A decision of a request. ``decision_input``: the decision's inputs where it is to be recorded; else None."""

    def __init__(
        self,
        decision: Decision,
        explanation: Explanation | None,
        decision_input: DecisionInput | None,
    ) -> None:
        self.decision = decision
        self.explanation = explanation
        self.decision_input = decision_input


def decide_request(edge: EdgeContext, request: ServeRequest, counts: Lookup | None) -> DecidedServe:
    """Pure except for caching."""
    snapshot, opportunity = request.admission.snapshot, request.opportunity
    now_ms, seed, timing = request.decision_ms, request.seed, request.timing
    wanted = None if request.trial is None else request.trial.no_fill
    if wanted is not None:
        return DecidedServe(NoFill(wanted), None, None)
    gates = current_gates(edge, snapshot, request.now_ms, counts)
    decision_input: DecisionInput | None = None
    is_moved = now_ms != request.now_ms  # its record would be stored under another day
    if not is_moved and edge.decisions.wants(seed, debug=request.params.debug):
        gates = recording(gates)
        decision_input = DecisionInput(snapshot, opportunity, gates, now_ms, seed)
    if timing is not None:
        begun_s = timing.now_s()
        decide(snapshot, opportunity, gates, now_ms, seed)
        timing.decide_s += timing.now_s() - begun_s
        explanation = explain(snapshot, opportunity, gates, now_ms, seed)
        return DecidedServe(explanation.decision, explanation, decision_input)
    return DecidedServe(decide(snapshot, opportunity, gates, now_ms, seed), None, decision_input)


def render(edge: EdgeContext, request: ServeRequest, decided: DecidedServe) -> RawResponse:
    """Commits, reserves, counts and records the decision, and renders its response."""
    decision = decided.decision
    if not isinstance(decision, Fill):
        return render_no_fill(edge, request, decided, decision.reason)
    if request.params.output == "amp-rtc":
        return as_rtc(decision)
    issued = commit_fill(edge, request, decided, decision)
    opportunity, snapshot = request.opportunity, request.admission.snapshot
    if request.params.output == "html":
        return as_page(snapshot, decision, issued)
    if request.params.output == "amp":
        return as_amp(decision, issued)
    explanation = decided.explanation
    if not request.params.debug:
        return as_json(snapshot, decision, opportunity, issued, explanation)
    origin = find_origin(request.page_url)
    return as_json(
        snapshot,
        decision,
        opportunity,
        issued,
        explanation,
        consent=request.consent,
        page_origin=origin,
    )


def commit_fill(
    edge: EdgeContext, request: ServeRequest, decided: DecidedServe, fill: Fill
) -> Issued:
    """Commits, reserves, counts and records the *fill* of *decided*, and issues its tokens."""
    opportunity, now_ms = request.opportunity, request.now_ms
    snapshot = request.admission.snapshot
    commit_cost(edge, snapshot, opportunity, fill, now_ms)
    _reserve(edge, request, fill)
    person = None if fill.source is Source.PREVIEW else request.person
    issued = issue(edge, snapshot, fill, opportunity, now_ms, person=person)
    if decided.decision_input is not None:
        edge.decisions.keep(issued.decision_id, decided.decision_input, fill, request.consent)
    count_decision(edge, opportunity, fill.campaign.id, fill.ad.id, "fill", fill.ad.format)
    return issued


def render_no_fill(
    edge: EdgeContext, request: ServeRequest, decided: DecidedServe, reason: NoFillReason
) -> RawResponse:
    """Counts and records the no fill, and renders its 204. Real-time config shows no ad, and is not counted."""
    if request.params.output != "amp-rtc":
        count_decision(edge, request.opportunity, None, None, reason, request.opportunity.format)
    shows = edge.environment.is_test or (request.params.debug and request.admission.is_server)
    reasons = {"X-No-Fill-Reason": reason.value}
    if decided.decision_input is not None:
        decision_id = str(edge.new_token_id(request.now_ms))
        edge.decisions.keep(decision_id, decided.decision_input, decided.decision, request.consent)
        reasons["X-Decision-Id"] = decision_id
    if not shows:
        return RawResponse(_SILENT_HEAD, b"", status=_NO_CONTENT)
    headers = {**_NO_STORE, **reasons}
    return RawResponse(
        response_head(headers, _NO_CONTENT), b"", status=_NO_CONTENT, headers=headers
    )


def current_gates(
    edge: EdgeContext, snapshot: Snapshot, now_ms: int, counts: Lookup | None
) -> Gates:
    """The gates as they are at *now_ms*. *counts*: as in `Gates`."""
    settings = edge.settings
    stale = (
        not edge.environment.is_test and edge.snapshots.age_s(now_ms) > settings.snapshot_max_age_s
    )
    available_micros = edge.budgets.available_micros(snapshot, now_ms)
    return Gates(
        stale,
        edge.spool.nearly_full,
        available_micros,
        counts,
        settings.ranking,
        edge.budgets.pass_rates,
    )


def commit_cost(  # noqa: PLR0917 - as `Budgets.commit`
    edge: EdgeContext,
    snapshot: Snapshot,
    opportunity: Opportunity,
    fill: Fill,
    now_ms: int,
    until_day: int | None = None,
) -> None:
    """
    Commits the expected cost. Test traffic, previews and house ads are never billed and use no budget.

    *until_day*: as in `Budgets.commit`.
    """
    campaign = fill.campaign
    if campaign.budget is None or fill.source in UNBILLED_SOURCES or edge.environment.is_test:
        return
    micros = expected_micros(snapshot, opportunity.slot.id, campaign, fill.ad)
    edge.budgets.commit(snapshot, campaign, micros, now_ms, until_day)


def _reserve(edge: EdgeContext, request: ServeRequest, fill: Fill) -> None:
    """Counts the impression of a capped ad against the user's caps at once, before it was shown."""
    person = request.person
    if person is None or not fill.campaign.frequency_caps or fill.source is Source.PREVIEW:
        return
    edge.frequency_caps.reserve(person, fill.campaign, fill.ad, request.now_ms)


def count_decision(  # noqa: PLR0917 - a row's parts, in their order
    edge: EdgeContext,
    opportunity: Opportunity,
    campaign_id: str | None,
    ad_id: str | None,
    outcome: str,
    ad_format: Format | None,
) -> None:
    """Counts the decision for reports and metrics. *outcome*: `fill`, or the reason of no fill."""
    signals = opportunity.signals
    if opportunity.preview_ad_id is None:  # previews are in no report
        edge.counters.count(
            opportunity.property.id,
            opportunity.slot.id,
            campaign_id,
            ad_id,
            outcome,
            signals.country,
            signals.device,
            opportunity.surface_of(ad_format),
            ad_format,
        )
    edge.metrics.count_decision(outcome)
