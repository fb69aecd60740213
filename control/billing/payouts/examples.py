"""Examples of payouts for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT, PAYOUT_ID, PROPERTY_ID, USER_ID

PAYOUT_BODY: dict[str, Any] = {"property_id": PROPERTY_ID, "amount_cents": 12_000}

PAYOUT: dict[str, Any] = {
    "id": PAYOUT_ID,
    "property_id": PROPERTY_ID,
    "payee": "Acme Media Ltda",
    "amount_cents": 12_000,
    "currency": "USD",
    "status": "requested",
    "requested_by": USER_ID,
    "created_at": MADE_AT,
    "approved_at": None,
    "paid_at": None,
    "failed_at": None,
    "failure_reason": None,
}

EARNINGS: dict[str, Any] = {
    "property_id": PROPERTY_ID,
    "payable_micros": 120_007_310,
    "payable_cents": 12_000,
    "currency": "USD",
}
