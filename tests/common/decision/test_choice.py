"""Which of the eligible candidates is chosen, and that the seed alone decides between equals."""

import random
from collections import Counter
from typing import Any

import pytest

from common.decision.decide import decide
from common.decision.explain import explain
from common.decision.frequency import cap_key
from common.decision.rules.gates import OPEN, Gates
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.snapshot.model import (
    Ad,
    AudioLimits,
    Campaign,
    FrequencyCap,
    Slot,
    SnapshotObject,
)
from common.snapshot.snapshot import Snapshot
from common.values.enums import AdStatus, CampaignStatus, EventKind, Format, Priority, Source
from common.values.environment import Environment
from tests.support.builders import (
    NOW_MS,
    a_campaign,
    a_property,
    a_slot,
    a_snapshot,
    an_ad,
    an_opportunity,
)


def test_priority_goes_before_money() -> None:
    slot = a_slot()
    ladder = [Priority.SPONSORSHIP, Priority.STANDARD, Priority.AUCTION, Priority.HOUSE]
    campaigns = [a_campaign(priority=p, bid_cents=10**n) for n, p in enumerate(ladder, 1)]
    for state in range(4):
        fill = _fill(slot, *campaigns[state:])
        assert fill.campaign.priority is ladder[state]


def test_money_decides_within_a_priority() -> None:
    slot = a_slot()
    cheap, dear = a_campaign(bid_cents=100), a_campaign(bid_cents=101)
    assert _fill(slot, cheap, dear).campaign is dear


@pytest.mark.parametrize(
    ("priority", "source"),
    [
        (Priority.SPONSORSHIP, Source.SPONSORSHIP),
        (Priority.STANDARD, Source.DIRECT),
        (Priority.AUCTION, Source.AUCTION),
        (Priority.HOUSE, Source.HOUSE),
    ],
)
def test_the_source_follows_from_the_priority(priority: Priority, source: Source) -> None:
    assert _fill(a_slot(), a_campaign(priority=priority)).source is source


def test_the_same_seed_gives_the_same_ad() -> None:
    snapshot, slot = _equals((1, 1, 1, 1))
    again, _ = _equals_of(snapshot, slot)
    for seed in range(50):
        assert _ad(snapshot, slot, seed) is _ad(again, slot, seed)


def test_the_order_objects_arrive_in_does_not_matter() -> None:
    slot, campaign = a_slot(), a_campaign()
    ads = [an_ad(campaign) for _ in range(5)]
    forth, back = a_snapshot(slot, campaign, *ads), a_snapshot(*reversed(ads), campaign, slot)
    for seed in range(50):
        assert _ad(forth, slot, seed).id == _ad(back, slot, seed).id


def test_equals_are_chosen_by_weight() -> None:
    snapshot, slot = _equals((1, 3, 6))
    rng = random.Random(7)
    counts = Counter(_ad(snapshot, slot, rng.getrandbits(64)).weight for _ in range(20_000))
    for weight in (1, 3, 6):
        assert counts[weight] / 20_000 == pytest.approx(weight / 10, abs=0.015)


def test_the_house_ad_is_the_last_resort_and_free() -> None:
    campaign = a_campaign(status=CampaignStatus.PAUSED)
    house = an_ad(campaign)
    slot = a_slot(house_ad_id=house.id)
    snapshot = a_snapshot(slot, campaign, house)
    assert decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, 0) == Fill(
        campaign, house, Source.HOUSE, 0
    )


def test_the_house_ad_does_not_displace_a_paying_one() -> None:
    other, paying = a_campaign(status=CampaignStatus.PAUSED), a_campaign(bid_cents=1)
    house = an_ad(other)
    slot = a_slot(house_ad_id=house.id)
    snapshot = a_snapshot(slot, other, house, paying, an_ad(paying))
    decision = decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, 0)
    assert isinstance(decision, Fill)
    assert decision.campaign is paying


