"""How far rates differ is estimated from counts alone; where counts are few, the usual values hold."""

import random

import pytest

from common.decision.between_ad_variance import spreads_of
from common.decision.rules.hierarchical_rates import (
    USUAL_SPREADS,
    AdCounts,
    Counts,
    VarianceEstimates,
    levels_of,
)
from common.values.enums import Format

SLOTS = {"top": 0.02, "foot": 0.008}
IMPRESSIONS = 5_000


def a_market(spreads: VarianceEstimates, campaigns: int, seed: int = 5) -> list[list[AdCounts]]:
    """Three ads a campaign; factors are Gamma of mean 1, clicks near enough Poisson."""
    rng = random.Random(seed)

    def factor(spread: float) -> float:
        return rng.gammavariate(1 / spread, spread) if spread else 1.0

    market = []
    for number in range(campaigns):
        shared = factor(spreads.campaigns)
        ads = []
        for ad in range(3):
            own = shared * factor(spreads.ads)
            by_slot = {}
            for slot, usual in SLOTS.items():
                mean = IMPRESSIONS * usual * own * factor(spreads.slots)
                clicks = max(0, round(rng.gauss(mean, mean**0.5)))
                by_slot[slot] = Counts(IMPRESSIONS, clicks)
            ads.append(AdCounts(f"{number}-{ad}", Format.BANNER, by_slot))
        market.append(ads)
    return market


def found(market: list[list[AdCounts]]) -> VarianceEstimates:
    levels = levels_of([ad for ads in market for ad in ads])
    return spreads_of(levels, market)[Format.BANNER]


@pytest.mark.parametrize(
    "true",
    [
        VarianceEstimates(0.15, 0.2, 0.02),
        VarianceEstimates(0.2, 0.4, 0.1),
        VarianceEstimates(0.4, 0.1, 0.01),
    ],
)
def test_the_variances_of_campaigns_ads_and_slots_are_estimated(true: VarianceEstimates) -> None:
    got = found(a_market(true, 600))
    assert got.campaigns == pytest.approx(true.campaigns, rel=0.3)
    assert got.ads == pytest.approx(true.ads, rel=0.3)
    assert got.slots == pytest.approx(true.slots, rel=0.3)


def test_equal_rates_give_a_small_variance() -> None:
    got = found(a_market(VarianceEstimates(0, 0, 0), 300))
    assert got.campaigns < USUAL_SPREADS.campaigns / 5
    assert got.ads < USUAL_SPREADS.ads / 5
    assert got.slots < USUAL_SPREADS.slots / 2


def test_a_few_counts_leave_the_usual_variance() -> None:
    ad = AdCounts("a", Format.BANNER, {"top": Counts(100, 1)})
    got = found([[ad]])
    assert got.ads + got.campaigns == pytest.approx(0.35, rel=0.2)
    assert got.slots == pytest.approx(USUAL_SPREADS.slots, rel=0.2)


def test_formats_are_estimated_separately() -> None:
    banner, video = [
        AdCounts(name, kind, {"top": Counts(1_000, 9)})
        for name, kind in (("a", Format.BANNER), ("b", Format.VIDEO))
    ]
    assert spreads_of(levels_of([banner, video]), [[banner, video]]).keys() == {
        Format.BANNER,
        Format.VIDEO,
    }
