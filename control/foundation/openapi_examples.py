"""Values shared by the examples of the public API description."""

from typing import Any

PROPERTY_ID = "01940b3e-0000-7000-8000-0000000000b1"
SLOT_ID = "01940b3e-0000-7000-8000-0000000000b2"
CAMPAIGN_ID = "01940b3e-0000-7000-8000-0000000000c1"
AD_ID = "01940b3e-0000-7000-8000-0000000000c2"
ASSET_ID = "01940b3e-0000-7000-8000-0000000000c3"
KEY_ID = "01940b3e-0000-7000-8000-0000000000d1"
ACCOUNT_ID = "01940b3e-0000-7000-8000-0000000000a0"
USER_ID = "01940b3e-0000-7000-8000-0000000000a1"
TOP_UP_ID = "01940b3e-0000-7000-8000-0000000000e0"
INVOICE_ID = "01940b3e-0000-7000-8000-0000000000e2"
PAYOUT_ID = "01940b3e-0000-7000-8000-0000000000e3"
MADE_AT = "2026-02-20T12:00:00.000Z"


def a_page(item: dict[str, Any]) -> dict[str, Any]:
    """A page with one item."""
    return {"data": [item], "has_more": False, "next_cursor": None}


def after(item: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The same object, one version later."""
    return item | {"version": 2, "updated_at": "2026-02-21T09:30:00.000Z"} | changes
