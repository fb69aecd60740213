"""API schemas of payouts."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from control.foundation.wire_types import Id, Limit, MoneyCents

_CURSOR = "`next_cursor` of the page before."


class PayoutStatus(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    PAID = "paid"
    FAILED = "failed"


class PayoutCreate(WireIn):
    property_id: Id
    amount_cents: MoneyCents | None = Field(
        None, description="Up to what the property has earned; left out: all of it."
    )


class PayoutList(WireIn):
    property_id: Id | None = None
    status: PayoutStatus | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description=_CURSOR)


class PayoutPublic(WireOut):
    id: str
    property_id: str
    payee: str = Field(description="The property's payee when it was asked for.")
    amount_cents: int
    currency: str
    status: PayoutStatus
    requested_by: str | None
    created_at: Timestamp
    approved_at: Timestamp | None
    paid_at: Timestamp | None
    failed_at: Timestamp | None
    failure_reason: str | None


class EarningsList(WireIn):
    property_id: Id | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description=_CURSOR)


class EarningsPublic(WireOut):
    property_id: str
    payable_micros: int = Field(description="Its share of spend that was not paid out, exactly.")
    payable_cents: int = Field(description="The same, rounded down: what a payout can ask for.")
    currency: str
