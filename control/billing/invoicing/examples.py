"""Examples of billing for the API description."""

from typing import Any

from control.foundation.openapi_examples import CAMPAIGN_ID, INVOICE_ID

SUBSCRIPTION: dict[str, Any] = {
    "plan": "standard",
    "status": "active",
    "price_cents": 4900,
    "term": "month",
    "trial_ends_at": "2026-01-24T09:00:00.000Z",
    "renews": True,
    "ends_at": "2026-02-24T09:00:00.000Z",
    "suspends_at": None,
    "started_at": "2026-01-10T09:00:00.000Z",
    "ended_at": None,
    "period_start": "2026-01-24T09:00:00.000Z",
    "period_end": "2026-02-24T09:00:00.000Z",
}
CANCELLED = SUBSCRIPTION | {"renews": False, "suspends_at": "2026-03-11T09:00:00.000Z"}

BILLING: dict[str, Any] = {
    "account_state": "active",
    "currency": "USD",
    "mode": "invoiced",
    "credit_limit_cents": 500_000,
    "subscription": SUBSCRIPTION,
    "next_invoice": {
        "month": "2026-02",
        "issued_after": "2026-03-01T00:00:00.000Z",
        "amount_cents": 118_230,
    },
    "open_cents": 40_211,
    "past_due_cents": 0,
}

INVOICE: dict[str, Any] = {
    "id": INVOICE_ID,
    "month": "2026-01",
    "status": "open",
    "currency": "USD",
    "total_micros": 402_117_500,
    "amount_cents": 40_211,
    "carried_micros": 7_500,
    "issued_at": "2026-02-01T00:12:00.000Z",
    "due_at": "2026-02-15T00:12:00.000Z",
    "paid_at": None,
    "voided_at": None,
}

INVOICE_WITH_LINES: dict[str, Any] = INVOICE | {
    "lines": [
        {
            "kind": "spend",
            "description": "Spring",
            "campaign_id": CAMPAIGN_ID,
            "unit": "impression",
            "units": 214_447,
            "micros": 412_117_500,
        },
        {
            "kind": "adjustment",
            "description": "Adjustments",
            "campaign_id": None,
            "unit": None,
            "units": None,
            "micros": -10_000_000,
        },
    ]
}
