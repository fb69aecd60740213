"""Top-ups, invoices and payouts: the ledger as users and operators see it. Money in cents, as in the API."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, Index, UniqueConstraint
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column, message_parts, of_same_account


class TopUpRow(Row, table=True):
    """A payment into a wallet, as the payment provider reports it."""

    __tablename__ = "top_ups"
    __table_args__ = (Index("ix_top_ups_list", "account_id", "id"),)

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    amount_cents: int = Field(sa_type=BigInteger)
    status: str
    provider: str
    provider_reference: str
    instructions: str
    """The payer's next steps."""
    instructions_parts: dict[str, Any] | None = message_parts()
    requested_by: str | None = None
    created_at: datetime = instant()
    settled_at: datetime | None = instant(nullable=True)
    failure_reason: str | None = None


class InvoiceRow(Row, table=True):
    """One month of one account. ``closing_micros``: the wallet at the month's end, without invoices."""

    __tablename__ = "invoices"
    __table_args__ = (
        UniqueConstraint("account_id", "month"),
        UniqueConstraint("account_id", "id"),
        Index("ix_invoices_list", "account_id", "id"),
        Index("ix_invoices_due", "status", "due_at"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    month: date
    """First day of the month, UTC."""
    status: str
    currency: str
    total_micros: int = Field(sa_type=BigInteger)
    amount_cents: int = Field(sa_type=BigInteger)
    closing_micros: int = Field(sa_type=BigInteger)
    issued_at: datetime = instant()
    due_at: datetime = instant()
    paid_at: datetime | None = instant(nullable=True)
    voided_at: datetime | None = instant(nullable=True)


class InvoiceLineRow(Row, table=True):
    """One line; the lines of an invoice add up to its total, exact to the micro."""

    __tablename__ = "invoice_lines"
    __table_args__ = (of_same_account("invoice_id", "invoices"),)

    invoice_id: str = Field(primary_key=True)
    position: int = Field(primary_key=True)
    account_id: str
    kind: str
    description: str
    campaign_id: str | None = None
    unit: str | None = None
    units: int | None = Field(None, sa_type=BigInteger)
    micros: int = Field(sa_type=BigInteger)


class PayoutRow(Row, table=True):
    """A payment to a property's payee."""

    __tablename__ = "payouts"
    __table_args__ = (
        Index("ix_payouts_list", "account_id", "id"),
        of_same_account("property_id", "properties"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    property_id: str
    payee: str
    amount_cents: int = Field(sa_type=BigInteger)
    status: str
    requested_by: str | None = None
    created_at: datetime = instant()
    approved_at: datetime | None = instant(nullable=True)
    paid_at: datetime | None = instant(nullable=True)
    failed_at: datetime | None = instant(nullable=True)
    failure_reason: str | None = None


class NoticeRow(Row, table=True):
    """
    Mails about one end, of a subscription or of an invoice's payment period. There is one row for each notice day, with
    the mails to all owners.
    """

    __tablename__ = "billing_notices"

    account_id: str = Field(primary_key=True, foreign_key="accounts.id")
    about: str = Field(primary_key=True)
    """``subscription:END`` or ``invoice:ID``."""
    day: int = Field(primary_key=True)
    """Days after the end; negative before it."""
    mail_ids: list[str] = json_column(list)
    queued_at: datetime = instant()
    accepted_at: datetime | None = instant(nullable=True)
    """When the mail server accepted the first of them."""
