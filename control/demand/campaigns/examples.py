"""Examples of a campaign's request and response for the API description."""

from typing import Any

from control.foundation.openapi_examples import CAMPAIGN_ID, MADE_AT, PROPERTY_ID

CAMPAIGN_BODY: dict[str, Any] = {
    "name": "Spring sale",
    "objective": "traffic",
    "pricing_model": "cpm",
    "bid_cents": 250,
    "pacing": "even",
    "start_at": "2026-03-01T00:00:00.000Z",
    "end_at": "2026-04-01T00:00:00.000Z",
    "external_ref": "order-4711",
    "metadata": {"buyer": "ana"},
}

CAMPAIGN_PATCH: dict[str, Any] = {"bid_cents": 300, "end_at": None}

CAMPAIGN: dict[str, Any] = {
    "id": CAMPAIGN_ID,
    "property_ids": [PROPERTY_ID],
    "name": "Spring sale",
    "objective": "traffic",
    "pricing_model": "cpm",
    "bid_cents": 250,
    "pacing": "even",
    "priority": "auction",
    "start_at": "2026-03-01T00:00:00.000Z",
    "end_at": "2026-04-01T00:00:00.000Z",
    "timezone": "America/Sao_Paulo",
    "budget": {"total_cents": None, "daily_cents": None},
    "goal": None,
    "share_of_voice_percent": None,
    "frequency_caps": [],
    "targeting": {},
    "attribution": {
        "click_window_hours": 720,
        "view_window_hours": 24,
        "conversion_events": [],
        "bill_in_session": False,
        "pixel_conversions_per_click": 1,
    },
    "status": "draft",
    "delivery_status": "not_delivering",
    "delivery_reason": "draft: activate the campaign",
    "spend_cents": 0,
    "review": None,
    "external_ref": "order-4711",
    "metadata": {"buyer": "ana"},
    "is_test": False,
    "version": 1,
    "created_at": MADE_AT,
    "updated_at": MADE_AT,
}
