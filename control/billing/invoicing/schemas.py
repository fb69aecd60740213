"""API schemas of billing: the subscription, the current month, invoices and their lines."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import AccountState
from control.billing.wallet.schemas import BillingMode
from control.foundation.wire_types import Limit


class SubscriptionStatus(StrEnum):
    TRIAL = "trial"
    ACTIVE = "active"
    GRACE = "grace"
    ENDED = "ended"


class SubscriptionPublic(WireOut):
    plan: str
    status: SubscriptionStatus = Field(
        description=(
            "`grace`: the term ended without renewal; service continues until `suspends_at`. `ended`: the account is "
            "suspended."
        )
    )
    price_cents: int = Field(
        description="Price per term in the account's currency; charged on the next invoice."
    )
    term: str = Field(description="Length of a term: `month` or `year`.")
    trial_ends_at: Timestamp | None = Field(description="End of the free trial.")
    renews: bool = Field(description="Whether the next term begins and is charged at `ends_at`.")
    ends_at: Timestamp | None = Field(
        description="End of the current term or trial; null: open-ended."
    )
    suspends_at: Timestamp | None = Field(
        description=(
            "Earliest time at which the account is suspended if the subscription is not renewed; its owners receive "
            "two emails before. Null while it renews, or without a term."
        )
    )
    started_at: Timestamp
    ended_at: Timestamp | None
    period_start: Timestamp = Field(
        description="Start of the current term; without a term, of the month (UTC)."
    )
    period_end: Timestamp


class NextInvoicePublic(WireOut):
    month: str = Field(description="Month in UTC, such as `2026-02`.")
    issued_after: Timestamp
    amount_cents: int = Field(description="Expected amount in cents, as of now.")


class BillingPublic(WireOut):
    account_state: AccountState
    currency: str
    mode: BillingMode = Field(
        description="`prepaid`: pays from the wallet. `invoiced`: pays monthly in arrears."
    )
    credit_limit_cents: int | None
    subscription: SubscriptionPublic
    next_invoice: NextInvoicePublic
    open_cents: int = Field(description="Total of the invoices that are open or past due.")
    past_due_cents: int


class InvoiceStatus(StrEnum):
    OPEN = "open"
    PAID = "paid"
    PAST_DUE = "past_due"
    VOID = "void"


class LineKind(StrEnum):
    SPEND = "spend"
    TOP_UP = "top_up"
    REFUND = "refund"
    ADJUSTMENT = "adjustment"
    CARRIED = "carried"
    SUBSCRIPTION = "subscription"


class InvoiceList(WireIn):
    status: InvoiceStatus | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class InvoicePublic(WireOut):
    id: str
    month: str = Field(description="Month in UTC, such as `2026-02`.")
    status: InvoiceStatus
    currency: str
    total_micros: int = Field(
        description="Sum of the lines in micros. Negative: the wallet held more than was spent."
    )
    amount_cents: int = Field(
        description="Amount due: the total in whole cents, never negative; 0 for a prepaid account."
    )
    carried_micros: int = Field(
        description="`total_micros` minus `amount_cents`: a line of the next invoice."
    )
    issued_at: Timestamp
    due_at: Timestamp
    paid_at: Timestamp | None
    voided_at: Timestamp | None


class InvoiceLinePublic(WireOut):
    kind: LineKind
    description: str
    campaign_id: str | None
    unit: str | None = Field(description="Unit: `impression`, `click`, `conversion` or `day`.")
    units: int | None = Field(description="Number of units charged.")
    micros: int = Field(description="Amount in micros. Negative: in your favour.")


class InvoiceWithLines(InvoicePublic):
    lines: list[InvoiceLinePublic]
