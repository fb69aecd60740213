"""API schemas of payouts."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from control.foundation.wire_types import Id, Limit, MoneyCents

_CURSOR = "`next_cursor` of the previous page."


class PayoutStatus(StrEnum):
    REQUESTED = "requested"
    APPROVED = "approved"
    PAID = "paid"
    FAILED = "failed"


class PayoutCreate(WireIn):
    property_id: Id
    amount_cents: MoneyCents | None = Field(
        None, description="Amount in cents, up to the property's earnings. Default: all of them."
    )


class PayoutList(WireIn):
    property_id: Id | None = None
    status: PayoutStatus | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description=_CURSOR)


class PayoutPublic(WireOut):
    id: str
    property_id: str
    payee: str = Field(description="Payee of the property when the payout was requested.")
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
    payable_micros: int = Field(description="Unpaid earnings in micros, exact.")
    payable_cents: int = Field(
        description="Unpaid earnings in cents, rounded down: the maximum payout."
    )
    currency: str
