"""Picks the ad for a slot: pure, synchronous, and with the same result for the same arguments on every machine."""

from common.decision.candidate_order import iter_in_order
from common.decision.decision_input import DecisionInput
from common.decision.demo_slots import decide_demo, is_demo_slot
from common.decision.dynamic_gates import dynamic_drop
from common.decision.frequency import capped
from common.decision.index import NOBODY, Candidate, DropReason, Matches, match
from common.decision.roadblock import roadblock_first
from common.decision.rules.ad_limits import is_wrapper
from common.decision.rules.eligibility import (
    account_serves,
    fits_space,
    size_fits_slot,
    slot_excludes,
)
from common.decision.rules.feature_support import unsupported
from common.decision.rules.gates import MAX_UNKNOWN_BUDGETS, Gates, Ranking
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.decision.rules.ranking import SOURCE_OF
from common.privacy.children import is_unfit_for_children
from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot
from common.values.enums import AdStatus, SlotStatus, Source


def decide(
    snapshot: Snapshot, opportunity: Opportunity, gates: Gates, now_ms: int, seed: int
) -> Decision:
    """
    *seed*: 64 uniform bits. Every draw follows from it: order among equals, shares of voice, the throttle.

    A preview shows the ad that it names. Otherwise the result is the best candidate that passes every gate, else the
    slot's house ad, else no fill. The reason of a no fill is that of the gate which dropped the candidate that came
    furthest, or that of the house ad's frequency cap.
    """
    if opportunity.preview_ad_id is not None:
        return _within_limits(
            opportunity, _preview(snapshot, opportunity, opportunity.preview_ad_id)
        )
    if is_demo_slot(opportunity.property, opportunity.slot):
        return _within_limits(opportunity, decide_demo(opportunity))
    closed = _closed(snapshot, opportunity, gates)
    if closed is not None:
        return NoFill(closed)
    best, reason = _best(DecisionInput(snapshot, opportunity, gates, now_ms, seed))
    if best is not None:
        campaign = best.campaign
        return Fill(campaign, best.ad, SOURCE_OF[campaign.priority], campaign.bid_micros)
    house = _house(snapshot, opportunity)
    if house is None or not isinstance(_within_limits(opportunity, house), Fill):
        return NoFill(reason)
    has_caps = bool(house.campaign.frequency_caps)
    cap_reason = capped(house.campaign, house.ad, gates.counts) if has_caps else None
    return house if cap_reason is None else NoFill(cap_reason, of_candidates=reason)


def _within_limits(opportunity: Opportunity, decision: Decision) -> Decision:
    """Applies the request's own limits to an ad that was chosen without gates."""
    limits = opportunity.limits
    if not isinstance(decision, Fill):
        return decision
    if limits is None:
        is_left_out = decision.source is Source.HOUSE and is_wrapper(decision.ad)
        return NoFill(NoFillReason.FORMAT_MISMATCH) if is_left_out else decision
    reason = limits.drop(decision.campaign, decision.ad)
    return decision if reason is None else NoFill(reason)


def _closed(snapshot: Snapshot, opportunity: Opportunity, gates: Gates) -> NoFillReason | None:
    """Returns why this slot gets no ad at all, whatever the candidates; None where it may get one."""
    if gates.stale:
        return NoFillReason.STALE_SNAPSHOT
    if not account_serves(snapshot, opportunity.property.account_id):
        return NoFillReason.ACCOUNT_STOPPED
    if opportunity.slot.status is not SlotStatus.ACTIVE:
        return NoFillReason.SLOT_ARCHIVED
    return None