@pytest.mark.parametrize(
    "ad", [{"status": AdStatus.PAUSED}, {"format": Format.VIDEO}, {"width": 9000}]
)
def test_an_ineligible_house_ad_does_not_show(ad: dict[str, object]) -> None:
    campaign = a_campaign(status=CampaignStatus.PAUSED)
    house = an_ad(campaign, **ad)
    slot = a_slot(house_ad_id=house.id)
    decision = decide(
        a_snapshot(slot, campaign, house), an_opportunity(slot, width=1000), OPEN, NOW_MS, 0
    )
    assert isinstance(decision, NoFill)


@pytest.mark.parametrize(
    ("prop", "slot", "ad"),
    [
        ({"blocked_ad_ids": ("house",)}, {}, {"id": "house"}),
        ({"blocked_categories": ("7",)}, {}, {"categories": ("7-3",)}),
        ({}, {"blocked_categories": ("7",)}, {"categories": ("7",)}),
        ({}, {"blocked_advertiser_domains": ("brand.example",)}, {}),
        (
            {},
            {"formats": (Format.AUDIO,), "audio": AudioLimits(max_duration_ms=1000, max_ads=1)},
            {"format": Format.AUDIO, "content": '{"media":[{"duration_ms":1001}]}'},
        ),
    ],
)
def test_blocks_and_the_length_of_breaks_hold_for_the_house_ad(
    prop: dict[str, Any], slot: dict[str, Any], ad: dict[str, Any]
) -> None:
    def decision_of(prop: dict[str, Any], slot: dict[str, Any]) -> Decision:
        campaign = a_campaign(status=CampaignStatus.PAUSED)
        house = an_ad(campaign, **ad)
        its_slot = a_slot(house_ad_id=house.id, **slot)
        its_property = a_property(**prop)
        snapshot = a_snapshot(its_property, its_slot, campaign, house)
        opportunity = an_opportunity(its_slot, property=its_property)
        return decide(snapshot, opportunity, OPEN, NOW_MS, 0)

    assert isinstance(decision_of({}, {"formats": slot.get("formats", tuple(Format))}), Fill)
    assert isinstance(decision_of(prop, slot), NoFill)


def test_a_house_ad_unsuitable_for_children_does_not_show_to_them() -> None:
    campaign = a_campaign(status=CampaignStatus.PAUSED)
    house = an_ad(campaign, categories=("IAB9-9",))
    slot = a_slot(house_ad_id=house.id)
    snapshot = a_snapshot(slot, campaign, house)
    shown, kept = (
        decide(snapshot, an_opportunity(slot, child_directed=directed), OPEN, NOW_MS, 0)
        for directed in (False, True)
    )
    assert isinstance(shown, Fill)
    assert isinstance(kept, NoFill)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (None, NoFillReason.CAP_NOT_KNOWN),
        (0, None),
        (1, None),
        (2, NoFillReason.FREQUENCY_CAPPED),
    ],
)
def test_the_caps_of_its_campaign_hold_for_the_house_ad(
    seen: int | None, reason: NoFillReason | None
) -> None:
    cap = FrequencyCap("campaign", EventKind.IMPRESSION, 2, 3600)
    campaign = a_campaign(status=CampaignStatus.PAUSED, frequency_caps=(cap,))
    house = an_ad(campaign)
    slot = a_slot(house_ad_id=house.id)
    snapshot = a_snapshot(slot, campaign, house)
    gates = Gates(counts=None if seen is None else {cap_key(cap, campaign, house): seen})
    decision = decide(snapshot, an_opportunity(slot), gates, NOW_MS, 0)
    expected = Fill(campaign, house, Source.HOUSE, 0) if reason is None else NoFill(reason)
    assert decision == expected


def test_a_house_ad_that_requires_what_this_release_does_not_support_does_not_show() -> None:
    campaign = a_campaign(status=CampaignStatus.PAUSED)
    house = an_ad(campaign, requires=("something_later",))
    slot = a_slot(house_ad_id=house.id)
    snapshot = a_snapshot(slot, campaign, house)
    decision = decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, 0)
    assert isinstance(decision, NoFill)


