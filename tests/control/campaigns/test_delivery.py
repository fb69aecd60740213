"""Whether a campaign delivers, and the reason when it does not."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from control.campaigns.delivery import Surroundings, delivery_of
from tests.support.rows import NOW, a_campaign_row

GOOD = Surroundings(
    account_state="active",
    account_stopped=False,
    property_statuses=("verified",),
    spent_micros=0,
    active_ads=((),),
)
LATER = NOW + timedelta(days=1)


@pytest.mark.parametrize(
    ("columns", "around", "status", "reason"),
    [
        ({}, {}, "delivering", None),
        ({"environment": "test"}, {"property_statuses": ("unverified",)}, "delivering", None),
        ({"environment": "test"}, {"account_stopped": True}, "delivering", None),
        ({"environment": "test"}, {"account_funded": False}, "delivering", None),
        ({}, {"account_state": "past_due"}, "delivering", None),
        ({}, {"active_ads": ((), ("targeting.geo",))}, "delivering", None),
        ({"start_at": NOW}, {}, "delivering", None),
        ({"status": "draft"}, {}, "not_delivering", "draft"),
        ({"status": "paused"}, {}, "not_delivering", "paused"),
        ({"status": "archived"}, {}, "not_delivering", "archived"),
        ({"end_at": NOW}, {}, "ended", "ended"),
        ({"status": "completed"}, {}, "ended", "ended"),
        ({"start_at": LATER}, {}, "scheduled", "scheduled"),
        ({}, {"active_ads": ()}, "no_ads", "no_ads"),
        ({}, {"account_state": "suspended"}, "blocked", "account_suspended"),
        ({}, {"account_stopped": True}, "blocked", "account_stopped"),
        ({}, {"account_funded": False}, "blocked", "no_funds"),
        ({}, {"property_statuses": ("unverified",)}, "blocked", "property_unverified"),
        ({"goal": {"kind": "clicks", "total": 1}}, {}, "not_delivering", "not_supported_yet"),
        ({}, {"active_ads": (("targeting.geo",),)}, "not_delivering", "not_supported_yet"),
        (
            {"budget_total_cents": 5},
            {"spent_micros": 50_000},
            "budget_exhausted",
            "budget_exhausted",
        ),
    ],
)
def test_the_first_thing_in_the_way_is_the_reason(
    columns: dict[str, Any], around: dict[str, Any], status: str, reason: str | None
) -> None:
    found = delivery_of(a_campaign_row(**columns), replace(GOOD, **around), NOW)

    assert found.status == status
    assert (found.reason or "").partition(":")[0] == (reason or "")


def test_what_is_not_supported_yet_is_named() -> None:
    row = a_campaign_row(
        goal={"kind": "clicks", "total": 1}, targeting={"segments": {"include": ["buyers"]}}
    )

    assert delivery_of(row, GOOD, NOW).reason == "not_supported_yet: goal, targeting.segments"
