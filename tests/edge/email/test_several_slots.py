"""Mails with several slots: no advertiser appears in two of them, whichever calls prepare them."""

from pathlib import Path
from typing import Any

import pytest

from common.pacing.worker_leases import LeasedBudgets
from common.snapshot.model import Budget, FrequencyCap, Slot
from common.values.enums import CampaignStatus, EventKind, Priority
from tests.edge.email.mail_world import a_mail_ad, a_mail_slot, a_sender
from tests.support.builders import a_campaign
from tests.support.leases import grant_lease

_MODES = pytest.mark.parametrize("mode", ["per_send", "per_recipient"])
_BOTH: dict[str, Any] = {"slot": None, "slots": ["newsletter", "lower"]}


def _statuses(prepared: dict[str, Any]) -> list[str]:
    return [item["status"] for item in prepared["items"]]


def _a_rival(**changes: Any) -> tuple[Any, Any]:
    campaign = a_campaign(**changes)
    ad = a_mail_ad(campaign, click_url="https://rival.example/", advertiser_domain="rival.example")
    return campaign, ad


def _in_slot(slot: Slot) -> str:
    return f'{{"slots":{{"include":["{slot.id}"]}}}}'


@_MODES
async def test_two_slots_of_a_mail_never_show_one_advertiser(tmp_path: Path, mode: str) -> None:
    lower = a_mail_slot(key="lower")
    async with a_sender(tmp_path, lower) as sender:
        prepared = await sender.prepare(mode=mode, slot=None, slots=["newsletter", lower.id])

    assert [item["slot"] for item in prepared["items"]] == ["newsletter", lower.id]
    assert _statuses(prepared) == ["filled", "no_fill"]
    assert {prepared["items"][1][name] for name in ("html", "ad_id", "click_url")} == {None}


@_MODES
async def test_a_second_advertiser_fills_the_second_slot_of_every_mail(
    tmp_path: Path, mode: str
) -> None:
    """300 recipients are prepared in parts, which have the same ads with `per_send`."""
    people = [{"ref": f"r{number}"} for number in range(300)]
    async with a_sender(tmp_path, a_mail_slot(key="lower"), *_a_rival()) as sender:
        prepared = await sender.prepare(mode=mode, recipients=people, **_BOTH)

    items = prepared["items"]
    assert prepared["filled"] == 600
    mails = {
        (one["ad_id"], other["ad_id"]) for one, other in zip(items[::2], items[1::2], strict=True)
    }
    assert all(one != other for one, other in mails)
    assert len(mails) == 1 or mode == "per_recipient"


@_MODES
@pytest.mark.parametrize("first", ["newsletter", "lower"])
async def test_a_slot_that_an_earlier_call_prepared_keeps_its_advertiser_to_itself(
    tmp_path: Path, mode: str, first: str
) -> None:
    async with a_sender(tmp_path, a_mail_slot(key="lower")) as sender:
        earlier = await sender.prepare(mode=mode, slot=first)
        later = await sender.prepare(mode=mode, **_BOTH)

    (item,) = earlier["items"]
    assert item["status"] == "filled"
    assert [one for one in later["items"] if one["slot"] == first] == [item]
    assert (later["filled"], later["no_fill"]) == (1, 1)


async def test_other_recipients_of_a_send_get_the_ads_that_its_slots_have(tmp_path: Path) -> None:
    """The slots are named in another order, and one of them was prepared alone."""
    async with a_sender(tmp_path, a_mail_slot(key="lower"), *_a_rival()) as sender:
        alone = await sender.prepare(mode="per_send", slot="lower")
        both = await sender.prepare(mode="per_send", recipients=[{"ref": "r2"}], **_BOTH)
        again = await sender.prepare(mode="per_send", recipients=[{"ref": "r3"}], **_BOTH)

    ads = [item["ad_id"] for item in both["items"]]
    assert ads[1] == alone["items"][0]["ad_id"] != ads[0]
    assert [item["ad_id"] for item in again["items"]] == ads


async def test_a_slot_that_waits_for_a_lease_repeats_no_advertiser_of_a_later_slot(
    tmp_path: Path,
) -> None:
    slot, lower = a_mail_slot(), a_mail_slot(key="lower")
    of_lower = a_campaign(targeting=_in_slot(lower))
    leased: dict[str, Any] = {
        "budget": Budget(10_000_000, None),
        "targeting": _in_slot(slot),
    }
    async with a_sender(
        tmp_path, lower, of_lower, a_mail_ad(of_lower), slot=slot, **leased
    ) as sender:
        budgets = sender.edge.budgets
        assert isinstance(budgets, LeasedBudgets)
        campaign = sender.edge.snapshots.current().campaigns[sender.ad.campaign_id]

        async def next_grants() -> None:
            grant_lease(budgets, campaign, campaign.bid_micros)

        sender.edge.next_grants = next_grants
        both = await sender.prepare(**_BOTH)
        alone = await sender.prepare(send_id="2", slot="newsletter")

    assert _statuses(both) == ["no_fill", "filled"]
    assert _statuses(alone) == ["filled"], "the lease suffices for one"


@_MODES
async def test_a_send_waits_for_a_lease_although_the_house_ad_is_capped(
    tmp_path: Path, mode: str
) -> None:
    """Nothing is known of these recipients, so the house ad does not show."""
    house = a_campaign(
        priority=Priority.HOUSE,
        bid_cents=0,
        status=CampaignStatus.PAUSED,
        frequency_caps=(FrequencyCap("campaign", EventKind.IMPRESSION, 1, 3_600),),
    )
    ad = a_mail_ad(house, click_url="https://shop.example/own")
    slot = a_mail_slot(house_ad_id=ad.id)
    budget = Budget(total_micros=10_000_000, daily_micros=None)
    async with a_sender(tmp_path, house, ad, slot=slot, budget=budget) as sender:
        budgets = sender.edge.budgets
        assert isinstance(budgets, LeasedBudgets)
        campaign = sender.edge.snapshots.current().campaigns[sender.ad.campaign_id]

        async def next_grants() -> None:
            grant_lease(budgets, campaign, campaign.bid_micros)

        sender.edge.next_grants = next_grants
        prepared = await sender.prepare(mode=mode)

    assert [item["ad_id"] for item in prepared["items"]] == [sender.ad.id]


@_MODES
async def test_a_sponsor_takes_all_slots_of_a_mail(tmp_path: Path, mode: str) -> None:
    async with a_sender(
        tmp_path, a_mail_slot(key="lower"), priority=Priority.SPONSORSHIP
    ) as sender:
        prepared = await sender.prepare(mode=mode, **_BOTH)

    assert _statuses(prepared) == ["filled", "filled"]