def _best(decision_input: DecisionInput) -> tuple[Candidate | None, NoFillReason]:
    """Returns the winner, or None and the reason of the furthest gate that dropped a candidate."""
    matches = _matches(decision_input)
    first = matches.first_of_all(decision_input.seed) if _is_plain(decision_input) else None
    if first is not None and dynamic_drop(decision_input, first.campaign, first.ad) is None:
        return first, NoFillReason.NO_CANDIDATE
    decision_input.unknown_budgets = 0
    best, furthest = _walk(decision_input, matches, NOBODY)
    if best is None and decision_input.unknown_budgets >= MAX_UNKNOWN_BUDGETS:
        decision_input.unknown_budgets = 0
        best, furthest = _walk(
            decision_input, _matches(decision_input, without_budgets=True), furthest
        )
    return best, furthest[1]


def _matches(decision_input: DecisionInput, *, without_budgets: bool = False) -> Matches:
    return match(
        decision_input.snapshot,
        decision_input.opportunity,
        decision_input.now_ms,
        decision_input.gates.ranking,
        without_budgets=without_budgets,
    )


def _walk(
    decision_input: DecisionInput, matches: Matches, furthest: DropReason
) -> tuple[Candidate | None, DropReason]:
    """
    Returns the first candidate that passes, and the drop reason of the candidate before it that came furthest. It ends
    early once `MAX_UNKNOWN_BUDGETS` budgets are unknown. Otherwise a worker that just started, or whose leases ended,
    would try every budget of a large property.
    """
    candidates = iter_in_order(matches.groups(), decision_input)
    if decision_input.opportunity.roadblock_id is not None:
        candidates = roadblock_first(candidates, decision_input.opportunity.roadblock_id)
    for candidate in candidates:
        drop = dynamic_drop(decision_input, candidate.campaign, candidate.ad)
        if drop is None:
            return candidate, furthest
        furthest = max(furthest, drop)
        if decision_input.unknown_budgets >= MAX_UNKNOWN_BUDGETS:
            break
    return None, max(furthest, matches.furthest)


def _is_plain(decision_input: DecisionInput) -> bool:
    """Whether the first candidate can be found without ordering the others, as for most requests."""
    ranking, roadblock_id = decision_input.gates.ranking, decision_input.opportunity.roadblock_id
    return ranking is Ranking.GREEDY and roadblock_id is None


def _house(snapshot: Snapshot, opportunity: Opportunity) -> Fill | None:
    """
    Returns the slot's house ad, its last resort: free, without a running campaign, but within all blocks. Its frequency
    caps are still to be checked.
    """
    ad = snapshot.ads.get(opportunity.slot.house_ad_id or "")
    if ad is None or ad.status is not AdStatus.ACTIVE or not _shows(opportunity, ad):
        return None
    if unsupported(ad.requires):
        return None
    if not (size_fits_slot(opportunity.slot, ad) and fits_space(opportunity, ad)):
        return None
    if opportunity.child_directed and is_unfit_for_children(ad):
        return None
    house = _free(snapshot, opportunity, ad, Source.HOUSE)
    if house is None or slot_excludes(snapshot, opportunity.slot, house.campaign, ad):
        return None
    return house


def _preview(snapshot: Snapshot, opportunity: Opportunity, ad_id: str) -> Decision:
    """Returns any ad of the property's account, whatever its state; only the format must match."""
    ad = snapshot.ads.get(ad_id)
    if ad is None:
        return NoFill(NoFillReason.NO_CANDIDATE)
    if not _shows(opportunity, ad):
        return NoFill(NoFillReason.FORMAT_MISMATCH)
    return _free(snapshot, opportunity, ad, Source.PREVIEW) or NoFill(NoFillReason.NO_CANDIDATE)


def _shows(opportunity: Opportunity, ad: Ad) -> bool:
    wanted_format = opportunity.format
    return ad.format in opportunity.slot.formats and (
        wanted_format is None or ad.format is wanted_format
    )


def _free(snapshot: Snapshot, opportunity: Opportunity, ad: Ad, source: Source) -> Fill | None:
    """Returns a fill at no price, only for ads of the account that owns the property."""
    campaign = snapshot.campaigns.get(ad.campaign_id)
    if campaign is None or campaign.account_id != opportunity.property.account_id:
        return None
    return Fill(campaign, ad, source, 0)
