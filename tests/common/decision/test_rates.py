"""Rates are Beta posteriors: against closed form, level by level, and nothing counts twice."""

from dataclasses import replace

import pytest

from common.decision.posterior_rates import learned_rates
from common.decision.rules.hierarchical_rates import (
    DRIFT_A_DAY,
    USUAL_SPREADS,
    AdCounts,
    Counts,
    Hierarchy,
    changed_materially,
    faded,
    levels_of,
    mean_of,
    prior_rates,
)
from common.snapshot.model import AdRates, Rate, SlotRates
from common.values.enums import Format

PRIOR = 0.001
"""Of a banner."""
UNKNOWN = 1 / (500 * PRIOR)
"""How little is known of a mean that rests on the prior's half event."""
APART = USUAL_SPREADS.campaigns + USUAL_SPREADS.ads
"""How far ads differ."""


def an_ad(name: str, **by_slot: tuple[float, float]) -> AdCounts:
    """A banner; by slot its impressions and clicks."""
    return AdCounts(
        name, Format.BANNER, {slot: Counts(*evidence) for slot, evidence in by_slot.items()}
    )


def clicks_of(campaign: list[AdCounts], *others: AdCounts) -> dict[str, Rate]:
    learned = learned_rates(levels_of([*campaign, *others]), campaign)
    return {rates.id: rates.clicks for rates in learned}


def ppm(mean: float) -> int:
    return round(mean * 1e6)


def a_factor(prior: float, doubt: float, events: float, expected: float) -> tuple[float, float]:
    """Of Gamma and Poisson: its mean, and its squared coefficient of variation."""
    shape = 1 / doubt + events
    return shape / (1 / (doubt * prior) + expected), 1 / shape


def a_rate(mean: float, doubt: float) -> Rate:
    return Rate(ppm(mean), round(1 / (doubt * mean)))


def test_a_single_ad_has_the_formats_prior_and_its_own_counts() -> None:
    factor, doubt = a_factor(1, APART + UNKNOWN, 20, 4_500 * PRIOR)
    assert clicks_of([an_ad("a", top=(4_500, 20))])["a"] == a_rate(PRIOR * factor, doubt)


def test_without_any_counts_the_prior_applies() -> None:
    (learned,) = learned_rates(Hierarchy({}, {}), [an_ad("a")])
    clicks, conversions = prior_rates(Format.BANNER)
    assert (learned.clicks.ppm, learned.conversions.ppm) == (clicks.ppm, conversions.ppm)
    assert not changed_materially(None, learned, Format.BANNER)


def test_a_new_ad_gets_the_mean_rate_of_its_format() -> None:
    rates = clicks_of([an_ad("new")], an_ad("other", top=(250, 10)))
    assert rates["new"] == a_rate((10 + 500 * PRIOR) / 750, APART + 1 / (10 + 0.5))


def test_the_rate_of_the_most_shown_ad_is_not_that_of_a_new_ad() -> None:
    """However often it was shown, an ad is one of those a new one may be like."""
    often = an_ad("often", top=(5_000_000, 500_000))
    others = [an_ad(f"o{n}", top=(500, 5)) for n in range(9)]
    events = 9 * 5 + 50 + 500 * PRIOR
    expected = a_rate(events / (10 * 500 + 500), APART + 1 / events)
    assert clicks_of([an_ad("new")], often, *others)["new"] == expected


def test_formats_do_not_learn_from_each_other() -> None:
    video = AdCounts("video", Format.VIDEO, {"top": Counts(50_000, 5_000)})
    assert clicks_of([an_ad("new")], video)["new"].ppm == 1_000


def test_the_mean_of_the_slots_where_an_ad_ran_is_its_prior() -> None:
    good, bad = an_ad("good", top=(100_000, 1_000)), an_ad("bad", foot=(100_000, 100))
    anywhere = mean_of(PRIOR, 500, 1_000, 5.5)
    top = mean_of(anywhere, 500, 500, 5)
    factor, doubt = a_factor(1, APART + 1 / (500 * anywhere + 5), 0, 500 * top)
    assert clicks_of([an_ad("a", top=(500, 0))], good, bad)["a"] == a_rate(top * factor, doubt)


def test_an_ad_is_predicted_to_beat_its_slots_as_its_campaigns_other_ads_did() -> None:
    """As far as campaigns differ, of how far ads do: here by the sibling's 3 times, 0.15 of 0.15 + 0.2 and a little."""
    usual = [an_ad(f"u{n}", top=(1_000_000, 1_000)) for n in range(500)]
    sibling = an_ad("sibling", top=(1_000_000, 3_000))
    apart = USUAL_SPREADS.ads + USUAL_SPREADS.slots
    text = 1 / apart
    factor, _ = a_factor(1, USUAL_SPREADS.campaigns, 3 * text, text)
    assert clicks_of([sibling, an_ad("new")], *usual)["new"].ppm == pytest.approx(
        1_000 * factor, rel=0.02
    )


def test_an_ads_own_counts_are_not_in_its_prior() -> None:
    """A campaign's only ad, the only one of its slot: as if no level above it knew anything."""
    factor, doubt = a_factor(1, APART + UNKNOWN, 50, 500 * PRIOR)
    assert clicks_of([an_ad("a", top=(500, 50))])["a"] == a_rate(PRIOR * factor, doubt)


