"""
Posterior rates of a campaign's ads, learned from the evidence of all ads down the hierarchy of
`common.decision.rules.hierarchical_rates`.

An ad's rate is its slot's rate times a factor of its own. Events are Poisson and factors are Gamma. The factor then has
the posterior Gamma(k + y, k / prior + E), for y events where E were expected (Clayton and Kaldor, 1987). k = 1 / the
prior's squared coefficient of variation. That coefficient combines the uncertainty of the level above and the spread of
its members.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from common.decision.leave_one_out import CLICKS, CONVERSIONS, AdEvidence, RateKind, gather_evidence
from common.decision.rules.hierarchical_rates import (
    PPM,
    USUAL_SPREADS,
    AdCounts,
    Hierarchy,
    VarianceEstimates,
)
from common.snapshot.model import AdRates, Rate, SlotRates

MAX_SLOTS = 20
"""Slots of one ad with rates of their own: those with most impressions."""
_MIN_DISTANCE = 0.1
"""A slot's rates are listed where one differs by at least this fraction from the ad's overall rate."""


def learned_rates(levels: Hierarchy, ads: Sequence[AdCounts]) -> list[AdRates]:
    """
    Returns rates in the order of *ads*, which all belong to one campaign and are counted in *levels*. Some 20 µs for
    each ad and slot.
    """
    spreads = [levels.spreads.get(ad.format, USUAL_SPREADS) for ad in ads]
    clicks = _learn(CLICKS, levels, ads, spreads)
    conversions = _learn(CONVERSIONS, levels, ads, [USUAL_SPREADS] * len(ads))
    return [
        AdRates(
            ad.ad_id,
            click.overall,
            conversion.overall,
            _distinguishable(ad, click, conversion),
        )
        for ad, click, conversion in zip(ads, clicks, conversions, strict=True)
    ]


@dataclass(slots=True)
class _Learned:
    overall: Rate
    by_slot: dict[str, Rate]


_Evidence = tuple[float, float]
"""Events, and expected events."""
_Factor = tuple[float, float]
"""Ratio to what was expected, and its squared coefficient of variation."""


def _learn(
    kind: RateKind, levels: Hierarchy, ads: Sequence[AdCounts], spreads: Sequence[VarianceEstimates]
) -> list[_Learned]:
    """
    Each ad is evidence for its siblings after its own factor is taken out. Its weight is less than 1 / the spread of
    ads.
    """
    all_evidence = [
        gather_evidence(kind, levels, ad, own) for ad, own in zip(ads, spreads, strict=True)
    ]
    summed = [_summed(evidence) for evidence in all_evidence]
    shares = [1 / (1 + one[1] * own.ads) for one, own in zip(summed, spreads, strict=True)]
    came = [one[0] * share for one, share in zip(summed, shares, strict=True)]
    expected = [one[1] * share for one, share in zip(summed, shares, strict=True)]
    all_came, all_expected = sum(came), sum(expected)
    return [
        _learn_ad(
            evidence,
            own,
            _factor((1.0, own.campaigns), (all_came - came[n], all_expected - expected[n])),
            summed[n],
        )
        for n, (evidence, own) in enumerate(zip(all_evidence, spreads, strict=True))
    ]


def _summed(evidence: AdEvidence) -> _Evidence:
    """Returns the part of an ad's evidence that applies to other slots."""
    return (
        sum([one.shrinkage * one.successes for one in evidence.slots]),
        sum([one.shrinkage * one.expected for one in evidence.slots]),
    )


def _factor(prior: _Factor, evidence: _Evidence) -> _Factor:
    """Returns the posterior of a factor. Sums of fractions leave rounding errors, so evidence is clamped at zero."""
    mean, cv_squared = prior
    shape = 1 / cv_squared + max(0.0, evidence[0])
    return shape / (1 / (cv_squared * mean) + max(0.0, evidence[1])), 1 / shape


def _learn_ad(
    evidence: AdEvidence, spreads: VarianceEstimates, siblings: _Factor, summed: _Evidence
) -> _Learned:
    """*siblings*: the campaign's factor as its other ads imply it."""
    mean, cv_squared = siblings[0], siblings[1] + spreads.ads
    overall = _posterior(
        evidence.baseline_rate,
        (mean, cv_squared + evidence.cv_squared),
        (evidence.successes, evidence.expected),
    )
    by_slot = {}
    for one in evidence.slots:
        elsewhere = (
            summed[0] - one.shrinkage * one.successes,
            summed[1] - one.shrinkage * one.expected,
        )
        prior, unknown = _factor((mean, cv_squared), elsewhere)
        by_slot[one.slot_id] = _posterior(
            one.baseline_rate,
            (prior, unknown + spreads.slots + one.cv_squared),
            (one.successes, one.expected),
        )
    return _Learned(overall, by_slot)


def _posterior(baseline_rate: float, prior: _Factor, evidence: _Evidence) -> Rate:
    factor, cv_squared = _factor(prior, evidence)
    mean = min(1.0, baseline_rate * factor)
    return Rate(max(1, round(mean * PPM)), max(1, round(1 / (cv_squared * mean))))


def _distinguishable(
    ad: AdCounts, clicks: _Learned, conversions: _Learned
) -> tuple[SlotRates, ...]:
    distinct = [
        SlotRates(slot_id, clicks.by_slot[slot_id], conversions.by_slot[slot_id])
        for slot_id in clicks.by_slot
        if _is_distinct(clicks, slot_id) or _differs_significantly(conversions, slot_id)
    ]
    distinct.sort(key=lambda one: (-ad.by_slot[one.slot_id].impressions, one.slot_id))
    return tuple(sorted(distinct[:MAX_SLOTS], key=lambda one: one.slot_id))


def _is_distinct(learned: _Learned, slot_id: str) -> bool:
    here, overall = learned.by_slot[slot_id].ppm, learned.overall.ppm
    return abs(here - overall) > _MIN_DISTANCE * overall


def _differs_significantly(learned: _Learned, slot_id: str) -> bool:
    """Conversions are rare, so a difference within one standard deviation of the ad's usual rate there is ignored."""
    here, overall_rate = learned.by_slot[slot_id], learned.overall.ppm / PPM
    deviation = sqrt(overall_rate * (1 - overall_rate) / here.strength)
    return _is_distinct(learned, slot_id) and abs(here.ppm / PPM - overall_rate) > deviation
