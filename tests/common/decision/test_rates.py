"""Rates are Beta posteriors: against closed form, level by level, and nothing counts twice."""

import pytest

from common.decision.learned import learned_rates
from common.decision.rates import (
    AdCounts,
    Counts,
    Levels,
    faded,
    has_moved,
    levels_of,
    mean_of,
    prior_rates,
)
from common.snapshot.model import AdRates, Rate, SlotRates
from common.vocabulary import Format

PRIOR = 0.001
"""Of a banner."""


def an_ad(name: str, **by_slot: tuple[float, float]) -> AdCounts:
    """A banner; by slot its impressions and clicks."""
    return AdCounts(name, Format.BANNER, {slot: Counts(*met) for slot, met in by_slot.items()})


def clicks_of(campaign: list[AdCounts], *others: AdCounts) -> dict[str, Rate]:
    learned = learned_rates(levels_of([*campaign, *others]), campaign)
    return {rates.id: rates.clicks for rates in learned}


def ppm(mean: float) -> int:
    return round(mean * 1e6)


def test_alone_an_ad_has_the_formats_prior_and_its_own_counts() -> None:
    rates = clicks_of([an_ad("a", top=(4_500, 20))])
    assert rates["a"] == Rate(ppm((20 + 500 * PRIOR) / 5_000), 5_000)


def test_without_a_count_anywhere_the_prior_stands() -> None:
    (learned,) = learned_rates(Levels({}, {}), [an_ad("a")])
    assert learned == AdRates("a", *prior_rates(Format.BANNER))


def test_a_new_ad_expects_what_its_format_met() -> None:
    rates = clicks_of([an_ad("new")], an_ad("other", top=(250, 10)))
    assert rates["new"] == Rate(ppm((10 + 500 * PRIOR) / 750), 500)


def test_what_is_shown_most_is_not_what_a_new_ad_expects() -> None:
    """However often it was shown, an ad is one of those a new one may be like."""
    often = an_ad("often", top=(5_000_000, 500_000))
    others = [an_ad(f"o{n}", top=(500, 5)) for n in range(9)]
    expected = (9 * 5 + 50 + 500 * PRIOR) / (10 * 500 + 500)
    assert clicks_of([an_ad("new")], often, *others)["new"] == Rate(ppm(expected), 500)


def test_formats_do_not_learn_from_each_other() -> None:
    video = AdCounts("video", Format.VIDEO, {"top": Counts(50_000, 5_000)})
    assert clicks_of([an_ad("new")], video)["new"] == Rate(1_000, 500)


def test_where_it_ran_the_slots_mean_is_the_prior() -> None:
    good, bad = an_ad("good", top=(100_000, 1_000)), an_ad("bad", foot=(100_000, 100))
    anywhere = mean_of(PRIOR, 500, 1_000, 5.5)
    top = mean_of(anywhere, 500, 500, 5)
    rates = clicks_of([an_ad("a", top=(500, 0))], good, bad)
    assert rates["a"] == Rate(ppm(500 * top / 1_000), 1_000)


def test_an_ad_expects_as_much_better_than_its_slots_as_its_campaigns_other_ads_did() -> None:
    usual = [an_ad(f"u{n}", top=(1_000_000, 1_000)) for n in range(500)]
    sibling = an_ad("sibling", top=(1_000_000, 3_000))
    rates = clicks_of([sibling, an_ad("new")], *usual)
    assert rates["new"].ppm == pytest.approx(2_000, rel=0.01)
    assert rates["new"].strength == 500


def test_an_ads_own_counts_are_not_in_its_prior() -> None:
    """A campaign's only ad, the only one of its slot: as if no level above it knew anything."""
    assert clicks_of([an_ad("a", top=(500, 50))])["a"] == Rate(ppm(50.5 / 1_000), 1_000)


def test_much_evidence_outweighs_every_prior() -> None:
    others = [an_ad(f"o{n}", top=(1_000_000, 100)) for n in range(5)]
    rates = clicks_of([an_ad("a", top=(1_000_000, 20_000))], *others)
    assert rates["a"].ppm == pytest.approx(20_000, rel=0.01)


def test_a_slot_told_apart_has_what_the_ad_met_there() -> None:
    ad = an_ad("a", top=(50_000, 1_000), foot=(50_000, 50))
    (learned,) = learned_rates(levels_of([ad]), [ad])
    by_slot = {one.slot_id: one.clicks for one in learned.by_slot}
    assert by_slot.keys() == {"top", "foot"}
    assert by_slot["top"].ppm == pytest.approx(20_000, rel=0.05)
    assert by_slot["foot"].ppm == pytest.approx(1_000, rel=0.3)
    assert by_slot["top"].strength == 50_500


def test_where_an_ad_was_not_shown_yet_it_expects_what_others_meet_there() -> None:
    """As much better or worse than they as it was elsewhere."""
    others = [an_ad(f"o{n}", top=(5_000, 100), foot=(5_000, 10)) for n in range(200)]
    ad = an_ad("a", top=(100_000, 4_000), foot=(0, 0))
    (learned,) = learned_rates(levels_of([ad, *others]), [ad])
    by_slot = {one.slot_id: one.clicks for one in learned.by_slot}
    assert by_slot["foot"].ppm == pytest.approx(4_000, rel=0.05)
    assert by_slot["foot"].strength == 500


def test_a_slot_like_all_others_is_not_told_apart() -> None:
    ad = an_ad("a", top=(500_000, 5_000), foot=(500_000, 5_000))
    (learned,) = learned_rates(levels_of([ad]), [ad])
    assert learned.by_slot == ()


def test_conversions_are_learned_of_clicks() -> None:
    ad = AdCounts("a", Format.BANNER, {"top": Counts(10_000, 950, 95)})
    (learned,) = learned_rates(levels_of([ad]), [ad])
    assert learned.conversions == Rate(ppm((95 + 0.5) / 1_000), 1_000)


def test_orders_without_a_click_make_no_rate_above_one() -> None:
    ad = AdCounts("a", Format.BANNER, {"top": Counts(10_000, 0, 900)})
    (learned,) = learned_rates(levels_of([ad]), [ad])
    assert learned.conversions.ppm == 1_000_000


def test_counts_halve_with_each_half_life() -> None:
    counts = Counts(800, 80, 8)
    assert faded(counts, 0, 60) == counts
    assert faded(counts, 180, 60) == Counts(100, 10, 1)
    assert faded(counts, -5, 60) == counts


@pytest.mark.parametrize(
    ("after", "moved"),
    [
        (Rate(1_000, 500), False),
        (Rate(1_020, 600), False),
        (Rate(1_021, 500), True),
        (Rate(979, 500), True),
        (Rate(1_000, 626), True),
    ],
)
def test_only_what_moved_is_worth_telling(after: Rate, *, moved: bool) -> None:
    conversions = prior_rates(Format.BANNER)[1]
    now = AdRates("a", after, conversions)
    assert has_moved(AdRates("a", Rate(1_000, 500), conversions), now, Format.BANNER) is moved
    assert has_moved(None, now, Format.BANNER) is moved


def test_a_slot_that_comes_goes_or_moves_is_worth_telling() -> None:
    rates = prior_rates(Format.BANNER)
    none, one = AdRates("a", *rates), AdRates("a", *rates, (SlotRates("top", *rates),))
    other = AdRates("a", *rates, (SlotRates("top", Rate(3_000, 500), rates[1]),))
    assert has_moved(none, one, Format.BANNER)
    assert has_moved(one, none, Format.BANNER)
    assert has_moved(one, other, Format.BANNER)
    assert not has_moved(one, one, Format.BANNER)
