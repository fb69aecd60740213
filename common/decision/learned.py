"""Rates of a campaign's ads from what they and all others met: down the hierarchy of `common.decision.rates`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from common.decision.rates import (
    CLICK_STRENGTH,
    CONVERSION_STRENGTH,
    PPM,
    AdCounts,
    Counts,
    Levels,
    mean_of,
    prior_rates,
)
from common.snapshot.model import AdRates, Rate, SlotRates
from common.vocabulary import Format

SLOT_IMPRESSIONS = CLICK_STRENGTH
"""From so many on a slot has rates of its own: there its ad's own counts weigh as much as its prior."""
MOST_SLOTS = 50
"""Slots of one ad with rates of their own, those it was shown in most."""
_DUST = 1e-6
"""What a difference of sums of fractions may leave of nothing."""
_APART = 0.02
"""A slot's rates are told where one is at least so far from the ad's in all slots."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """``tried``: trials and successes in counts."""

    strength: int
    prior: Callable[[Format], float]
    tried: Callable[[Counts], tuple[float, float]]


_CLICKS = _Kind(
    CLICK_STRENGTH,
    lambda ad_format: prior_rates(ad_format)[0].ppm / PPM,
    lambda counts: (counts.impressions, counts.clicks),
)
_CONVERSIONS = _Kind(
    CONVERSION_STRENGTH,
    lambda ad_format: prior_rates(ad_format)[1].ppm / PPM,
    lambda counts: (counts.clicks, counts.conversions),
)


def learned_rates(levels: Levels, ads: Sequence[AdCounts]) -> list[AdRates]:
    """In the order of *ads*, which are all of one campaign and counted in *levels*."""
    clicks, conversions = _learn(_CLICKS, levels, ads), _learn(_CONVERSIONS, levels, ads)
    return [
        AdRates(
            ad.ad_id,
            click.overall,
            conversion.overall,
            _told_apart(ad, click, conversion),
        )
        for ad, click, conversion in zip(ads, clicks, conversions, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Learned:
    overall: Rate
    by_slot: dict[str, Rate]


@dataclass(frozen=True, slots=True)
class _Expected:
    """``usual``: by slot, what other ads do there; ``anywhere``: what other ads of the format do."""

    usual: dict[str, float]
    anywhere: float
    trials: float
    successes: float
    expected: float
    """Successes if the ad did as others do."""


def _learn(kind: _Kind, levels: Levels, ads: Sequence[AdCounts]) -> list[_Learned]:
    views = [_expect(kind, levels, ad) for ad in ads]
    trials = sum(view.trials for view in views)
    successes = sum(view.successes for view in views)
    expected = sum(view.expected for view in views)
    learned = []
    for ad, view in zip(ads, views, strict=True):
        siblings = _lift(
            kind.strength,
            trials - view.trials,
            successes - view.successes,
            expected - view.expected,
        )
        learned.append(_learn_ad(kind, ad, view, siblings))
    return learned


def _expect(kind: _Kind, levels: Levels, ad: AdCounts) -> _Expected:
    """What others do where *ad* ran, its own counts left out."""
    own = sum(ad.by_slot.values(), Counts())
    met = levels.formats.get(ad.format, Counts()) - own
    anywhere = mean_of(kind.prior(ad.format), kind.strength, *kind.tried(met))
    usual = {
        slot_id: mean_of(
            anywhere,
            kind.strength,
            *kind.tried(levels.slots.get((ad.format, slot_id), Counts()) - counts),
        )
        for slot_id, counts in ad.by_slot.items()
    }
    expected = sum(kind.tried(counts)[0] * usual[slot_id] for slot_id, counts in ad.by_slot.items())
    return _Expected(usual, anywhere, *kind.tried(own), expected)


def _learn_ad(kind: _Kind, ad: AdCounts, view: _Expected, siblings: float) -> _Learned:
    usual = view.expected / view.trials if view.trials else view.anywhere
    overall = _posterior(kind, siblings * usual, view.trials, view.successes)
    by_slot = {}
    for slot_id, counts in ad.by_slot.items():
        if counts.impressions < SLOT_IMPRESSIONS:
            continue
        trials, successes = kind.tried(counts)
        here = siblings * view.usual[slot_id]
        elsewhere = _lift(
            kind.strength,
            view.trials - trials,
            view.successes - successes,
            siblings * (view.expected - trials * view.usual[slot_id]),
        )
        by_slot[slot_id] = _posterior(kind, elsewhere * here, trials, successes)
    return _Learned(overall, by_slot)


def _lift(strength: float, trials: float, successes: float, expected: float) -> float:
    """How many times what was expected came, a prior of as expected weighing *strength* trials."""
    if trials < _DUST or expected <= 0:
        return 1.0
    usual = expected / trials
    return (max(0.0, successes) + strength * usual) / (expected + strength * usual)


def _posterior(kind: _Kind, prior: float, trials: float, successes: float) -> Rate:
    mean = mean_of(min(1.0, prior), kind.strength, trials, successes)
    return Rate(max(1, round(mean * PPM)), round(kind.strength + trials))


def _told_apart(ad: AdCounts, clicks: _Learned, conversions: _Learned) -> tuple[SlotRates, ...]:
    apart = [
        SlotRates(slot_id, clicks.by_slot[slot_id], conversions.by_slot[slot_id])
        for slot_id in clicks.by_slot
        if _is_apart(clicks, slot_id) or _is_apart(conversions, slot_id)
    ]
    apart.sort(key=lambda one: (-ad.by_slot[one.slot_id].impressions, one.slot_id))
    return tuple(sorted(apart[:MOST_SLOTS], key=lambda one: one.slot_id))


def _is_apart(learned: _Learned, slot_id: str) -> bool:
    """By more than chance alone often makes it: a standard deviation of what the ad's usual rate gives there."""
    here, usual = learned.by_slot[slot_id], learned.overall.ppm / PPM
    chance = sqrt(usual * (1 - usual) / here.strength)
    return abs(here.ppm / PPM - usual) > max(_APART * usual, chance)
