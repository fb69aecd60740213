"""A candidate: an ad that could fill a slot, and its rank."""

from dataclasses import dataclass
from typing import final

from common.decision.rules.eligibility import static_drop
from common.decision.rules.gates import Ranking
from common.decision.rules.outcome import NoFillReason
from common.decision.rules.ranking import Worth, rank_of, worth_of
from common.decision.rules.thompson import bound_micros
from common.snapshot.model import Ad, AdRates, Campaign, Slot
from common.snapshot.snapshot import Snapshot

DropReason = tuple[int, NoFillReason]
"""Place and reason of a gate; later gates have greater places."""
Order = tuple[float, ...]
"""Sort key of candidates: less comes first. Candidates of equal order form a group, sorted by ad id."""

_GREEDY_LENGTH = 2
"""Of an order by eCPM; Thompson's ranking has longer ones."""


@final
class Candidate:
    """
    ``spread``, ``objective_ppb``: as in `common.decision.rules.ranking.Worth`. ``dropped``: place and reason of the
    static gate that drops it; None where it passes them all.
    """

    def __init__(
        self, campaign: Campaign, ad: Ad, worth: Worth, dropped: DropReason | None
    ) -> None:
        self.campaign = campaign
        self.ad = ad
        self.rank = rank_of(campaign)
        self.ecpm_micros = worth.ecpm_micros
        self.spread = worth.spread
        self.objective_ppb = worth.objective_ppb
        self.dropped = dropped


@dataclass(frozen=True, slots=True)
class SlotIndex:
    """Every candidate of a slot, by campaign and ad id, including those that static gates drop."""

    candidates: tuple[Candidate, ...]


def order_of(
    campaign: Campaign, ad: Ad, rates: AdRates | None, slot_id: str, ranking: Ranking
) -> Order:
    """
    Greedy: orders by eCPM. Thompson's ranking: orders by the greatest possible draw, and groups ads that are drawn
    alike.
    """
    worth = worth_of(campaign, ad, rates, slot_id)
    if ranking is Ranking.GREEDY:
        return rank_of(campaign), -worth.ecpm_micros
    bound = bound_micros(worth.ecpm_micros, worth.spread)
    return rank_of(campaign), -bound, -worth.ecpm_micros, worth.spread


def ecpm_of(order: Order) -> float:
    """Returns the eCPM (micros) of an `order_of` either ranking."""
    return -order[1] if len(order) == _GREEDY_LENGTH else -order[2]


def static_candidate(snapshot: Snapshot, slot_id: str, ad_id: str) -> Candidate:
    """Returns the candidate for an ad that is known to pass that slot's static gates."""
    ad = snapshot.ads[ad_id]
    campaign = snapshot.campaigns[ad.campaign_id]
    worth = worth_of(campaign, ad, snapshot.rates.get(ad_id), slot_id)
    return Candidate(campaign, ad, worth, None)


def slot_index(snapshot: Snapshot, slot: Slot) -> SlotIndex:
    """Used by explanations: walks over all of the property's ads."""
    return SlotIndex(
        tuple(
            Candidate(
                campaign,
                ad,
                worth_of(campaign, ad, snapshot.rates.get(ad.id), slot.id),
                static_drop(snapshot, slot, campaign, ad),
            )
            for campaign in snapshot.campaigns_by_property.get(slot.property_id, ())
            for ad in snapshot.ads_by_campaign.get(campaign.id, ())
        )
    )
