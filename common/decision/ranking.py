"""What comes first: priority, then eCPM, then chance by weight."""

from collections.abc import Sequence

from common.snapshot.model import Ad, Campaign
from common.vocabulary import Format, PricingModel, Priority, Source

PRIORITY_RANK: dict[Priority, int] = {
    Priority.SPONSORSHIP: 0,
    Priority.STANDARD: 1,
    Priority.AUCTION: 2,
    Priority.HOUSE: 3,
}
"""Lower goes first; eCPM never lifts a campaign over a better priority."""

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


def click_rate_ppm(ad_format: Format) -> int:
    """
    Clicks expected of a million impressions before anything is learned: 0.1 % for banner, html and email,
    0.2 % for native and video, 0.05 % for audio. Priors of the usual order of magnitude, ours to change.
    """
    return _CLICKS_PPM.get(ad_format, _CLICKS_PPM_ELSE)


def ecpm_micros(campaign: Campaign, ad: Ad) -> int:
    """
    What a thousand impressions of *ad* are expected to bring, in micros.

    cpm: the bid is the price of one impression. cpc: times the expected clicks. cpa: times the expected conversions,
    one of a hundred clicks. flat_rate: 0, for it is never ranked by eCPM.
    """
    match campaign.pricing_model:
        case PricingModel.CPM:
            return campaign.bid_micros * 1000
        case PricingModel.CPC:
            return campaign.bid_micros * 1000 * click_rate_ppm(ad.format) // _PPM
        case PricingModel.CPA:
            per_million = click_rate_ppm(ad.format) * _CONVERSIONS_PER_CLICK_PPM // _PPM
            return campaign.bid_micros * 1000 * per_million // _PPM
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
