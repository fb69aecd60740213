"""Runs a market with the edge's own deciding, and learns after each simulated half hour as the learning job does."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from common.decision.between_ad_variance import spreads_of
from common.decision.decide import decide
from common.decision.posterior_rates import learned_rates
from common.decision.rules.gates import Gates, Ranking
from common.decision.rules.hierarchical_rates import (
    AdCounts,
    Counts,
    changed_materially,
    faded,
    levels_of,
)
from common.decision.rules.outcome import Fill
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange
from common.snapshot.model import TYPE_OF, SnapshotObject
from common.snapshot.snapshot import Snapshot, apply_entries, build_snapshot
from common.values.environment import Environment
from loadtests.bench.market_world import Market

HALF_LIFE_S = 604_800.0
PARTS_A_DAY = 12
STEP_S = 1800
"""Seconds between two learning steps: thirty times the default, to keep a run short; it favours no ranking."""
_STEPS_A_DAY = 86_400 // STEP_S
_START_MS = 1_800_000_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    ads: int
    opportunities: int
    days: int
    seed: int = 7


@dataclass(slots=True)
class RunResult:
    """The course of a ranking: expected revenue in micros by part of a day, and the oracle's revenue."""

    ranking: Ranking
    earned: list[float] = field(default_factory=list)
    best: list[float] = field(default_factory=list)
    told: int = 0
    """Rates that had moved and were published."""

    @property
    def hours(self) -> float:
        return len(self.best) * 24 / PARTS_A_DAY

    def share_after_first_day(self) -> float:
        """Share of the oracle's revenue."""
        return sum(self.earned[PARTS_A_DAY:]) / sum(self.best[PARTS_A_DAY:])

    def share_of_day(self, day: int) -> float:
        parts = slice(day * PARTS_A_DAY, (day + 1) * PARTS_A_DAY)
        return sum(self.earned[parts]) / sum(self.best[parts])

    def regret_micros(self, parts: int) -> float:
        """How much more the oracle earned in the first *parts*."""
        return sum(self.best[:parts]) - sum(self.earned[:parts])


def run(plan: Plan, ranking: Ranking) -> RunResult:
    """
    Revenue is the expected revenue of the chosen ads by their true rates, which excludes luck with clicks. Learning
    uses clicks drawn by these rates.
    """
    market = Market(plan.seed)
    world = _World(build_snapshot(Environment.LIVE, "market", 1, market.open(plan.ads)))
    course, rng = RunResult(ranking), random.Random(plan.seed)
    steps = plan.days * _STEPS_A_DAY
    for step in range(steps):
        if step and step % _STEPS_A_DAY == 0:
            world.take(market.next_day())
        if step % (_STEPS_A_DAY // PARTS_A_DAY) == 0:
            best = [market.best_worth(slot) for slot in range(len(market.slots))]
            course.earned.append(0.0)
            course.best.append(0.0)
        requested = plan.opportunities * (step + 1) // steps - plan.opportunities * step // steps
        _serve(world, market, course, rng, best, requested, step)
        course.told += world.absorb(market)
    return course


def _serve(  # noqa: PLR0917 - one step of one course
    world: "_World",
    market: Market,
    course: RunResult,
    rng: random.Random,
    best: Sequence[float],
    requested: int,
    step: int,
) -> None:
    gates, now_ms = Gates(ranking=course.ranking), _START_MS + step * STEP_S * 1000
    opportunities = market.opportunities()
    for _ in range(requested):
        slot = rng.randrange(len(opportunities))
        seed = rng.getrandbits(64)
        decision = decide(world.snapshot, opportunities[slot], gates, now_ms, seed)
        if not isinstance(decision, Fill):
            raise TypeError(f"the market is never empty: {decision}")
        ad_id = decision.ad.id
        course.earned[-1] += market.worth(ad_id, slot)
        course.best[-1] += best[slot]
        clicked = rng.random() < market.true_rate(ad_id, slot)
        world.count(ad_id, market.slots[slot].id, clicked=clicked)


class _World:
    """The snapshot, and the counts of its ads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._counts: dict[str, dict[str, Counts]] = {}
        self._new: dict[tuple[str, str], list[int]] = {}

    def count(self, ad_id: str, slot_id: str, *, clicked: bool) -> None:
        counts = self._new.setdefault((ad_id, slot_id), [0, 0])
        counts[0] += 1
        counts[1] += clicked

    def absorb(self, market: Market) -> int:
        """Learns the rates; returns how many had moved."""
        self._fade_and_absorb()
        nowhere = {slot.id: Counts() for slot in market.slots}
        ads = {
            ad_id: AdCounts(ad_id, one.ad.format, nowhere | self._counts.get(ad_id, {}))
            for ad_id, one in market.ads.items()
        }
        campaigns = [
            [ads[ad.id] for ad in self.snapshot.ads_by_campaign[campaign_id]]
            for campaign_id in self.snapshot.campaigns
        ]
        levels = levels_of(ads.values())
        levels = replace(levels, spreads=spreads_of(levels, campaigns))
        moved: list[SnapshotObject] = []
        for own in campaigns:
            for ad, rates in zip(own, learned_rates(levels, own), strict=True):
                if changed_materially(self.snapshot.rates.get(ad.ad_id), rates, ad.format):
                    moved.append(rates)
        self.take(moved)
        return len(moved)

    def take(self, objects: Sequence[SnapshotObject]) -> None:
        """Applies *objects* as a delta, as an edge does."""
        if objects:
            entries = [
                ObjectChange(TYPE_OF[type(one)], one.id, encode_object(one)) for one in objects
            ]
            self.snapshot = apply_entries(self.snapshot, self.snapshot.version + 1, entries)

    def _fade_and_absorb(self) -> None:
        for entry in self._counts.values():
            for slot_id, counts in entry.items():
                entry[slot_id] = faded(counts, STEP_S, HALF_LIFE_S)
        for (ad_id, slot_id), (impressions, clicks) in self._new.items():
            entry = self._counts.setdefault(ad_id, {})
            entry[slot_id] = entry.get(slot_id, Counts()) + Counts(impressions, clicks)
        self._new = {}