def test_much_evidence_outweighs_every_prior() -> None:
    others = [an_ad(f"o{n}", top=(1_000_000, 100)) for n in range(5)]
    rates = clicks_of([an_ad("a", top=(1_000_000, 20_000))], *others)
    assert rates["a"].ppm == pytest.approx(20_000, rel=0.01)


def test_a_slot_with_rates_of_its_own_has_the_ads_rate_there() -> None:
    ad = an_ad("a", top=(50_000, 1_000), foot=(50_000, 50))
    (learned,) = learned_rates(levels_of([ad]), [ad])
    by_slot = {one.slot_id: one.clicks for one in learned.by_slot}
    assert by_slot.keys() == {"top", "foot"}
    assert by_slot["top"].ppm == pytest.approx(20_000, rel=0.05)
    assert by_slot["foot"].ppm == pytest.approx(1_000, rel=0.3)
    assert by_slot["top"].strength == pytest.approx(50_000, rel=0.01)


def test_an_ad_not_yet_shown_in_a_slot_gets_the_rate_of_others_there() -> None:
    """
    As much better or worse than they as elsewhere, and as certain as slots are alike: this one leaves that doubt,
    the other half of it where twice as many events came as expected.
    """
    others = [an_ad(f"o{n}", top=(5_000, 100), foot=(5_000, 10)) for n in range(2_000)]
    ad = an_ad("a", top=(100_000, 4_000), foot=(0, 0))
    (learned,) = learned_rates(levels_of([ad, *others]), [ad])
    by_slot = {one.slot_id: one.clicks for one in learned.by_slot}
    assert by_slot["foot"].ppm == pytest.approx(4_000, rel=0.05)
    known = by_slot["foot"].ppm * by_slot["foot"].strength / 1e6
    assert known == pytest.approx(1 / (1.5 * USUAL_SPREADS.slots), rel=0.1)


def test_where_slots_differ_little_evidence_of_other_slots_counts_more() -> None:
    others = [an_ad(f"o{n}", top=(5_000, 100), foot=(5_000, 10)) for n in range(2_000)]
    ad = an_ad("a", top=(100_000, 4_000), foot=(0, 0))
    levels = levels_of([ad, *others])
    alike = replace(USUAL_SPREADS, slots=0.002)
    strengths = []
    for spreads in ({}, {Format.BANNER: alike}):
        (learned,) = learned_rates(replace(levels, spreads=spreads), [ad])
        strengths.append({one.slot_id: one.clicks for one in learned.by_slot}["foot"].strength)
    assert strengths[1] > 4 * strengths[0]


def test_a_slot_like_all_others_has_no_rates_of_its_own() -> None:
    ad = an_ad("a", top=(500_000, 5_000), foot=(500_000, 5_000))
    (learned,) = learned_rates(levels_of([ad]), [ad])
    assert learned.by_slot == ()


def test_conversion_rates_are_learned_per_click() -> None:
    ad = AdCounts("a", Format.BANNER, {"top": Counts(10_000, 950, 95)})
    (learned,) = learned_rates(levels_of([ad]), [ad])
    factor, doubt = a_factor(1, APART + 1 / (50 * 0.01), 95, 950 * 0.01)
    assert learned.conversions == a_rate(0.01 * factor, doubt)


def test_conversions_without_a_click_make_no_rate_above_one() -> None:
    ad = AdCounts("a", Format.BANNER, {"top": Counts(10_000, 0, 900)})
    (learned,) = learned_rates(levels_of([ad]), [ad])
    assert learned.conversions.ppm == 1_000_000


def test_counts_halve_with_each_half_life() -> None:
    counts = Counts(800, 80, 8)
    assert faded(counts, 0, 60) == counts
    assert faded(counts, 180, 60).clicks == pytest.approx(10, rel=0.001)
    assert faded(counts, -5, 60) == counts


def test_drift_ages_large_evidence_and_not_small() -> None:
    """A day adds the square of its drift to that of an estimate's coefficient of variation."""
    half_life_s = 86_400 * 1_000_000
    for clicks in (1, 100, 100_000):
        left = faded(Counts(0, clicks), 86_400, half_life_s).clicks
        assert 1 / left == pytest.approx(1 / clicks + DRIFT_A_DAY**2, rel=1e-4)


def test_counts_decay_alike_in_one_step_or_many() -> None:
    counts = faded(Counts(40_000, 800, 8), 86_400, 604_800)
    stepped = Counts(40_000, 800, 8)
    for _ in range(24):
        stepped = faded(stepped, 3_600, 604_800)
    assert stepped.impressions == pytest.approx(counts.impressions)
    assert stepped.conversions == pytest.approx(counts.conversions)


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
def test_only_a_rate_that_changed_materially_is_published(after: Rate, *, moved: bool) -> None:
    conversions = prior_rates(Format.BANNER)[1]
    now = AdRates("a", after, conversions)
    assert (
        changed_materially(AdRates("a", Rate(1_000, 500), conversions), now, Format.BANNER) is moved
    )
    assert changed_materially(None, now, Format.BANNER) is moved


def test_a_slot_rate_that_appears_disappears_or_changes_is_published() -> None:
    rates = prior_rates(Format.BANNER)
    none, one = AdRates("a", *rates), AdRates("a", *rates, (SlotRates("top", *rates),))
    other = AdRates("a", *rates, (SlotRates("top", Rate(3_000, 500), rates[1]),))
    assert changed_materially(none, one, Format.BANNER)
    assert changed_materially(one, none, Format.BANNER)
    assert changed_materially(one, other, Format.BANNER)
    assert not changed_materially(one, one, Format.BANNER)
