"""Shares of voice hold exactly, whatever sponsors bid; flat rates go first in their class."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from common.decision.decide import decide
from common.decision.explain import explain
from common.decision.rules.gates import OPEN
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.decision.rules.share_of_voice import holder_at, line_of, share_holder
from common.snapshot.model import Campaign, Slot
from common.snapshot.snapshot import Snapshot
from common.values.enums import PricingModel, Priority
from tests.support.builders import NOW_MS, a_campaign, a_slot, a_snapshot, an_ad, an_opportunity

SHARES = st.lists(st.integers(1, 100), min_size=1, max_size=8).map(
    lambda percents: [(f"c{place}", percent) for place, percent in enumerate(percents)]
)
SEEDS = range(400)


@given(SHARES)
def test_every_sponsor_holds_as_many_points_as_its_percentage(
    shares: list[tuple[str, int]],
) -> None:
    held = Counter(holder_at(shares, point) for point in range(line_of(shares)))
    total = sum(percent for _, percent in shares)
    assert {name: held[name] for name, _ in shares} == dict(shares)
    assert held[None] == max(0, 100 - total)


@given(SHARES)
def test_shares_over_a_hundred_are_cut_in_proportion(shares: list[tuple[str, int]]) -> None:
    total = sum(percent for _, percent in shares)
    assert line_of(shares) == max(100, total)


@given(st.permutations(range(5)), st.integers(0, 2**64 - 1))
def test_the_order_of_sponsors_does_not_matter(order: list[int], seed: int) -> None:
    sponsors = [
        a_campaign(id=f"c{n}", priority=Priority.SPONSORSHIP, share_of_voice_percent=10 * (n + 1))
        for n in range(5)
    ]
    assert share_holder((sponsors[n] for n in order), seed) == share_holder(sponsors, seed)


def test_the_share_holder_wins_and_unheld_opportunities_go_to_the_next_class() -> None:
    slot = a_slot()
    sponsor = _sponsor(percent=30)
    other = a_campaign(bid_cents=10_000)
    snapshot = _snapshot(slot, sponsor, other)
    for seed in SEEDS:
        held = share_holder([sponsor], seed) == sponsor.id
        assert _winner(_decide(snapshot, slot, seed)) == (sponsor.id if held else other.id)


def test_a_share_is_held_however_much_another_sponsor_bids() -> None:
    slot = a_slot()
    small, big = _sponsor(percent=25, bid_cents=1), _sponsor(percent=75, bid_cents=9_000)
    snapshot = _snapshot(slot, small, big)
    for seed in SEEDS:
        assert _winner(_decide(snapshot, slot, seed)) == share_holder([small, big], seed)


def test_an_unheld_opportunity_goes_to_a_sponsor_without_a_share_first() -> None:
    slot = a_slot()
    sponsor, filler = _sponsor(percent=40), a_campaign(priority=Priority.SPONSORSHIP, bid_cents=900)
    snapshot = _snapshot(slot, sponsor, filler, a_campaign(bid_cents=10_000))
    winners = {_winner(_decide(snapshot, slot, seed)) for seed in SEEDS}
    assert winners == {sponsor.id, filler.id}


def test_a_share_outside_sponsorship_means_nothing() -> None:
    slot = a_slot()
    campaign = a_campaign(share_of_voice_percent=1)
    snapshot = _snapshot(slot, campaign)
    assert {_winner(_decide(snapshot, slot, seed)) for seed in SEEDS} == {campaign.id}


def test_only_eligible_sponsors_hold_shares() -> None:
    slot = a_slot()
    here, elsewhere = _sponsor(percent=100), _sponsor(percent=100, start_at_ms=NOW_MS + 1)
    snapshot = _snapshot(slot, here, elsewhere)
    assert {_winner(_decide(snapshot, slot, seed)) for seed in SEEDS} == {here.id}


def test_an_opportunity_that_no_sponsor_holds_is_explained_as_share_of_voice() -> None:
    slot = a_slot()
    sponsor = _sponsor(percent=1)
    snapshot = _snapshot(slot, sponsor)
    seed = next(seed for seed in SEEDS if share_holder([sponsor], seed) is None)
    reported = explain(snapshot, an_opportunity(slot), OPEN, NOW_MS, seed)
    assert reported.decision == NoFill(NoFillReason.SHARE_OF_VOICE)
    assert [line.dropped_by for line in reported.considered] == [NoFillReason.SHARE_OF_VOICE]


def test_a_flat_rate_goes_first_in_its_class_and_costs_nothing_by_the_event() -> None:
    slot = a_slot(floor_micros=5_000_000)
    flat = a_campaign(pricing_model=PricingModel.FLAT_RATE, bid_micros=0)
    snapshot = _snapshot(slot, flat, a_campaign(bid_cents=10_000))
    fill = _decide(snapshot, slot, 0)
    assert isinstance(fill, Fill)
    assert (fill.campaign.id, fill.price_micros) == (flat.id, 0)


def test_a_flat_rate_never_goes_before_a_better_class() -> None:
    slot = a_slot()
    flat = a_campaign(pricing_model=PricingModel.FLAT_RATE, bid_micros=0)
    direct = a_campaign(priority=Priority.STANDARD, bid_cents=1)
    assert _winner(_decide(_snapshot(slot, flat, direct), slot, 0)) == direct.id


def _sponsor(*, percent: int, **changes: Any) -> Campaign:
    return a_campaign(priority=Priority.SPONSORSHIP, share_of_voice_percent=percent, **changes)


def _snapshot(slot: Slot, *campaigns: Campaign) -> Snapshot:
    return a_snapshot(slot, *campaigns, *(an_ad(campaign) for campaign in campaigns))


def _decide(snapshot: Snapshot, slot: Slot, seed: int) -> Decision:
    return decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, seed)


def _winner(decision: Decision) -> str | None:
    return decision.campaign.id if isinstance(decision, Fill) else None
