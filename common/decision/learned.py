"""Rates of a campaign's ads from what they and all others met: down the hierarchy of `common.decision.rates`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import attrgetter

from common.decision.rates import (
    CLICK_STRENGTH,
    CONVERSION_STRENGTH,
    PPM,
    AdCounts,
    Counts,
    Levels,
    levelled,
    mean_of,
    prior_rates,
)
from common.snapshot.model import AdRates, Rate, SlotRates
from common.vocabulary import Format

MOST_SLOTS = 20
"""Slots of one ad with rates of their own, those it was shown in most."""
_NONE = Counts()
_DUST = 1e-6
"""What a difference of sums of fractions may leave of nothing."""
_APART = 0.1
"""A slot's rates are told where one is at least so far from the ad's in all slots."""


Tried = tuple[float, float]
"""Trials and successes."""


@dataclass(frozen=True, slots=True)
class _Kind:
    strength: int
    prior: Callable[[Format], float]
    tried: Callable[[Counts], Tried]


_CLICKS = _Kind(
    CLICK_STRENGTH,
    lambda ad_format: prior_rates(ad_format)[0].ppm / PPM,
    attrgetter("impressions", "clicks"),
)
_CONVERSIONS = _Kind(
    CONVERSION_STRENGTH,
    lambda ad_format: prior_rates(ad_format)[1].ppm / PPM,
    attrgetter("clicks", "conversions"),
)


def learned_rates(levels: Levels, ads: Sequence[AdCounts]) -> list[AdRates]:
    """In the order of *ads*, which are all of one campaign and counted in *levels*. Some 20 µs an ad and slot."""
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


@dataclass(slots=True)
class _Learned:
    overall: Rate
    by_slot: dict[str, Rate]


@dataclass(slots=True)
class _Met:
    """``slots``: slot id, trials, successes, and the mean of what other ads do there."""

    slots: list[tuple[str, float, float, float]]
    trials: float
    successes: float
    expected: float
    """Successes if the ad did as others do where it ran."""
    usual: float
    """What others do where it ran; anywhere, where it did not run."""


def _learn(kind: _Kind, levels: Levels, ads: Sequence[AdCounts]) -> list[_Learned]:
    """For its siblings too an ad weighs at most as much as a prior."""
    all_met = [_meet(kind, levels, ad) for ad in ads]
    shares = [min(1.0, kind.strength / met.trials) if met.trials else 0.0 for met in all_met]
    weighed = list(zip(all_met, shares, strict=True))
    trials = sum([met.trials * share for met, share in weighed])
    successes = sum([met.successes * share for met, share in weighed])
    expected = sum([met.expected * share for met, share in weighed])
    return [
        _learn_ad(
            kind,
            met,
            _lift(
                kind.strength,
                trials - met.trials * share,
                successes - met.successes * share,
                expected - met.expected * share,
            ),
        )
        for met, share in weighed
    ]


def _meet(kind: _Kind, levels: Levels, ad: AdCounts) -> _Met:
    """What *ad* met, and what others meet where it ran: its own counts are left out of theirs."""
    strength, tried, own_format = kind.strength, kind.tried, ad.format
    by_slot = [(slot_id, counts, tried(levelled(counts))) for slot_id, counts in ad.by_slot.items()]
    own = sum([one[0] for _, _, one in by_slot]), sum([one[1] for _, _, one in by_slot])
    level = tried(levels.formats.get(own_format, _NONE))
    anywhere = _mean_without(level, own, kind.prior(own_format), strength)
    all_trials = all_successes = expected = 0.0
    slots = []
    for slot_id, counts, weighed in by_slot:
        trials, successes = tried(counts)
        there = tried(levels.slots.get((own_format, slot_id), _NONE))
        usual = _mean_without(there, weighed, anywhere, strength)
        all_trials += trials
        all_successes += successes
        expected += trials * usual
        slots.append((slot_id, trials, successes, usual))
    usual = expected / all_trials if all_trials else anywhere
    return _Met(slots, all_trials, all_successes, expected, usual)


def _mean_without(level: Tried, own: Tried, prior: float, strength: int) -> float:
    """A level's mean, without what is of the ad itself; sums of fractions leave dust, hence never below nothing."""
    others, theirs = level[0] - own[0], level[1] - own[1]
    return mean_of(prior, strength, others if others > 0 else 0.0, theirs if theirs > 0 else 0.0)


def _learn_ad(kind: _Kind, met: _Met, siblings: float) -> _Learned:
    """*siblings*: how many times what was expected the campaign's other ads brought."""
    overall = _posterior(kind, siblings * met.usual, met.trials, met.successes)
    by_slot = {}
    for slot_id, trials, successes, usual in met.slots:
        here = siblings * usual
        elsewhere = _lift(
            kind.strength,
            met.trials - trials,
            met.successes - successes,
            siblings * met.expected - trials * here,
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
        if _is_apart(clicks, slot_id) or _is_apart_by_more_than_chance(conversions, slot_id)
    ]
    apart.sort(key=lambda one: (-ad.by_slot[one.slot_id].impressions, one.slot_id))
    return tuple(sorted(apart[:MOST_SLOTS], key=lambda one: one.slot_id))


def _is_apart(learned: _Learned, slot_id: str) -> bool:
    here, overall = learned.by_slot[slot_id].ppm, learned.overall.ppm
    return abs(here - overall) > _APART * overall


def _is_apart_by_more_than_chance(learned: _Learned, slot_id: str) -> bool:
    """Conversions are few: a standard deviation of what the ad's usual rate gives there says nothing."""
    here, usual = learned.by_slot[slot_id], learned.overall.ppm / PPM
    chance = sqrt(usual * (1 - usual) / here.strength)
    return _is_apart(learned, slot_id) and abs(here.ppm / PPM - usual) > chance
