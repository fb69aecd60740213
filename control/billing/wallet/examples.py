"""Examples of the wallet for the API description."""

from typing import Any

from control.foundation.openapi_examples import MADE_AT, TOP_UP_ID, USER_ID

WALLET: dict[str, Any] = {
    "currency": "USD",
    "mode": "prepaid",
    "balance_cents": 48_211,
    "balance_micros": 482_117_500,
    "pending_spend_micros": 12_000,
    "invoiced_cents": 0,
    "credit_limit_cents": None,
    "available_micros": 482_105_500,
    "funded": True,
}

ENTRY: dict[str, Any] = {
    "id": "01940b3e-0000-7000-8000-0000000000e1",
    "at": MADE_AT,
    "kind": "top_up",
    "amount_micros": 500_000_000,
    "reference": f"top_up:{TOP_UP_ID}",
    "memo": None,
    "actor": "operator",
}

TOP_UP_BODY: dict[str, Any] = {"amount_cents": 50_000}

TOP_UP: dict[str, Any] = {
    "id": TOP_UP_ID,
    "amount_cents": 50_000,
    "currency": "USD",
    "status": "pending",
    "provider": "manual",
    "provider_reference": "TU-0000000000E0",
    "instructions": (
        "Transfer USD 500.00 with the reference TU-0000000000E0. "
        "The wallet is credited once the operator has received it."
    ),
    "requested_by": USER_ID,
    "created_at": MADE_AT,
    "settled_at": None,
    "failure_reason": None,
}
