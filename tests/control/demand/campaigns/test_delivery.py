"""Whether a campaign delivers, and the reason when it does not."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from control.delivery.pacing.slot_match import AdShape, SlotShape
from control.demand.campaigns.delivery_status.delivery import DeliveryContext, delivery_of
from tests.support.rows import NOW, a_campaign_row

BANNER = AdShape("banner", (300, 250))
SLOT = SlotShape("s1", ("banner", "native"), ((300, 250),))
GOOD = DeliveryContext(
    account_state="active",
    account_stopped=False,
    property_statuses=("verified",),
    ads={"active": 1},
    active_ads=(BANNER,),
    slots=(SLOT,),
)
LATER = NOW + timedelta(days=1)
GOAL = {"goal": {"kind": "clicks", "total": 5}}
DAILY = {"budget_daily_cents": 5}
UNABLE = AdShape("banner", requires=("targeting.mood",))
EVERYTHING = frozenset({"goal", "budget", "targeting.mood"})


@pytest.mark.parametrize(
    ("columns", "context", "status", "reason"),
    [
        ({}, {}, "delivering", None),
        ({"environment": "test"}, {"property_statuses": ("unverified",)}, "delivering", None),
        ({"environment": "test"}, {"account_stopped": True}, "delivering", None),
        ({"environment": "test"}, {"account_funded": False}, "delivering", None),
        ({}, {"account_state": "past_due"}, "delivering", None),
        ({}, {"property_statuses": ("unverified", "verified")}, "delivering", None),
        ({}, {"active_ads": (BANNER, UNABLE)}, "delivering", None),
        ({"start_at": NOW}, {}, "delivering", None),
        ({"status": "draft"}, {}, "not_delivering", "draft"),
        ({"status": "pending_review"}, {}, "not_delivering", "pending_review"),
        ({"status": "rejected"}, {}, "not_delivering", "rejected"),
        ({"status": "paused"}, {}, "not_delivering", "paused"),
        ({"status": "archived"}, {}, "not_delivering", "archived"),
        ({"end_at": NOW}, {}, "ended", "ended"),
        ({"status": "completed"}, {}, "ended", "ended"),
        (GOAL, {"counted": 5}, "ended", "goal_reached"),
        ({"start_at": LATER}, {}, "scheduled", "scheduled"),
        ({}, {"account_state": "suspended"}, "blocked", "account_suspended"),
        ({}, {"account_stopped": True}, "blocked", "account_stopped"),
        ({}, {"account_funded": False}, "blocked", "no_funds"),
        ({}, {"property_statuses": ("unverified",)}, "blocked", "property_unverified"),
        ({}, {"property_statuses": ("suspended",)}, "blocked", "property_suspended"),
        ({"targeting": {"mood": {}}}, {}, "not_delivering", "not_supported_yet"),
        ({}, {"active_ads": (UNABLE,)}, "not_delivering", "not_supported_yet"),
        (
            {"budget_total_cents": 5},
            {"spent_micros": 50_000},
            "budget_exhausted",
            "budget_exhausted",
        ),
        ({"budget_total_cents": 5}, {"spent_micros": 48_000}, "delivering", None),
        (
            {"budget_total_cents": 5},
            {"spent_micros": 48_001},
            "budget_exhausted",
            "budget_exhausted",
        ),
        (
            {"budget_total_cents": 5, "environment": "test", "bid_cents": 9_999},
            {},
            "delivering",
            None,
        ),
    ],
)
def test_the_first_thing_in_the_way_is_the_reason(
    columns: dict[str, Any], context: dict[str, Any], status: str, reason: str | None
) -> None:
    found = delivery_of(a_campaign_row(**columns), replace(GOOD, **context), NOW)

    assert found.status == status
    assert (found.reason or "").partition(":")[0] == (reason or "")


@pytest.mark.parametrize(
    ("ads", "reason"),
    [
        ({}, "no_ads"),
        ({"archived": 2}, "no_ads"),
        ({"draft": 1, "rejected": 3}, "ads_draft"),
        ({"rejected": 3}, "ads_rejected"),
        ({"paused": 1, "draft": 2}, "ads_paused"),
        ({"pending_review": 1, "paused": 1}, "ads_pending_review"),
    ],
)
def test_without_an_active_ad_the_nearest_ones_are_named(ads: dict[str, int], reason: str) -> None:
    found = delivery_of(a_campaign_row(), replace(GOOD, ads=ads, active_ads=()), NOW)

    assert found.status == "no_ads"
    assert found.reason is not None
    assert found.reason.partition(":")[0] == reason


@pytest.mark.parametrize(
    ("ads", "slots", "reason"),
    [
        ((BANNER,), (), "no_slots"),
        ((BANNER,), (replace(SLOT, active=False),), "slots_archived"),
        (
            (replace(BANNER, slot_ids=("s1",)),),
            (replace(SLOT, active=False), replace(SLOT, id="s2")),
            "slots_archived",
        ),
        ((AdShape("video"),), (SLOT,), "no_slot_for_format"),
        ((replace(BANNER, size=(728, 90)),), (SLOT,), "no_slot_for_size"),
        ((UNABLE, AdShape("video")), (SLOT,), "no_slot_for_format"),
    ],
)
def test_ads_that_fit_no_slot_report_what_is_missing(
    ads: tuple[AdShape, ...], slots: tuple[SlotShape, ...], reason: str
) -> None:
    found = delivery_of(a_campaign_row(), replace(GOOD, active_ads=ads, slots=slots), NOW)

    assert found.status == "not_delivering"
    assert found.reason is not None
    assert found.reason.partition(":")[0] == reason


@pytest.mark.parametrize(
    ("ad", "slot"),
    [
        (AdShape("banner", (300, 250)), SlotShape("s1", ("banner",))),
        (AdShape("native"), SLOT),
        (AdShape("video"), SlotShape("s1", ("video",), ((640, 360),))),
        (replace(BANNER, slot_ids=("s1", "s9")), SLOT),
    ],
)
def test_an_ad_that_fits_one_slot_delivers(ad: AdShape, slot: SlotShape) -> None:
    context = replace(GOOD, active_ads=(AdShape("audio"), ad), slots=(slot,))

    assert delivery_of(a_campaign_row(), context, NOW).status == "delivering"


def test_a_missing_format_names_what_there_is() -> None:
    context = replace(GOOD, active_ads=(AdShape("video"),))

    reason = delivery_of(a_campaign_row(), context, NOW).reason

    assert reason is not None
    assert "its ads are video, its slots take banner, native" in reason


@pytest.mark.parametrize(
    ("model", "spent_today_micros", "status"),
    [
        ("cpm", 48_000, "delivering"),
        ("cpm", 48_001, "budget_exhausted_today"),
        ("cpm", 50_000, "budget_exhausted_today"),
        ("cpc", 49_999, "delivering"),
        ("cpc", 50_000, "budget_exhausted_today"),
    ],
)
def test_the_day_is_over_when_its_budget_pays_for_no_further_event(
    model: str, spent_today_micros: int, status: str
) -> None:
    context = replace(GOOD, spent_today_micros=spent_today_micros)
    row = a_campaign_row(timezone="America/Sao_Paulo", pricing_model=model, **DAILY)

    found = delivery_of(row, context, NOW, honoured=EVERYTHING)

    assert found.status == status
    assert status == "delivering" or "midnight of America/Sao_Paulo" in str(found.reason)


def test_unsupported_features_are_named() -> None:
    row = a_campaign_row(**GOAL, targeting={"segments": {"include": ["buyers"]}})

    found = delivery_of(row, GOOD, NOW, honoured=frozenset())

    assert found.reason == "not_supported_yet: goal, targeting.segments"


@pytest.mark.parametrize(
    ("lookups", "unknown", "reason"),
    [(0, 0, ""), (1000, 1, ""), (1000, 2, "caps_unknown"), (10, 10, "caps_unknown")],
)
def test_caps_that_edges_cannot_look_up_are_named_though_it_delivers(
    lookups: int, unknown: int, reason: str
) -> None:
    context = replace(GOOD, cap_lookups=lookups, cap_lookups_unknown=unknown)

    found = delivery_of(a_campaign_row(), context, NOW)

    assert found.status == "delivering"
    assert (found.reason or "").partition(":")[0] == reason
