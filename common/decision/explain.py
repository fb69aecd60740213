"""Why: every candidate and the first gate that dropped it, from the very code that decides."""

from common.decision.decide import decide
from common.decision.demo import is_demo_slot
from common.decision.eligibility import fit_drop
from common.decision.gates import Gates
from common.decision.index import Candidate, slot_index
from common.decision.last_gates import drop_at_last
from common.decision.opportunity import Opportunity
from common.decision.outcome import Considered, Explanation, NoFillReason
from common.decision.question import Question
from common.snapshot.snapshot import Snapshot


def explain(
    snapshot: Snapshot, opportunity: Opportunity, gates: Gates, now_ms: int, seed: int
) -> Explanation:
    """
    The decision `decide` makes of the same arguments, and every candidate of the slot beside it.

    A preview and a demo slot look at no candidate, so they list none.
    """
    decision = decide(snapshot, opportunity, gates, now_ms, seed)
    if opportunity.preview_ad_id is not None or is_demo_slot(
        opportunity.property, opportunity.slot
    ):
        return Explanation(decision, ())
    question = Question(snapshot, opportunity, gates, now_ms, seed)
    considered = tuple(
        Considered(
            candidate.campaign.id,
            candidate.ad.id,
            _dropped_by(question, candidate),
            candidate.campaign.priority.value,
            candidate.ecpm_micros,
        )
        for candidate in slot_index(snapshot, opportunity.slot).candidates
    )
    return Explanation(decision, considered)


def _dropped_by(question: Question, candidate: Candidate) -> NoFillReason | None:
    campaign, ad = candidate.campaign, candidate.ad
    drop = (
        candidate.dropped
        or fit_drop(question.opportunity, question.now_ms, campaign, ad)
        or drop_at_last(question, campaign, ad)
    )
    return None if drop is None else drop[1]
