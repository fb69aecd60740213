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

from common.decision.leave_one_out import CLICKS, CONVERSIONS, AdEvidence, RateKind, meet
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
_APART = 0.1
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
            _told_apart(ad, click, conversion),
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
    all_met = [meet(kind, levels, ad, own) for ad, own in zip(ads, spreads, strict=True)]
    said = [_said(met) for met in all_met]
    shares = [1 / (1 + one[1] * own.ads) for one, own in zip(said, spreads, strict=True)]
    came = [one[0] * share for one, share in zip(said, shares, strict=True)]
    expected = [one[1] * share for one, share in zip(said, shares, strict=True)]
    all_came, all_expected = sum(came), sum(expected)
    return [
        _learn_ad(
            met,
            own,
            _factor((1.0, own.campaigns), (all_came - came[n], all_expected - expected[n])),
            said[n],
        )
        for n, (met, own) in enumerate(zip(all_met, spreads, strict=True))
    ]


def _said(met: AdEvidence) -> _Evidence:
    """Returns the part of an ad's evidence that applies to other slots."""
    return (
        sum([one.says * one.successes for one in met.slots]),
        sum([one.says * one.expected for one in met.slots]),
    )


def _factor(prior: _Factor, met: _Evidence) -> _Factor:
    """Returns the posterior of a factor. Sums of fractions leave rounding errors, so evidence is clamped at zero."""
    mean, doubt = prior
    shape = 1 / doubt + max(0.0, met[0])
    return shape / (1 / (doubt * mean) + max(0.0, met[1])), 1 / shape


def _learn_ad(
    met: AdEvidence, spreads: VarianceEstimates, siblings: _Factor, said: _Evidence
) -> _Learned:
    """*siblings*: the campaign's factor as its other ads imply it."""
    mean, doubt = siblings[0], siblings[1] + spreads.ads
    overall = _posterior(met.usual, (mean, doubt + met.doubt), (met.successes, met.expected))
    by_slot = {}
    for one in met.slots:
        elsewhere = (
            said[0] - one.says * one.successes,
            said[1] - one.says * one.expected,
        )
        prior, unknown = _factor((mean, doubt), elsewhere)
        by_slot[one.slot_id] = _posterior(
            one.usual,
            (prior, unknown + spreads.slots + one.doubt),
            (one.successes, one.expected),
        )
    return _Learned(overall, by_slot)


def _posterior(usual: float, prior: _Factor, met: _Evidence) -> Rate:
    factor, doubt = _factor(prior, met)
    mean = min(1.0, usual * factor)
    return Rate(max(1, round(mean * PPM)), max(1, round(1 / (doubt * mean))))


def _told_apart(ad: AdCounts, clicks: _Learned, conversions: _Learned) -> tuple[SlotRates, ...]:
    apart = [
        SlotRates(slot_id, clicks.by_slot[slot_id], conversions.by_slot[slot_id])
        for slot_id in clicks.by_slot
        if _is_apart(clicks, slot_id) or _is_apart_by_more_than_chance(conversions, slot_id)
    ]
    apart.sort(key=lambda one: (-ad.by_slot[one.slot_id].impressions, one.slot_id))
    return tuple(sorted(apart[:MAX_SLOTS], key=lambda one: one.slot_id))


def _is_apart(learned: _Learned, slot_id: str) -> bool:
    here, overall = learned.by_slot[slot_id].ppm, learned.overall.ppm
    return abs(here - overall) > _APART * overall


def _is_apart_by_more_than_chance(learned: _Learned, slot_id: str) -> bool:
    """Conversions are rare, so a difference within one standard deviation of the ad's usual rate there is ignored."""
    here, usual = learned.by_slot[slot_id], learned.overall.ppm / PPM
    chance = sqrt(usual * (1 - usual) / here.strength)
    return _is_apart(learned, slot_id) and abs(here.ppm / PPM - usual) > chance
