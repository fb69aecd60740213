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
        description="`grace`: its term is over and was not renewed; all goes on until `suspends_at`. "
        "`ended` suspends the account."
    )
    price_cents: int = Field(
        description="For a term, in the account's currency; on the next invoice."
    )
    term: str = Field(description="`month` or `year`.")
    trial_ends_at: Timestamp | None = Field(description="Until then it costs nothing.")
    renews: bool = Field(description="At `ends_at` the next term is charged and begins.")
    ends_at: Timestamp | None = Field(
        description="The end of the term or trial that runs; null: it goes on until somebody ends it."
    )
    suspends_at: Timestamp | None = Field(
        description="When the account is suspended at the earliest, if the subscription is not renewed; two mails to "
        "its owners come before. Null while it renews, or has no term."
    )
    started_at: Timestamp
    ended_at: Timestamp | None
    period_start: Timestamp = Field(
        description="Of the term that runs; without a term the month, UTC."
    )
    period_end: Timestamp


class NextInvoicePublic(WireOut):
    month: str = Field(description="Like `2026-02`; UTC.")
    issued_after: Timestamp
    amount_cents: int = Field(description="What it would ask for as things stand now.")


class BillingPublic(WireOut):
    account_state: AccountState
    currency: str
    mode: BillingMode = Field(
        description="`prepaid` pays from the wallet, `invoiced` by the month afterwards."
    )
    credit_limit_cents: int | None
    subscription: SubscriptionPublic
    next_invoice: NextInvoicePublic
    open_cents: int = Field(description="Invoices that are open or past due, together.")
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
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class InvoicePublic(WireOut):
    id: str
    month: str = Field(description="Like `2026-02`; UTC.")
    status: InvoiceStatus
    currency: str
    total_micros: int = Field(
        description="The sum of its lines. Below zero: the wallet held more than was spent."
    )
    amount_cents: int = Field(
        description="What is asked for: the total in whole cents, never below 0."
    )
    carried_micros: int = Field(
        description="`total_micros` less `amount_cents`: a line of the next invoice."
    )
    issued_at: Timestamp
    due_at: Timestamp
    paid_at: Timestamp | None
    voided_at: Timestamp | None


class InvoiceLinePublic(WireOut):
    kind: LineKind
    description: str
    campaign_id: str | None
    unit: str | None = Field(description="`impression`, `click`, `conversion` or `day`.")
    units: int | None = Field(description="How many were charged.")
    micros: int = Field(description="Below zero: in your favour.")


class InvoiceWithLines(InvoicePublic):
    lines: list[InvoiceLinePublic]
