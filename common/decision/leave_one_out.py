"""Leave-one-out evidence: an ad's results against the rate of all other ads in the same slots."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

from common.decision.rules.hierarchical_rates import (
    CLICK_STRENGTH,
    CONVERSION_STRENGTH,
    PPM,
    AdCounts,
    Counts,
    Hierarchy,
    VarianceEstimates,
    mean_of,
    prior_rates,
    shrink_to_parent,
)
from common.values.enums import Format

TrialsSuccesses = tuple[float, float]
"""Trials and successes."""
_NONE = Counts()


@dataclass(frozen=True, slots=True)
class RateKind:
    """One kind of rate and its trials. ``strength``: the trials that a level's prior weighs as much as."""

    strength: int
    prior: Callable[[Format], float]
    tried: Callable[[Counts], TrialsSuccesses]


CLICKS = RateKind(
    CLICK_STRENGTH,
    lambda ad_format: prior_rates(ad_format)[0].ppm / PPM,
    attrgetter("impressions", "clicks"),
)
CONVERSIONS = RateKind(
    CONVERSION_STRENGTH,
    lambda ad_format: prior_rates(ad_format)[1].ppm / PPM,
    attrgetter("clicks", "conversions"),
)


@dataclass(slots=True)
class SlotEvidence:
    """
    One ad's evidence in one slot.

    ``baseline_rate``: the mean rate of other ads there; ``cv_squared``: its squared coefficient of variation.
    ``expected``: successes if the ad had that rate. ``shrinkage``: how much this slot's results imply for the ad in
    other slots. It is 1 / (1 + expected · (how far slots differ + cv_squared)): the precision left after effects of
    this slot alone.
    """

    slot_id: str
    successes: float
    baseline_rate: float
    cv_squared: float
    expected: float
    shrinkage: float


@dataclass(slots=True)
class AdEvidence:
    """
    Evidence of one ad. ``usual`` and ``doubt`` cover the slots in which it ran, or all slots
    where it ran in none.
    """

    slots: list[SlotEvidence]
    baseline_rate: float
    cv_squared: float
    successes: float
    expected: float


def gather_evidence(
    kind: RateKind, levels: Hierarchy, ad: AdCounts, spreads: VarianceEstimates
) -> AdEvidence:
    """*spreads*: how far ads of its format differ."""
    strength, tried = kind.strength, kind.tried
    weighed = {slot_id: tried(shrink_to_parent(counts)) for slot_id, counts in ad.by_slot.items()}
    own = sum([one[0] for one in weighed.values()]), sum([one[1] for one in weighed.values()])
    level = tried(levels.formats.get(ad.format, _NONE))
    anywhere, cv_squared = _others(level, own, kind.prior(ad.format), strength)
    slots = []
    for slot_id, counts in ad.by_slot.items():
        trials, successes = tried(counts)
        there = tried(levels.slots.get((ad.format, slot_id), _NONE))
        baseline_rate, slot_cv_squared = _others(there, weighed[slot_id], anywhere, strength)
        expected = trials * baseline_rate
        shrinkage = 1 / (1 + expected * (spreads.slots + slot_cv_squared))
        slots.append(
            SlotEvidence(slot_id, successes, baseline_rate, slot_cv_squared, expected, shrinkage)
        )
    return _together(
        slots, sum([tried(one)[0] for one in ad.by_slot.values()]), anywhere, cv_squared
    )


def _together(
    slots: list[SlotEvidence], trials: float, anywhere: float, cv_squared: float
) -> AdEvidence:
    successes = sum([one.successes for one in slots])
    expected = sum([one.expected for one in slots])
    if trials:
        cv_squared = sum([one.expected * one.cv_squared for one in slots]) / expected
    return AdEvidence(
        slots, expected / trials if trials else anywhere, cv_squared, successes, expected
    )


def _others(
    level: TrialsSuccesses, own: TrialsSuccesses, prior: float, strength: int
) -> tuple[float, float]:
    """
    Returns mean and squared coefficient of variation of a level without the ad's own counts. The latter is 1 / the
    known events of the level.

    Sums of fractions leave rounding errors, so counts are clamped at zero.
    """
    trials, successes = max(0.0, level[0] - own[0]), max(0.0, level[1] - own[1])
    return mean_of(prior, strength, trials, successes), 1 / (strength * prior + successes)
