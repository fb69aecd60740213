"""
Rates of a campaign's ads from what they and all others met: down the hierarchy of
`common.decision.rules.hierarchical_rates`.

What an ad does is its slot's rate times a factor of its own, and that, events being Poisson and factors Gamma, has the
posterior Gamma(k + y, k / prior + E) of y events where E were expected (Clayton and Kaldor, 1987): k = 1 / the prior's
squared coefficient of variation, which is what is not known of the level above and how far its members differ.
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
"""Slots of one ad with rates of their own, those it was shown in most."""
_APART = 0.1
"""A slot's rates are told where one is at least so far from the ad's in all slots."""


def learned_rates(levels: Hierarchy, ads: Sequence[AdCounts]) -> list[AdRates]:
    """In the order of *ads*, which are all of one campaign and counted in *levels*. Some 20 µs an ad and slot."""
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
"""Events, and events expected."""
_Factor = tuple[float, float]
"""How many times what was expected, and the squared coefficient of variation of that."""


def _learn(
    kind: RateKind, levels: Hierarchy, ads: Sequence[AdCounts], spreads: Sequence[VarianceEstimates]
) -> list[_Learned]:
    """For its siblings an ad says what is left when its own factor is taken out: less than 1 / how far ads differ."""
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
    """What an ad met that tells of it in other slots."""
    return (
        sum([one.says * one.successes for one in met.slots]),
        sum([one.says * one.expected for one in met.slots]),
    )


def _factor(prior: _Factor, met: _Evidence) -> _Factor:
    """The posterior of a factor; sums of fractions leave dust, hence never below nothing."""
    mean, doubt = prior
    shape = 1 / doubt + max(0.0, met[0])
    return shape / (1 / (doubt * mean) + max(0.0, met[1])), 1 / shape


def _learn_ad(
    met: AdEvidence, spreads: VarianceEstimates, siblings: _Factor, said: _Evidence
) -> _Learned:
    """*siblings*: the factor of its campaign, as its other ads know it."""
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
    """Conversions are few: a standard deviation of what the ad's usual rate gives there says nothing."""
    here, usual = learned.by_slot[slot_id], learned.overall.ppm / PPM
    chance = sqrt(usual * (1 - usual) / here.strength)
    return _is_apart(learned, slot_id) and abs(here.ppm / PPM - usual) > chance
