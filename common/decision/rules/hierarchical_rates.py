"""
Click and conversion rates of ads: posteriors from valid events, each with the level above it as its prior.

    format: the mean in this file, and the results of all ads of the format
    slot:   its format's mean, and the results of the format's ads in the slot
    campaign, ad, ad in a slot: the factor of the level above, and results relative to those expected from the slots

A level's mean of strength k weighs as much as k trials: (successes + k · prior) / (trials + k) (conjugate prior of a
binomial: Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4; shrinkage to the level above: 5.3). The weight of a
factor depends on how far factors of its level were found to differ (`VarianceEstimates`). An ad's own results are left
out of the levels above it, so that nothing counts twice. In a level, one ad weighs at most as much as a prior. So a
level describes the typical ad, not the ads that are shown most.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from common.snapshot.model import AdRates, Rate
from common.values.enums import Format

CLICK_STRENGTH = 500
"""Impressions that a prior click rate weighs as much as."""
CONVERSION_STRENGTH = 50
"""Clicks that a prior conversion rate weighs as much as: half an event, like 500 impressions at 0.1 %."""
DRIFT_A_DAY = 0.06
"""Assumed random walk of a rate in a day, as a share of the rate: ads wear out, pages and readers change."""
DRIFT_A_SECOND = DRIFT_A_DAY**2 / 86_400
PPM = 1_000_000
_MEAN_STEP = 0.02
_STRENGTH_STEP = 0.25

_CLICKS_PPM: dict[Format, int] = {Format.NATIVE: 2_000, Format.VIDEO: 2_000, Format.AUDIO: 500}
_CLICKS_PPM_ELSE = 1_000
_CONVERSIONS_PER_CLICK_PPM = 10_000


def prior_clicks_ppm(ad_format: Format) -> int:
    """
    Returns clicks expected of a million impressions before anything is learned: 0.1 % for banner, html and email, 0.2 %
    for native and video, 0.05 % for audio. These priors have the usual order of magnitude; we may change them.
    """
    return _CLICKS_PPM.get(ad_format, _CLICKS_PPM_ELSE)


@lru_cache(maxsize=len(Format))
def prior_rates(ad_format: Format) -> tuple[Rate, Rate]:
    """Returns clicks an impression and conversions a click for an ad without evidence of its own or of its levels."""
    return (
        Rate(prior_clicks_ppm(ad_format), CLICK_STRENGTH),
        Rate(_CONVERSIONS_PER_CLICK_PPM, CONVERSION_STRENGTH),
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """Valid events, where older ones count less; hence not whole numbers."""

    impressions: float = 0.0
    clicks: float = 0.0
    conversions: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.impressions + other.impressions,
            self.clicks + other.clicks,
            self.conversions + other.conversions,
        )

    def __sub__(self, other: "Counts") -> "Counts":
        """Clamps at zero: sums of fractions leave rounding errors."""
        return Counts(
            max(0.0, self.impressions - other.impressions),
            max(0.0, self.clicks - other.clicks),
            max(0.0, self.conversions - other.conversions),
        )


@dataclass(frozen=True, slots=True)
class AdCounts:
    """
    Results of one ad, by slot id. A slot where it may run but was not shown yet is listed with zero counts, so that the
    rate of other ads there applies to it too. An ad with results only from a good slot is not better than others in a
    bad one.
    """

    ad_id: str
    format: Format
    by_slot: Mapping[str, Counts]


@dataclass(frozen=True, slots=True)
class VarianceEstimates:
    """
    How far rates differ, as squared coefficients of variation: between campaigns in the same slots, between ads of a
    campaign, and between slots of an ad beyond the differences that hold for all ads.
    """

    campaigns: float
    ads: float
    slots: float


USUAL_SPREADS = VarianceEstimates(0.15, 0.2, 0.02)
"""
Values before anything is learned: campaigns differ by some 40 %, their ads by 45 %, an ad between slots by 14 %. They
have the usual order of magnitude; we may change them.
"""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """
    Results of all ads of an environment, each passed through `shrink_to_parent`: by format, and by format and slot; and
    how far click rates of a format differ (`USUAL_SPREADS` for a missing format).
    """

    formats: Mapping[Format, Counts]
    slots: Mapping[tuple[Format, str], Counts]
    spreads: Mapping[Format, VarianceEstimates] = field(default_factory=dict)


def shrink_to_parent(counts: Counts) -> Counts:
    """
    Returns the part of an ad's counts in a slot that enters the levels above:
    its rates, at most with a prior's weight.
    """
    if counts.impressions <= CLICK_STRENGTH:
        return counts
    share = CLICK_STRENGTH / counts.impressions
    return Counts(CLICK_STRENGTH, counts.clicks * share, counts.conversions * share)


def levels_of(ads: Iterable[AdCounts]) -> Hierarchy:
    formats: dict[Format, Counts] = {}
    slots: dict[tuple[Format, str], Counts] = {}
    for ad in ads:
        for slot_id, counts in ad.by_slot.items():
            place = (ad.format, slot_id)
            weighed = shrink_to_parent(counts)
            formats[ad.format] = formats.get(ad.format, Counts()) + weighed
            slots[place] = slots.get(place, Counts()) + weighed
    return Hierarchy(formats, slots)


def faded(counts: Counts, age_s: float, half_life_s: float) -> Counts:
    """
    Returns the weight of *counts* after *age_s*: they halve with each half-life. Large counts lose more, because drift
    makes them outdated earlier.

    A rate walks by `DRIFT_A_DAY`. So the squared coefficient of variation 1 / a, of an estimate from a events, grows by
    the square of that each day (West and Harrison, Bayesian Forecasting and Dynamic Models, 1997, 2.3: the local
    level). This gives da/dt = -λ a - q² a², and the code is its solution. The result does not depend on the number of
    steps.
    """
    share = 0.5 ** (max(0.0, age_s) / half_life_s)
    known = counts.clicks + counts.impressions / CLICK_STRENGTH
    share /= 1 + known * DRIFT_A_SECOND * half_life_s / log(2) * (1 - share)
    return Counts(counts.impressions * share, counts.clicks * share, counts.conversions * share)


def mean_of(prior: float, strength: float, trials: float, successes: float) -> float:
    """Returns the posterior's mean; never above 1, though an order may arrive without a click."""
    return min(1.0, (successes + strength * prior) / (trials + strength))


def changed_materially(before: AdRates | None, after: AdRates, ad_format: Format) -> bool:
    """
    Whether edges that have *before* should receive *after*: a mean changed by 2 %, a strength by a quarter, or the list
    of slots changed. None for *before*: they have no rates of the ad and use `prior_rates`.
    """
    known = before or AdRates(after.id, *prior_rates(ad_format))
    if [one.slot_id for one in known.by_slot] != [one.slot_id for one in after.by_slot]:
        return True
    pairs = [(known.clicks, after.clicks), (known.conversions, after.conversions)]
    for old, new in zip(known.by_slot, after.by_slot, strict=True):
        pairs += [(old.clicks, new.clicks), (old.conversions, new.conversions)]
    return any(
        abs(new.ppm - old.ppm) > _MEAN_STEP * old.ppm
        or abs(new.strength - old.strength) > _STRENGTH_STEP * old.strength
        for old, new in pairs
    )
