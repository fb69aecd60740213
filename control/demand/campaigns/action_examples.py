"""Examples of actions on a campaign for the API description: requests and responses."""

from typing import Any

from control.demand.campaigns.examples import CAMPAIGN
from control.foundation.openapi_examples import CAMPAIGN_ID, USER_ID

_CLONE_ID = "01940b3e-0000-7000-8000-0000000000c5"
_DECIDED_AT = "2026-02-21T09:30:00.000Z"

CLONE_BODY: dict[str, Any] = {
    "name": "Summer sale",
    "start_at": "2026-06-01T00:00:00.000Z",
    "end_at": "2026-07-01T00:00:00.000Z",
}

CLONED: dict[str, Any] = CAMPAIGN | CLONE_BODY | {"id": _CLONE_ID, "external_ref": None}

REJECT_BODY: dict[str, Any] = {"reason": "The landing page shows another price than the ad."}

APPROVAL: dict[str, Any] = {
    "decision": "approved",
    "reason": None,
    "at": _DECIDED_AT,
    "by": USER_ID,
}

REJECTION: dict[str, Any] = APPROVAL | {"decision": "rejected", **REJECT_BODY}

BULK_BODY: dict[str, Any] = {"action": "pause", "ids": [CAMPAIGN_ID]}

BULK_RESULTS: dict[str, Any] = {
    "data": [
        {"id": CAMPAIGN_ID, "ok": True, "status": "paused", "version": 3, "error": None},
    ]
}

DELIVERY: dict[str, Any] = {
    "status": "active",
    "delivery_status": "delivering",
    "delivery_reason": None,
    "expected_percent": 50.0,
    "actual_percent": 47.2,
    "pace": "on_track",
    "spend_cents": 4720,
    "remaining_cents": 5280,
    "today": {
        "date": "2026-03-16",
        "spend_cents": 160,
        "remaining_cents": None,
        "impressions": 640,
        "clicks": 3,
        "conversions": 0,
    },
    "impressions": 18880,
    "clicks": 41,
    "conversions": 2,
    "max_over_delivery_cents": 120,
    "top_no_serve_reasons": [{"reason": "size_mismatch", "share": 0.0312}],
    "as_of": "2026-03-16T12:00:00.000Z",
}
