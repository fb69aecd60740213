"""API schemas of the wallet."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from control.billing.ledger.entries import EntryKind
from control.foundation.wire_types import Instant, Limit, MoneyCents, WireMessage

_CURSOR = "`next_cursor` of the page before."


class BillingMode(StrEnum):
    INVOICED = "invoiced"
    PREPAID = "prepaid"


class WalletPublic(WireOut):
    currency: str
    mode: BillingMode
    balance_cents: int = Field(description="Paid in and not spent; rounded down.")
    balance_micros: int = Field(
        description="The same, exactly (1 cent = 10 000 micros). Below zero: spent and not invoiced yet."
    )
    pending_spend_micros: int = Field(
        description="Charged in the last seconds, and not in the balance yet."
    )
    invoiced_cents: int = Field(description="What open invoices ask for.")
    credit_limit_cents: int | None = Field(
        description="How much an invoiced account may owe; null: no limit."
    )
    available_micros: int | None = Field(
        description="What live campaigns may still spend; null: no limit."
    )
    funded: bool = Field(
        description="False: live campaigns are blocked with the reason `no_funds`."
    )


class EntryList(WireIn):
    kind: EntryKind | None = None
    since: Instant | None = Field(None, description="At or after this instant.")
    until: Instant | None = Field(None, description="Before this instant.")
    limit: Limit = 20
    cursor: str | None = Field(None, description=_CURSOR)


class EntryPublic(WireOut):
    id: str
    at: Timestamp
    kind: EntryKind
    amount_micros: int = Field(description="What it did to the balance; below zero took money out.")
    reference: str = Field(description="What it was about: `top_up:<id>`, `invoice:<id>`, …")
    memo: str | None
    actor: str = Field(description="`system`, `operator` or `user:<id>`.")


class TopUpStatus(StrEnum):
    PENDING = "pending"
    CONFIRMED = "confirmed"
    FAILED = "failed"


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
    provider_reference: str = Field(description="Name it in the payment.")
    instructions: WireMessage = Field(description="How to pay.")
    requested_by: str | None = Field(description="The user who asked.")
    created_at: Timestamp
    settled_at: Timestamp | None = Field(description="When it was confirmed, or failed.")
    failure_reason: str | None
