"""Each gate, alone: what it drops, and the reason it gives when it dropped the last candidate."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from common.decision.decide import decide
from common.decision.rules.gates import OPEN, Gates
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.snapshot.model import (
    Account,
    Ad,
    AudioLimits,
    Campaign,
    Property,
    Size,
    Slot,
    SnapshotObject,
)
from common.values.enums import (
    AccountState,
    AdStatus,
    CampaignStatus,
    Format,
    PricingModel,
    Priority,
    SlotStatus,
)
from common.values.environment import Environment
from tests.support.builders import (
    NOW_MS,
    a_campaign,
    a_property,
    a_slot,
    a_snapshot,
    an_account,
    an_ad,
    an_opportunity,
)


@dataclass(frozen=True)
class Case:
    """What is changed from a world that fills."""

    account: dict[str, Any] | None = None
    prop: dict[str, Any] | None = None
    slot: dict[str, Any] | None = None
    campaign: dict[str, Any] | None = None
    ad: dict[str, Any] | None = None
    asked: dict[str, Any] | None = None
    gates: Gates = field(default_factory=Gates)

    def decide(self, environment: Environment = Environment.LIVE) -> Decision:
        account: Account = an_account(**self.account or {})
        prop: Property = a_property(**self.prop or {})
        slot: Slot = a_slot(**self.slot or {})
        campaign: Campaign = a_campaign(environment=environment, **self.campaign or {})
        ad: Ad = an_ad(campaign, **self.ad or {})
        objects: tuple[SnapshotObject, ...] = (account, prop, slot, campaign, ad)
        snapshot = a_snapshot(*objects, environment=environment)
        opportunity = an_opportunity(
            slot, environment=environment, **{"property": prop} | (self.asked or {})
        )
        return decide(snapshot, opportunity, self.gates, NOW_MS, 0)


DROPS: dict[str, tuple[Case, NoFillReason]] = {
    "account stopped": (Case(account={"stopped": True}), NoFillReason.ACCOUNT_STOPPED),
    "account suspended": (
        Case(account={"state": AccountState.SUSPENDED}),
        NoFillReason.ACCOUNT_STOPPED,
    ),
    "account without money": (Case(account={"funded": False}), NoFillReason.NO_FUNDS),
    "slot archived": (Case(slot={"status": SlotStatus.ARCHIVED}), NoFillReason.SLOT_ARCHIVED),
    "stale snapshot": (Case(gates=Gates(stale=True)), NoFillReason.STALE_SNAPSHOT),
    "spool full": (Case(gates=Gates(spool_full=True)), NoFillReason.SPOOL_FULL),
    "campaign paused": (
        Case(campaign={"status": CampaignStatus.PAUSED}),
        NoFillReason.CAMPAIGN_NOT_ACTIVE,
    ),
    "ad paused": (Case(ad={"status": AdStatus.PAUSED}), NoFillReason.AD_NOT_ACTIVE),
    "campaign asks too much": (
        Case(campaign={"requires": ("something_later",)}),
        NoFillReason.NOT_SUPPORTED_YET,
    ),
    "ad asks too much": (
        Case(ad={"requires": ("targeting.mood",)}),
        NoFillReason.NOT_SUPPORTED_YET,
    ),
    "time zone that this machine lacks": (
        Case(campaign={"timezone": "Nowhere/Nowhere"}),
        NoFillReason.NOT_SUPPORTED_YET,
    ),
    "dayparts in a time zone that this machine lacks": (
        Case(
            campaign={
                "timezone": "Nowhere/Nowhere",
                "targeting": '{"dayparts":[{"days":["mon"],"end":"24:00","start":"00:00"}]}',
            }
        ),
        NoFillReason.NOT_SUPPORTED_YET,
    ),
    "budget spent": (Case(campaign={"spent": True}), NoFillReason.BUDGET_SPENT),
    "not started": (Case(campaign={"start_at_ms": NOW_MS + 1}), NoFillReason.OUT_OF_FLIGHT),
    "ended this instant": (Case(campaign={"end_at_ms": NOW_MS}), NoFillReason.OUT_OF_FLIGHT),
    "another slot": (Case(ad={"slot_ids": ("other",)}), NoFillReason.SLOT_NOT_TARGETED),
    "another slot of the campaign's targeting": (
        Case(campaign={"targeting": '{"slots":{"include":["other"]}}'}),
        NoFillReason.SLOT_NOT_TARGETED,
    ),
    "a slot that the ad's targeting excludes": (
        Case(slot={"id": "this"}, ad={"targeting": '{"slots":{"exclude":["this"]}}'}),
        NoFillReason.SLOT_NOT_TARGETED,
    ),
    "format the slot lacks": (
        Case(slot={"formats": (Format.NATIVE,)}),
        NoFillReason.FORMAT_MISMATCH,
    ),
    "format nobody asked for": (
        Case(asked={"format": Format.NATIVE}),
        NoFillReason.FORMAT_MISMATCH,
    ),
    "size the slot lacks": (
        Case(slot={"sizes": (Size(728, 90),)}),
        NoFillReason.SIZE_MISMATCH,
    ),
    "sound longer than a break of the slot": (
        Case(
            slot={"formats": (Format.AUDIO,), "audio": AudioLimits(1_000, 1)},
            ad={"format": Format.AUDIO, "content": '{"media":[{"duration_ms":1001}]}'},
        ),
        NoFillReason.DURATION_MISMATCH,
    ),
    "wider than the room": (Case(asked={"width": 299}), NoFillReason.SIZE_MISMATCH),
    "higher than the room": (Case(asked={"height": 249}), NoFillReason.SIZE_MISMATCH),
    "blocked advertiser": (
        Case(slot={"blocked_advertiser_domains": ("brand.example",)}),
        NoFillReason.BLOCKED_ADVERTISER,
    ),
    "blocked advertiser above": (
        Case(slot={"blocked_advertiser_domains": ("example",)}),
        NoFillReason.BLOCKED_ADVERTISER,
    ),
    "blocked host of an advertiser": (
        Case(
            slot={"blocked_advertiser_domains": ("shop.brand.example",)},
            ad={"click_url": "https://www.shop.brand.example:8443/a?b=c"},
        ),
        NoFillReason.BLOCKED_ADVERTISER,
    ),
    "category blocked by the slot": (
        Case(slot={"blocked_categories": ("7",)}, ad={"categories": ("7-3",)}),
        NoFillReason.BLOCKED_CATEGORY,
    ),
    "category blocked by the property": (
        Case(prop={"blocked_categories": ("7-3",)}, ad={"categories": ("7-3",)}),
        NoFillReason.BLOCKED_CATEGORY,
    ),
    "below the floor": (Case(slot={"floor_micros": 1_000_001}), NoFillReason.BELOW_FLOOR),
}

PASSES: dict[str, Case] = {
    "nothing in the way": Case(),
    "past due still serves": Case(account={"state": AccountState.PAST_DUE}),
    "starts this instant": Case(campaign={"start_at_ms": NOW_MS}),
    "ends in the next instant": Case(campaign={"end_at_ms": NOW_MS + 1}),
    "exactly the room": Case(asked={"width": 300, "height": 250}),
    "one of the slot's sizes": Case(slot={"sizes": (Size(728, 90), Size(300, 250))}),
    "native has no size": Case(
        slot={"sizes": (Size(728, 90),)},
        ad={"format": Format.NATIVE, "width": None, "height": None},
        asked={"width": 1, "height": 1},
    ),
    "exactly the floor": Case(slot={"floor_micros": 1_000_000}),
    "the floor is for the auction alone": Case(
        slot={"floor_micros": 2_000_000}, campaign={"priority": Priority.STANDARD}
    ),
    "another category": Case(slot={"blocked_categories": ("7",)}, ad={"categories": ("70",)}),
    "a domain that only ends alike": Case(
        slot={"blocked_advertiser_domains": ("brand.example",)},
        ad={
            "advertiser_domain": "otherbrand.example",
            "click_url": "https://otherbrand.example/brand.example",
        },
    ),
    "another host of a blocked one's advertiser": Case(
        slot={"blocked_advertiser_domains": ("shop.brand.example",)},
        ad={"click_url": "https://www.brand.example/"},
    ),
    "house ads go on with a full spool": Case(
        campaign={"priority": Priority.HOUSE}, gates=Gates(spool_full=True)
    ),
}


@pytest.mark.parametrize(("case", "reason"), DROPS.values(), ids=DROPS.keys())
def test_a_gate_drops_the_only_candidate(case: Case, reason: NoFillReason) -> None:
    assert case.decide() == NoFill(reason)


@pytest.mark.parametrize("case", PASSES.values(), ids=PASSES.keys())
def test_a_candidate_within_every_gate_is_chosen(case: Case) -> None:
    assert isinstance(case.decide(), Fill)


def test_a_blocked_ad_is_dropped() -> None:
    slot, campaign = a_slot(), a_campaign()
    ad = an_ad(campaign)
    prop = a_property(blocked_ad_ids=(ad.id,))
    snapshot = a_snapshot(slot, campaign, ad, prop)
    decision = decide(snapshot, an_opportunity(slot, property=prop), OPEN, NOW_MS, 0)
    assert decision == NoFill(NoFillReason.BLOCKED_AD)


def test_the_stop_switch_does_not_stop_test() -> None:
    assert isinstance(Case(account={"stopped": True}).decide(Environment.TEST), Fill)


def test_test_campaigns_need_no_money() -> None:
    assert isinstance(Case(account={"funded": False}).decide(Environment.TEST), Fill)


def test_a_slots_own_house_ad_shows_though_there_is_no_money() -> None:
    campaign = a_campaign()
    ad = an_ad(campaign)
    slot = a_slot(house_ad_id=ad.id)
    snapshot = a_snapshot(an_account(funded=False), slot, campaign, ad)
    decision = decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, 0)
    assert isinstance(decision, Fill)
    assert decision.price_micros == 0


def test_a_property_without_campaigns_has_no_candidate() -> None:
    slot = a_slot()
    decision = decide(a_snapshot(slot), an_opportunity(slot), OPEN, NOW_MS, 0)
    assert decision == NoFill(NoFillReason.NO_CANDIDATE)


def test_a_campaign_of_another_property_is_no_candidate() -> None:
    slot, campaign = a_slot(), a_campaign(property_ids=("another",))
    snapshot = a_snapshot(slot, campaign, an_ad(campaign))
    decision = decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, 0)
    assert decision == NoFill(NoFillReason.NO_CANDIDATE)


@pytest.mark.parametrize("order", [lambda objects: objects, reversed])
def test_the_reason_is_that_of_the_candidate_that_passed_most_gates(
    order: Callable[[list[SnapshotObject]], list[SnapshotObject]],
) -> None:
    slot = a_slot()
    paused = a_campaign(status=CampaignStatus.PAUSED)
    ended = a_campaign(end_at_ms=NOW_MS)
    spent = a_campaign(spent=True)
    objects: list[SnapshotObject] = [slot]
    for campaign in (paused, ended, spent):
        objects += [campaign, an_ad(campaign)]
    decision = decide(a_snapshot(*order(objects)), an_opportunity(slot), OPEN, NOW_MS, 0)
    assert decision == NoFill(NoFillReason.OUT_OF_FLIGHT)


def test_a_fill_names_the_price_of_one_billable_event() -> None:
    decision = Case(campaign={"bid_cents": 250}).decide()
    assert isinstance(decision, Fill)
    assert decision.price_micros == 2500


def test_a_click_campaign_is_ranked_by_its_expected_clicks() -> None:
    """A click at 100 cents, expected of one impression in a thousand, is worth a CPM of 100 cents."""
    case = Case(
        campaign={"pricing_model": PricingModel.CPC, "bid_cents": 100},
        slot={"floor_micros": 1_000_000},
    )
    assert isinstance(case.decide(), Fill)
    dearer = Case(campaign=case.campaign, slot={"floor_micros": 1_000_001})
    assert dearer.decide() == NoFill(NoFillReason.BELOW_FLOOR)
