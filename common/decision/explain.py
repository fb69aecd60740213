"""Explains a decision: the candidates and the first gate that dropped each, computed by the same code that decides."""

from collections.abc import Iterator
from itertools import islice

import orjson

from common.decision.candidate_order import iter_in_order
from common.decision.decide import decide
from common.decision.decision_input import DecisionInput
from common.decision.demo_slots import is_demo_slot
from common.decision.dynamic_gates import dynamic_drop
from common.decision.index import match
from common.decision.recorded_gates import NotRecorded
from common.decision.rules.eligibility import fit_drop, static_drop
from common.decision.rules.gates import Gates
from common.decision.rules.kinds import TARGETING_KINDS
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Considered, Decision, Explanation, Fill, NoFillReason
from common.decision.rules.ranking import ecpm_micros, rank_of, rates_in
from common.decision.rules.targeting import matches_kind, parse_targeting
from common.snapshot.model import Ad, Campaign
from common.snapshot.snapshot import Snapshot

MAX_LISTED = 1_000
MAX_EXAMINED = 2_000
"""An edge examines no more candidates for an explanation: it has other requests to serve."""

_Drop = tuple[int, NoFillReason]


def explain(
    snapshot: Snapshot,
    opportunity: Opportunity,
    gates: Gates,
    now_ms: int,
    seed: int,
    *,
    listed: int = MAX_LISTED,
    examined: int | None = MAX_EXAMINED,
) -> Explanation:
    """
    Returns the decision that `decide` makes for the same arguments, and the candidates: first those that match, in the
    order in which they were tried, then the others by how far they came. It examines at most *examined* candidates and
    returns at most *listed*.

    For a preview it examines only the named ad, and for a demo slot none.
    """
    decision = decide(snapshot, opportunity, gates, now_ms, seed)
    decision_input = DecisionInput(snapshot, opportunity, gates, now_ms, seed)
    if opportunity.preview_ad_id is not None:
        return _previewed(decision_input, decision, opportunity.preview_ad_id)
    if is_demo_slot(opportunity.property, opportunity.slot):
        return Explanation(decision, ())
    ranked_lines = _ranked_lines(decision_input, decision, listed)
    known = {line.ad_id for line in ranked_lines}
    others = sorted(
        (
            (drop, campaign, ad)
            for drop, campaign, ad in _dropped(decision_input, examined)
            if ad.id not in known
        ),
        key=_relevance,
    )
    lines = [
        _line(decision_input, campaign, ad, None if drop is None else drop[1])
        for drop, campaign, ad in others[: listed - len(ranked_lines)]
    ]
    return Explanation(decision, (*ranked_lines, *lines), len(ranked_lines) + len(others))


def _previewed(decision_input: DecisionInput, decision: Decision, ad_id: str) -> Explanation:
    """Returns no line for an ad of another account, as if it did not exist."""
    ad = decision_input.snapshot.ads.get(ad_id)
    campaign = None if ad is None else decision_input.snapshot.campaigns.get(ad.campaign_id)
    owner_id = decision_input.opportunity.property.account_id
    if ad is None or campaign is None or campaign.account_id != owner_id:
        return Explanation(decision, ())
    if isinstance(decision, Fill):
        line = _line(decision_input, campaign, ad, None, turn=1, won=True)
    else:
        line = _line(decision_input, campaign, ad, decision.reason)
    return Explanation(decision, (line,), 1)


def _ranked_lines(decision_input: DecisionInput, decision: Decision, most: int) -> list[Considered]:
    """
    Returns the matching candidates in order. After the winner, a gate may not be recorded: then it dropped nothing.
    Before the winner, an unrecorded candidate was never tried, because too many other budgets were unknown.
    """
    winner = decision.ad.id if isinstance(decision, Fill) else None
    matches = match(
        decision_input.snapshot,
        decision_input.opportunity,
        decision_input.now_ms,
        decision_input.gates.ranking,
    )
    unknown: NoFillReason | None = NoFillReason.PACED
    if decision_input.opportunity.roadblock_id is not None:
        unknown = None  # the holder was tried before those in order
    lines: list[Considered] = []
    for candidate in islice(iter_in_order(matches.groups(), decision_input), most):
        campaign, ad = candidate.campaign, candidate.ad
        if ad.id == winner:
            unknown = None
        drop = _last_drop(decision_input, campaign, ad, unknown)
        turn, won = len(lines) + 1, ad.id == winner
        lines.append(_line(decision_input, campaign, ad, drop, turn=turn, won=won))
    return lines


def _last_drop(
    decision_input: DecisionInput, campaign: Campaign, ad: Ad, unknown: NoFillReason | None
) -> NoFillReason | None:
    """*unknown*: the result where a gate was not recorded."""
    try:
        drop = dynamic_drop(decision_input, campaign, ad)
    except NotRecorded:
        return unknown
    return None if drop is None else drop[1]


def _dropped(
    decision_input: DecisionInput, examined: int | None
) -> Iterator[tuple[_Drop | None, Campaign, Ad]]:
    """Yields up to *examined* candidates of the property, each with the reason why it does not match."""
    snapshot, opportunity = decision_input.snapshot, decision_input.opportunity
    candidates = (
        (campaign, ad)
        for campaign in snapshot.campaigns_by_property.get(opportunity.property.id, ())
        for ad in snapshot.ads_by_campaign.get(campaign.id, ())
    )
    for campaign, ad in islice(candidates, examined):
        drop = static_drop(snapshot, opportunity.slot, campaign, ad) or fit_drop(
            opportunity, decision_input.now_ms, campaign, ad
        )
        yield drop, campaign, ad


def _relevance(found: tuple[_Drop | None, Campaign, Ad]) -> tuple[int, int, str]:
    drop, campaign, ad = found
    return -(drop[0] if drop else MAX_LISTED), rank_of(campaign), ad.id


def _line(
    decision_input: DecisionInput,
    campaign: Campaign,
    ad: Ad,
    dropped_by: NoFillReason | None,
    *,
    turn: int | None = None,
    won: bool = False,
) -> Considered:
    slot_id = decision_input.opportunity.slot.id
    rates = decision_input.snapshot.rates.get(ad.id)
    clicks, conversions = rates_in(ad, rates, slot_id)
    matched, missed = _kinds(decision_input, campaign, ad)
    return Considered(
        account_id=campaign.account_id,
        campaign_id=campaign.id,
        ad_id=ad.id,
        dropped_by=dropped_by,
        priority=campaign.priority.value,
        ecpm_micros=ecpm_micros(campaign, ad, rates, slot_id),
        turn=turn,
        won=won,
        weight=ad.weight,
        clicks_ppm=clicks.ppm,
        conversions_ppm=conversions.ppm,
        matched=matched,
        missed=missed,
    )


def _kinds(
    decision_input: DecisionInput, campaign: Campaign, ad: Ad
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    Returns the kinds of targeting that the campaign or the ad uses:
    those that match in both, and those that do not.
    """
    holds: dict[str, bool] = {}
    for text in (campaign.targeting, ad.targeting):
        targeting = parse_targeting(text)
        used = orjson.loads(text or "{}").keys()
        for place, kind in enumerate(TARGETING_KINDS):
            if kind.name in used:
                fits = matches_kind(
                    place,
                    targeting,
                    decision_input.opportunity.signals,
                    campaign.timezone,
                    decision_input.now_ms,
                )
                holds[kind.name] = holds.get(kind.name, True) and fits
    return (
        tuple(kind.name for kind in TARGETING_KINDS if holds.get(kind.name, False)),
        tuple(kind.name for kind in TARGETING_KINDS if not holds.get(kind.name, True)),
    )
