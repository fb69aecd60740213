"""
How often an ad is clicked and converts: posteriors of valid events, each with the level above it as its prior.

    format: the mean written here, and what ads of the format met anywhere
    slot:   its format's mean, and what ads of the format met in the slot
    campaign, ad, ad in a slot: the factor of the level above, and what came of it beside what its slots let expect

A level's mean of strength k weighs as much as k trials: (successes + k · prior) / (trials + k) (conjugate prior of a
binomial: Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4; shrinkage to the level above: 5.3). A factor is trusted
by how far factors of its level were found to differ (`VarianceEstimates`). What an ad met itself is left out of the
levels above it, so that nothing counts twice. In a level an ad weighs at most as much as a prior: a level says what
ads are like, not what the ones are like that are shown most.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from common.snapshot.model import AdRates, Rate
from common.values.enums import Format

CLICK_STRENGTH = 500
"""Impressions a prior click rate weighs as much as."""
CONVERSION_STRENGTH = 50
"""Clicks a prior conversion rate weighs as much as: half an event, like 500 impressions at 0.1 %."""
DRIFT_A_DAY = 0.06
"""How far a rate is taken to walk in a day, as a share of it: ads wear out, pages and readers change."""
DRIFT_A_SECOND = DRIFT_A_DAY**2 / 86_400
PPM = 1_000_000
_MEAN_STEP = 0.02
_STRENGTH_STEP = 0.25

_CLICKS_PPM: dict[Format, int] = {Format.NATIVE: 2_000, Format.VIDEO: 2_000, Format.AUDIO: 500}
_CLICKS_PPM_ELSE = 1_000
_CONVERSIONS_PER_CLICK_PPM = 10_000


def prior_clicks_ppm(ad_format: Format) -> int:
    """
    Clicks expected of a million impressions before anything is learned: 0.1 % for banner, html and email,
    0.2 % for native and video, 0.05 % for audio. Priors of the usual order of magnitude, ours to change.
    """
    return _CLICKS_PPM.get(ad_format, _CLICKS_PPM_ELSE)


@lru_cache(maxsize=len(Format))
def prior_rates(ad_format: Format) -> tuple[Rate, Rate]:
    """Clicks an impression and conversions a click of an ad of which, and around which, nothing was learned."""
    return (
        Rate(prior_clicks_ppm(ad_format), CLICK_STRENGTH),
        Rate(_CONVERSIONS_PER_CLICK_PPM, CONVERSION_STRENGTH),
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """Valid events, older ones counting less: no whole numbers."""

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
        """Never below nothing: sums of fractions leave dust."""
        return Counts(
            max(0.0, self.impressions - other.impressions),
            max(0.0, self.clicks - other.clicks),
            max(0.0, self.conversions - other.conversions),
        )


@dataclass(frozen=True, slots=True)
class AdCounts:
    """
    What one ad met, by slot id. A slot in which it may run and was not shown yet stands there with nothing, so that
    what others meet there is told of it too: an ad known from a good slot is not better than others in a bad one.
    """

    ad_id: str
    format: Format
    by_slot: Mapping[str, Counts]


@dataclass(frozen=True, slots=True)
class VarianceEstimates:
    """
    How far rates differ, as squared coefficients of variation: between campaigns in the same slots, between ads of a
    campaign, and between slots of an ad, where these differ otherwise than for all ads.
    """

    campaigns: float
    ads: float
    slots: float


USUAL_SPREADS = VarianceEstimates(0.15, 0.2, 0.02)
"""
Before it is known better: campaigns differ by some 40 %, their ads by 45 %, an ad between slots by 14 %. Of the usual
order of magnitude, ours to change.
"""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """
    What all ads of an environment met, each `shrink_to_parent`: by format, and by format and slot; and how far click
    rates of a format differ, as usual where nothing stands.
    """

    formats: Mapping[Format, Counts]
    slots: Mapping[tuple[Format, str], Counts]
    spreads: Mapping[Format, VarianceEstimates] = field(default_factory=dict)


def shrink_to_parent(counts: Counts) -> Counts:
    """What of an ad's counts in a slot goes into the levels above it: its rates, at the weight of a prior at most."""
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
    What *counts* still weigh after *age_s*: half after each half-life, and what is known well less, for it is outdated
    by drift before it is forgotten.

    Where a rate walks by `DRIFT_A_DAY`, the squared coefficient of variation 1 / a of a estimate that rests on a events
    grows by that squared each day (West and Harrison, Bayesian Forecasting and Dynamic Models, 1997, 2.3: the local
    level): da/dt = -λ a - q² a², of which this is the solution. So it does not matter in how many steps it is done.
    """
    share = 0.5 ** (max(0.0, age_s) / half_life_s)
    known = counts.clicks + counts.impressions / CLICK_STRENGTH
    share /= 1 + known * DRIFT_A_SECOND * half_life_s / log(2) * (1 - share)
    return Counts(counts.impressions * share, counts.clicks * share, counts.conversions * share)


def mean_of(prior: float, strength: float, trials: float, successes: float) -> float:
    """The posterior's mean; never above 1, though an order may come without a click."""
    return min(1.0, (successes + strength * prior) / (trials + strength))


def changed_materially(before: AdRates | None, after: AdRates, ad_format: Format) -> bool:
    """
    Whether *after* is worth telling edges that know *before*: a mean by 2 % or a strength by a quarter, or slots came
    or went. None: they know nothing of the ad, and take `prior_rates`.
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