def test_a_preview_shows_what_is_not_running() -> None:
    campaign = a_campaign(status=CampaignStatus.DRAFT)
    ad = an_ad(campaign, status=AdStatus.DRAFT)
    slot = a_slot()
    snapshot = a_snapshot(slot, campaign, ad)
    opportunity = an_opportunity(slot, preview_ad_id=ad.id)
    decision = decide(snapshot, opportunity, Gates(stale=True), NOW_MS, 0)
    assert decision == Fill(campaign, ad, Source.PREVIEW, 0)


def test_a_preview_of_an_ad_that_is_gone_is_no_candidate() -> None:
    slot = a_slot()
    opportunity = an_opportunity(slot, preview_ad_id=an_ad(a_campaign()).id)
    decision = decide(a_snapshot(slot), opportunity, OPEN, NOW_MS, 0)
    assert decision == NoFill(NoFillReason.NO_CANDIDATE)


def test_a_preview_of_another_account_is_no_candidate() -> None:
    campaign = a_campaign(account_id="another")
    ad = an_ad(campaign)
    slot = a_slot()
    opportunity = an_opportunity(slot, preview_ad_id=ad.id)
    decision = decide(a_snapshot(slot, campaign, ad), opportunity, OPEN, NOW_MS, 0)
    assert decision == NoFill(NoFillReason.NO_CANDIDATE)


def test_a_preview_in_the_wrong_format_does_not_fill() -> None:
    campaign = a_campaign()
    ad = an_ad(campaign)
    slot = a_slot(formats=(Format.NATIVE,))
    opportunity = an_opportunity(slot, preview_ad_id=ad.id)
    decision = decide(a_snapshot(slot, campaign, ad), opportunity, OPEN, NOW_MS, 0)
    assert decision == NoFill(NoFillReason.FORMAT_MISMATCH)


def test_a_preview_is_explained_by_the_ad_that_was_named_alone() -> None:
    named, other = a_campaign(status=CampaignStatus.DRAFT), a_campaign()
    banner, native = an_ad(named), an_ad(named, format=Format.NATIVE)
    slot = a_slot(formats=(Format.BANNER,))
    snapshot = a_snapshot(slot, named, other, banner, native, an_ad(other))
    shown, kept = (
        explain(snapshot, an_opportunity(slot, preview_ad_id=ad.id), OPEN, NOW_MS, 0)
        for ad in (banner, native)
    )
    assert [(line.ad_id, line.won) for line in shown.considered] == [(banner.id, True)]
    assert [(line.ad_id, line.dropped_by) for line in kept.considered] == [
        (native.id, NoFillReason.FORMAT_MISMATCH)
    ]


def test_a_preview_of_another_account_is_not_explained() -> None:
    campaign = a_campaign(account_id="another")
    ad = an_ad(campaign)
    slot = a_slot()
    opportunity = an_opportunity(slot, preview_ad_id=ad.id)
    assert explain(a_snapshot(slot, campaign, ad), opportunity, OPEN, NOW_MS, 0).considered == ()


def _fill(slot: Slot, *campaigns: Campaign) -> Fill:
    objects: list[SnapshotObject] = [slot]
    for campaign in campaigns:
        objects += [campaign, an_ad(campaign)]
    decision = decide(a_snapshot(*objects), an_opportunity(slot), OPEN, NOW_MS, 0)
    assert isinstance(decision, Fill)
    return decision


def _equals(weights: tuple[int, ...]) -> tuple[Snapshot, Slot]:
    slot = a_slot()
    objects: list[SnapshotObject] = [slot]
    for weight in weights:
        campaign = a_campaign()
        objects += [campaign, an_ad(campaign, weight=weight)]
    return a_snapshot(*objects), slot


def _equals_of(snapshot: Snapshot, slot: Slot) -> tuple[Snapshot, Slot]:
    """Another snapshot of the same objects."""
    objects: list[SnapshotObject] = [*snapshot.campaigns.values(), *snapshot.ads.values()]
    return a_snapshot(slot, *objects, environment=Environment.LIVE), slot


def _ad(snapshot: Snapshot, slot: Slot, seed: int) -> Ad:
    decision = decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, seed)
    assert isinstance(decision, Fill)
    return decision.ad
