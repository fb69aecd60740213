"""Ranking: priority, then eCPM; and the order of one campaign's ads by its objective."""

from collections.abc import Sequence
from dataclasses import dataclass

from common.decision.rules.hierarchical_rates import prior_rates
from common.decision.rules.share_of_voice import has_share
from common.decision.rules.thompson import spread_of
from common.snapshot.model import Ad, AdRates, Campaign, Rate
from common.values.enums import EventKind, Objective, PricingModel, Priority, Source

PRIORITY_RANK: dict[Priority, int] = {
    Priority.SPONSORSHIP: 0,
    Priority.STANDARD: 1,
    Priority.AUCTION: 2,
    Priority.HOUSE: 3,
}
"""Lower comes first; eCPM never lifts a campaign over a better priority."""

_WITHIN_CLASS = 3

SOURCE_OF: dict[Priority, Source] = {
    Priority.SPONSORSHIP: Source.SPONSORSHIP,
    Priority.STANDARD: Source.DIRECT,
    Priority.AUCTION: Source.AUCTION,
    Priority.HOUSE: Source.HOUSE,
}

OPTIMISED_EVENT: dict[Objective, EventKind] = {
    Objective.AWARENESS: EventKind.IMPRESSION,
    Objective.TRAFFIC: EventKind.CLICK,
    Objective.ENGAGEMENT: EventKind.CLICK,
    Objective.LEADS: EventKind.CONVERSION,
    Objective.CONVERSIONS: EventKind.CONVERSION,
    Objective.APP_PROMOTION: EventKind.CONVERSION,
}
"""
The event that a campaign optimises for. Money ranks campaigns. Of one campaign's ads with the same value, the one that
promises most of this event comes first, and equals rotate by weight.
"""

_PPM = 1_000_000


def rank_of(campaign: Campaign) -> int:
    """
    Lower comes first: by priority; within a class sponsors with a share of voice, then flat rates, then campaigns
    ranked by eCPM.
    """
    if has_share(campaign):
        within = 0
    elif campaign.pricing_model is PricingModel.FLAT_RATE:
        within = 1
    else:
        within = 2
    return PRIORITY_RANK[campaign.priority] * _WITHIN_CLASS + within


@dataclass(slots=True, init=False)
class Worth:
    """
    ``ecpm_micros``: expected revenue of a thousand impressions. ``spread``: the uncertainty of that
    (`common.decision.rules.thompson.spread_of`), 0 where the bid is for impressions. ``objective_ppb``: optimised
    events expected of a thousand million impressions, 0 where the optimised event is the impression.
    """

    ecpm_micros: int
    spread: float
    objective_ppb: int

    def __init__(self, ecpm_micros: int, spread: float, objective_ppb: int) -> None:
        self.ecpm_micros = ecpm_micros
        self.spread = spread
        self.objective_ppb = objective_ppb


def worth_of(campaign: Campaign, ad: Ad, rates: AdRates | None, slot_id: str) -> Worth:
    """Returns the worth of *ad* in that slot. *rates*: its learned rates, or None."""
    clicks, conversions = rates_in(ad, rates, slot_id)
    return Worth(
        _ecpm_micros(campaign, clicks, conversions),
        _spread(campaign.pricing_model, clicks, conversions),
        _objective_ppb(campaign.objective, clicks, conversions),
    )


def rates_in(ad: Ad, rates: AdRates | None, slot_id: str) -> tuple[Rate, Rate]:
    """Returns clicks an impression and conversions a click of *ad* in that slot."""
    if rates is None:
        return prior_rates(ad.format)
    for known in rates.by_slot:
        if known.slot_id == slot_id:
            return known.clicks, known.conversions
    return rates.clicks, rates.conversions


def ecpm_micros(campaign: Campaign, ad: Ad, rates: AdRates | None, slot_id: str) -> int:
    """
    Returns the expected revenue of a thousand impressions of *ad*, in micros.

    cpm: the bid is the price of one impression. cpc: times the expected clicks. cpa: times the expected conversions.
    flat_rate: 0, because it is never ranked by eCPM.
    """
    return _ecpm_micros(campaign, *rates_in(ad, rates, slot_id))


def pick(weights: Sequence[int], seed: int) -> int:
    """Returns the position that *seed* (64 uniform bits) selects, each in proportion to its weight (1 or more)."""
    point = seed % sum(weights)
    for position, weight in enumerate(weights):
        point -= weight
        if point < 0:
            return position
    raise ValueError("weights must be positive")


def _ecpm_micros(campaign: Campaign, clicks: Rate, conversions: Rate) -> int:
    match campaign.pricing_model:
        case PricingModel.CPM:
            return campaign.bid_micros * 1000
        case PricingModel.CPC:
            return campaign.bid_micros * 1000 * clicks.ppm // _PPM
        case PricingModel.CPA:
            return campaign.bid_micros * 1000 * clicks.ppm * conversions.ppm // (_PPM * _PPM)
        case PricingModel.FLAT_RATE:
            return 0


def _spread(model: PricingModel, clicks: Rate, conversions: Rate) -> float:
    match model:
        case PricingModel.CPM | PricingModel.FLAT_RATE:
            return 0.0
        case PricingModel.CPC:
            return spread_of(clicks)
        case PricingModel.CPA:
            return spread_of(clicks, conversions)


def _objective_ppb(objective: Objective, clicks: Rate, conversions: Rate) -> int:
    match OPTIMISED_EVENT[objective]:
        case EventKind.IMPRESSION:
            return 0
        case EventKind.CLICK:
            return clicks.ppm * 1000
        case EventKind.CONVERSION:
            return clicks.ppm * conversions.ppm // 1000
