"""In which turn equals are asked: by weight, a campaign's best ad first, at a cost that does not grow with them."""

import random
from collections import Counter
from itertools import permutations

import pytest

from common.decision.candidate_order import iter_in_order
from common.decision.decision_input import DecisionInput
from common.decision.index import Candidate, match
from common.decision.rules.gates import Gates, Ranking
from common.decision.rules.tie_group import TieGroup
from common.snapshot.model import AdRates, Campaign, Rate, Slot, SnapshotObject
from common.snapshot.snapshot import Snapshot
from common.values.enums import Objective, PricingModel, Priority
from tests.support.builders import NOW_MS, a_campaign, a_slot, a_snapshot, an_ad, an_opportunity

NO_RATE = Rate(10_000, 50)
RNG = random.Random(5)
SEEDS = [RNG.getrandbits(64) for _ in range(20_000)]


def test_the_first_candidate_is_drawn_exactly_by_weight_over_all_seeds() -> None:
    group = _group_of(3, 1, 4)
    firsts = Counter(next(group.iter_in_order(seed)).ad.weight for seed in range(8 * 5))
    assert firsts == {3: 15, 1: 5, 4: 20}


def test_the_whole_order_is_drawn_by_weight_without_replacement() -> None:
    group = _group_of(1, 2, 5)
    orders = Counter(tuple(c.ad.weight for c in group.iter_in_order(seed)) for seed in SEEDS)
    for order in permutations((1, 2, 5)):
        first, second, third = order
        chance = first / 8 * second / (second + third)
        assert orders[order] / len(SEEDS) == pytest.approx(chance, abs=0.012)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_every_candidate_is_considered_once(size: int) -> None:
    group = _group_of(*(1 + number % 9 for number in range(size)))
    for seed in SEEDS[:20]:
        turns = list(group.iter_in_order(seed))
        assert sorted(c.ad.id for c in turns) == [c.ad.id for c in group.candidates]


def test_the_ad_expected_to_do_most_for_its_campaigns_objective_goes_first() -> None:
    slot, own, other = a_slot(), a_campaign(objective=Objective.TRAFFIC), a_campaign()
    plain, clicked, lone = an_ad(own, weight=3), an_ad(own), an_ad(other, weight=4)
    learned = AdRates(clicked.id, Rate(5_000, 2_000), NO_RATE)
    snapshot = a_snapshot(slot, own, other, plain, clicked, lone, learned)
    firsts = Counter(_turns(snapshot, slot, seed)[0].ad.id for seed in SEEDS)
    assert firsts[plain.id] == 0
    assert firsts[clicked.id] / len(SEEDS) == pytest.approx(0.5, abs=0.015)


def test_ads_with_equal_expectations_are_ordered_by_weight() -> None:
    slot, campaign = a_slot(), a_campaign(objective=Objective.LEADS)
    ads = [an_ad(campaign, weight=weight) for weight in (1, 3, 9)]
    rates = [AdRates(ad.id, Rate(2_000, 900), NO_RATE) for ad in ads[:2]]
    snapshot = a_snapshot(slot, campaign, *ads, *rates)
    firsts = Counter(_turns(snapshot, slot, seed)[0].ad.weight for seed in SEEDS)
    assert firsts[9] == 0
    assert firsts[3] / len(SEEDS) == pytest.approx(0.75, abs=0.015)


def test_the_awareness_objective_ignores_clicks() -> None:
    slot, campaign = a_slot(), a_campaign(objective=Objective.AWARENESS)
    ads = [an_ad(campaign), an_ad(campaign)]
    learned = AdRates(ads[0].id, Rate(50_000, 9_000), NO_RATE)
    snapshot = a_snapshot(slot, campaign, *ads, learned)
    firsts = Counter(_turns(snapshot, slot, seed)[0].ad.id for seed in SEEDS)
    assert firsts[ads[0].id] / len(SEEDS) == pytest.approx(0.5, abs=0.015)


@pytest.mark.parametrize("ranking", Ranking)
def test_each_ranking_considers_every_candidate_once_by_priority_first(ranking: Ranking) -> None:
    slot, snapshot = _market(60)
    for seed in SEEDS[:50]:
        turns = _turns(snapshot, slot, seed, ranking)
        assert sorted(c.ad.id for c in turns) == sorted(snapshot.ads)
        ranks = [c.rank for c in turns]
        assert ranks == sorted(ranks)


def test_thompson_orders_equals_of_certain_value_by_weight() -> None:
    slot = a_slot()
    campaigns = [a_campaign(bid_cents=300) for _ in range(3)]
    ads = [an_ad(one, weight=weight) for one, weight in zip(campaigns, (1, 3, 6), strict=True)]
    snapshot = a_snapshot(slot, *campaigns, *ads)
    firsts = Counter(_turns(snapshot, slot, seed, Ranking.THOMPSON)[0].ad.weight for seed in SEEDS)
    for weight in (1, 3, 6):
        assert firsts[weight] / len(SEEDS) == pytest.approx(weight / 10, abs=0.015)


def test_thompson_tries_ads_with_little_evidence_and_greedy_does_not() -> None:
    slot = a_slot()
    known, new = (a_campaign(pricing_model=PricingModel.CPC, bid_cents=50) for _ in range(2))
    ads = [an_ad(known), an_ad(new)]
    rates = [
        AdRates(ads[0].id, Rate(1_200, 1_000_000), NO_RATE),
        AdRates(ads[1].id, Rate(1_000, 500), NO_RATE),
    ]
    snapshot = a_snapshot(slot, known, new, *ads, *rates)
    firsts = {
        ranking: Counter(_turns(snapshot, slot, seed, ranking)[0].ad.id for seed in SEEDS[:2000])
        for ranking in Ranking
    }
    assert firsts[Ranking.GREEDY] == {ads[0].id: 2000}
    assert 400 < firsts[Ranking.THOMPSON][ads[1].id] < 800


def _turns(
    snapshot: Snapshot, slot: Slot, seed: int, ranking: Ranking = Ranking.GREEDY
) -> list[Candidate]:
    opportunity, gates = an_opportunity(slot), Gates(ranking=ranking)
    groups = match(snapshot, opportunity, NOW_MS, ranking).groups()
    return list(iter_in_order(groups, DecisionInput(snapshot, opportunity, gates, NOW_MS, seed)))


def _group_of(*weights: int) -> TieGroup:
    slot = a_slot()
    objects: list[SnapshotObject] = [slot]
    for weight in weights:
        campaign = a_campaign()
        objects += [campaign, an_ad(campaign, weight=weight)]
    (group,) = match(a_snapshot(*objects), an_opportunity(slot), NOW_MS).groups()
    return group


def _market(size: int) -> tuple[Slot, Snapshot]:
    """Bids of all kinds in two classes, half of them little known."""
    slot = a_slot()
    objects: list[SnapshotObject] = [slot]
    for number in range(size):
        campaign: Campaign = a_campaign(
            pricing_model=list(PricingModel)[number % 4],
            bid_cents=100 + number % 7,
            priority=Priority.STANDARD if number % 5 else Priority.AUCTION,
        )
        ad = an_ad(campaign)
        objects += [campaign, ad]
        if number % 2:
            objects.append(AdRates(ad.id, Rate(900 + number, 50_000), Rate(9_000, 700)))
    return slot, a_snapshot(*objects)
