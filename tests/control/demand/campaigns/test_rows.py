"""What lists send of a campaign is the contract's model, byte by byte."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from common.values.messages import Message
from control.demand.campaigns.delivery_status.delivery import Delivery
from control.demand.campaigns.rows import to_public, to_wire
from control.demand.campaigns.schemas import DeliveryStatus
from control.storage.tables.campaigns import CampaignRow

_AT = datetime(2030, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
_DELIVERY = Delivery(DeliveryStatus.NOT_DELIVERING, Message("draft: activate the campaign"))
_EVERYTHING: dict[str, Any] = {
    "start_at": _AT,
    "end_at": _AT,
    "budget_total_cents": 1_000_000_000_000,
    "budget_daily_cents": 1,
    "goal": {"total": 5, "kind": "clicks"},
    "frequency_caps": [
        {
            "event": "click",
            "limit": 3,
            "scope": "ad",
            "window": {"unit": "day", "interval": 1},
        }
    ],
    "targeting": {"keywords": {"any": ["café", "\u2028 \U0001f600"]}},
    "review": {
        "at": "2030-01-01T00:00:00.000Z",
        "by": "someone",
        "reason": "No.",
        "decision": "rejected",
    },
    "external_ref": 'a "quoted" / one',
    "metadata_": {"team": "\x7fgrowth\\"},
}


def a_campaign(**columns: Any) -> CampaignRow:
    values: dict[str, Any] = {
        "id": "0190d1c0-0000-7000-8000-000000000001",
        "account_id": "0190d1c0-0000-7000-8000-000000000002",
        "environment": "test",
        "property_ids": ["0190d1c0-0000-7000-8000-000000000003"],
        "name": "Spring",
        "objective": "traffic",
        "pricing_model": "cpm",
        "bid_cents": 250,
        "pacing": "even",
        "priority": "auction",
        "timezone": "UTC",
        "status": "draft",
        "attribution": {
            "bill_in_session": False,
            "pixel_conversions_per_click": 1,
            "conversion_events": ["bought"],
            "view_window_hours": 24,
            "click_window_hours": 720,
        },
        "created_at": _AT,
        "updated_at": _AT,
    }
    return CampaignRow(**values | columns)


@pytest.mark.parametrize("columns", [{}, _EVERYTHING], ids=["least", "everything"])
def test_the_json_form_is_that_of_the_model(columns: dict[str, Any]) -> None:
    row = a_campaign(**columns)
    sent = orjson.dumps(to_wire(row, _DELIVERY, 12_345_678))
    assert sent.decode() == to_public(row, _DELIVERY, 12_345_678).model_dump_json()


def test_a_campaign_stored_before_a_term_was_there_has_its_usual_value() -> None:
    row = a_campaign(attribution={"bill_in_session": True})
    assert to_public(row, _DELIVERY, 0).attribution.model_dump() == {
        "click_window_hours": 720,
        "view_window_hours": 24,
        "conversion_events": [],
        "bill_in_session": True,
        "pixel_conversions_per_click": 1,
    }
