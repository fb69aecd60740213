"""What comes first: priority, then eCPM, then chance by weight."""

from collections.abc import Sequence

from common.decision.shares import has_share
from common.snapshot.model import Ad, AdRates, Campaign
from common.vocabulary import Format, PricingModel, Priority, Source

PRIORITY_RANK: dict[Priority, int] = {
    Priority.SPONSORSHIP: 0,
    Priority.STANDARD: 1,
    Priority.AUCTION: 2,
    Priority.HOUSE: 3,
}
"""Lower goes first; eCPM never lifts a campaign over a better priority."""

_WITHIN_CLASS = 3

SOURCE_OF: dict[Priority, Source] = {
    Priority.SPONSORSHIP: Source.SPONSORSHIP,
    Priority.STANDARD: Source.DIRECT,
    Priority.AUCTION: Source.AUCTION,
    Priority.HOUSE: Source.HOUSE,
}

_PPM = 1_000_000
_CLICKS_PPM: dict[Format, int] = {Format.NATIVE: 2_000, Format.VIDEO: 2_000, Format.AUDIO: 500}
_CLICKS_PPM_ELSE = 1_000
_CONVERSIONS_PER_CLICK_PPM = 10_000


def rank_of(campaign: Campaign) -> int:
    """
    Lower goes first: by priority; within a class sponsors with a share of voice, then what is sold by the flight, then
    whatever is ranked by eCPM.
    """
    if has_share(campaign):
        within = 0
    elif campaign.pricing_model is PricingModel.FLAT_RATE:
        within = 1
    else:
        within = 2
    return PRIORITY_RANK[campaign.priority] * _WITHIN_CLASS + within


def prior_clicks_ppm(ad_format: Format) -> int:
    """
    Clicks expected of a million impressions before anything is learned: 0.1 % for banner, html and email,
    0.2 % for native and video, 0.05 % for audio. Priors of the usual order of magnitude, ours to change.
    """
    return _CLICKS_PPM.get(ad_format, _CLICKS_PPM_ELSE)


def rates_in(ad: Ad, rates: AdRates | None, slot_id: str) -> tuple[int, int]:
    """Clicks of a million impressions and conversions of a million clicks expected of *ad* in that slot."""
    if rates is None:
        return prior_clicks_ppm(ad.format), _CONVERSIONS_PER_CLICK_PPM
    for known in rates.by_slot:
        if known.slot_id == slot_id:
            return known.clicks.ppm, known.conversions.ppm
    return rates.clicks.ppm, rates.conversions.ppm


def ecpm_micros(campaign: Campaign, ad: Ad, rates: AdRates | None, slot_id: str) -> int:
    """
    What a thousand impressions of *ad* are expected to bring, in micros.

    cpm: the bid is the price of one impression. cpc: times the expected clicks. cpa: times the expected conversions.
    flat_rate: 0, for it is never ranked by eCPM.
    """
    clicks_ppm, conversions_ppm = rates_in(ad, rates, slot_id)
    match campaign.pricing_model:
        case PricingModel.CPM:
            return campaign.bid_micros * 1000
        case PricingModel.CPC:
            return campaign.bid_micros * 1000 * clicks_ppm // _PPM
        case PricingModel.CPA:
            return campaign.bid_micros * 1000 * clicks_ppm * conversions_ppm // (_PPM * _PPM)
        case PricingModel.FLAT_RATE:
            return 0


def pick(weights: Sequence[int], seed: int) -> int:
    """The position *seed* (64 uniform bits) falls on, each in proportion to its weight (1 or more)."""
    point = seed % sum(weights)
    for position, weight in enumerate(weights):
        point -= weight
        if point < 0:
            return position
    raise ValueError("weights must be positive")
