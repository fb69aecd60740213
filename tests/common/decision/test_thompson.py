"""A draw of what a candidate may be worth has the mean and the variance of the posterior, and a greatest value."""

import random
from math import sqrt

import pytest

from common.decision.rules.thompson import bound_micros, drawn_micros, spread_of
from common.snapshot.model import Rate
from common.values.ids import new_id

RNG = random.Random(11)
SEEDS = [RNG.getrandbits(64) for _ in range(40_000)]
MEAN = 2_000_000


@pytest.mark.parametrize(
    ("ppm", "strength"),
    [(1_000, 500), (1_000, 2_000), (2_000, 5_000), (10_000, 500), (50_000, 4_000), (1_000, 10**7)],
)
def test_draws_have_the_mean_and_variance_of_the_beta(ppm: int, strength: int) -> None:
    alpha, beta = ppm * strength / 1e6, (1e6 - ppm) * strength / 1e6
    share = alpha / strength
    deviation = sqrt(alpha * beta / (strength**2 * (strength + 1))) / share
    draws = _draws(spread_of(Rate(ppm, strength)))
    mean = sum(draws) / len(draws)
    spread = sqrt(sum((one - mean) ** 2 for one in draws) / len(draws))
    assert mean / MEAN == pytest.approx(1, abs=0.03)
    assert spread / MEAN == pytest.approx(deviation, rel=0.12, abs=0.002)


def test_a_product_of_two_rates_has_the_variance_of_the_product() -> None:
    clicks, conversions = Rate(2_000, 20_000), Rate(20_000, 2_000)
    rng = random.Random(3)
    products = [
        rng.betavariate(40, 19_960) * rng.betavariate(40, 1_960) / (0.002 * 0.02)
        for _ in range(40_000)
    ]
    deviation = sqrt(sum((one - 1) ** 2 for one in products) / len(products))
    draws = _draws(spread_of(clicks, conversions))
    assert sqrt(sum((one / MEAN - 1) ** 2 for one in draws) / len(draws)) == pytest.approx(
        deviation, rel=0.05
    )


def test_a_certain_rate_is_drawn_unchanged() -> None:
    assert set(_draws(spread_of())) == {MEAN}
    assert bound_micros(MEAN, 0.0) == MEAN


@pytest.mark.parametrize("strength", [1, 500, 100_000])
def test_no_draw_exceeds_the_bound_and_one_reaches_it(strength: int) -> None:
    spread = spread_of(Rate(1_000, strength))
    assert max(_draws(spread)) == bound_micros(MEAN, spread)


def test_the_same_seed_and_ad_give_the_same_draw_and_another_ad_another() -> None:
    one, other = new_id(), new_id()
    spread = spread_of(Rate(1_000, 500))
    first = [drawn_micros(MEAN, spread, one, seed) for seed in SEEDS[:200]]
    assert first == [drawn_micros(MEAN, spread, one, seed) for seed in SEEDS[:200]]
    others = [drawn_micros(MEAN, spread, other, seed) for seed in SEEDS[:200]]
    assert sum(a == b for a, b in zip(first, others, strict=True)) < 20


def test_an_ad_with_three_events_is_sometimes_drawn_at_four_times_its_mean() -> None:
    """Else one with a low bid and a high rate is never tried where others are known well."""
    draws = _draws(spread_of(Rate(10_000, 300)))
    assert 0.001 < sum(one > 4 * MEAN for one in draws) / len(draws) < 0.01


def test_more_evidence_gives_a_narrower_spread() -> None:
    spreads = [spread_of(Rate(1_000, strength)) for strength in (500, 5_000, 500_000)]
    assert spreads == sorted(spreads, reverse=True)
    assert spread_of(Rate(1_000, 500), Rate(10_000, 50)) > spreads[0]


def _draws(spread: float) -> list[int]:
    ad_id = new_id()
    return [drawn_micros(MEAN, spread, ad_id, seed) for seed in SEEDS]
