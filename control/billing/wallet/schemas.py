"""API schemas of the wallet."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from control.billing.ledger.entries import EntryKind
from control.foundation.wire_types import Instant, Limit, MoneyCents, WireMessage

_CURSOR = "`next_cursor` of the previous page."


class BillingMode(StrEnum):
    INVOICED = "invoiced"
    PREPAID = "prepaid"


class WalletPublic(WireOut):
    currency: str
    mode: BillingMode
    balance_cents: int = Field(description="Paid in minus spent, in cents, rounded down.")
    balance_micros: int = Field(
        description="Exact balance in micros (1 cent = 10,000 micros). Negative: spent and not yet invoiced."
    )
    pending_spend_micros: int = Field(description="Recent charges that are not in the balance yet.")
    invoiced_cents: int = Field(description="Total of the open invoices.")
    credit_limit_cents: int | None = Field(
        description="Credit limit of an invoiced account; null: no limit."
    )
    available_micros: int | None = Field(
        description="What live campaigns can still spend; null: no limit."
    )
    funded: bool = Field(
        description="False: live campaigns are blocked with the reason `no_funds`."
    )


class EntryList(WireIn):
    kind: EntryKind | None = None
    since: Instant | None = Field(None, description="Only entries at or after this time.")
    until: Instant | None = Field(None, description="Only entries before this time.")
    limit: Limit = 20
    cursor: str | None = Field(None, description=_CURSOR)


class EntryPublic(WireOut):
    id: str
    at: Timestamp
    kind: EntryKind
    amount_micros: int = Field(description="Change of the balance in micros; negative: money out.")
    reference: str = Field(description="Related object: `top_up:<id>`, `invoice:<id>`, …")
    memo: str | None
    actor: str = Field(description="`system`, `operator` or `user:<id>`.")


class TopUpStatus(StrEnum):
    PENDING = "pending"
    CONFIRMED = "confirmed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TopUpCreate(WireIn):
    amount_cents: MoneyCents


class TopUpList(WireIn):
    status: TopUpStatus | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description=_CURSOR)


class TopUpPublic(WireOut):
    id: str
    amount_cents: int
    currency: str
    status: TopUpStatus
    provider: str
    provider_reference: str = Field(description="Reference to include in the payment.")
    instructions: WireMessage = Field(description="Payment instructions.")
    requested_by: str | None = Field(description="Id of the user who requested it.")
    created_at: Timestamp
    settled_at: Timestamp | None = Field(
        description="When the payment was confirmed or failed, or the top-up was cancelled."
    )
    failure_reason: str | None
