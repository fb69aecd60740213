"""
The double-entry ledger. Entries and postings are only ever added, and the database keeps both promises itself: an
entry's postings sum to zero at commit, and a ledger account's balance is the sum of its postings.
"""

from datetime import datetime

from sqlalchemy import BigInteger, Index, SmallInteger, UniqueConstraint
from sqlmodel import Field

from control.storage.tables.base import Row, instant, of_same_account


class LedgerRow(Row, table=True):
    """One account's ledger: whoever posts holds this row, so its entries stand in one order of time."""

    __tablename__ = "ledgers"

    account_id: str = Field(primary_key=True, foreign_key="accounts.id")
    last_at: datetime = instant()
    """The time of the last entry; no later one is before it."""


class LedgerAccountRow(Row, table=True):
    """A pot of one account's money (`control.billing.ledger.kinds.LedgerKind`). Positive: somebody has it with us."""

    __tablename__ = "ledger_accounts"
    __table_args__ = (
        UniqueConstraint(
            "account_id",
            "kind",
            "property_id",
            name="uq_ledger_accounts_pot",
            postgresql_nulls_not_distinct=True,
        ),
        UniqueConstraint("account_id", "id"),
        of_same_account("property_id", "properties"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    kind: str
    property_id: str | None = None
    """Set for `payable` alone."""
    balance_micros: int = Field(0, sa_type=BigInteger)
    """Written by a trigger alone."""
    share_remainder: int = Field(0, sa_type=SmallInteger)
    """Hundredths of a micro of a property's share that did not make a whole one yet."""


class LedgerEntryRow(Row, table=True):
    """One thing that happened to money. ``reference`` names it: the same one twice is one entry."""

    __tablename__ = "ledger_entries"
    __table_args__ = (
        UniqueConstraint("account_id", "reference"),
        UniqueConstraint("account_id", "id"),
        Index("ix_ledger_entries_at", "account_id", "at"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    at: datetime = instant()
    kind: str
    reference: str
    memo: str | None = None
    actor: str


class LedgerPostingRow(Row, table=True):
    """What an entry does to one pot. Never zero."""

    __tablename__ = "ledger_postings"
    __table_args__ = (
        Index("ix_ledger_postings_pot", "ledger_account_id", "entry_id"),
        of_same_account("entry_id", "ledger_entries"),
        of_same_account("ledger_account_id", "ledger_accounts"),
    )

    entry_id: str = Field(primary_key=True)
    ledger_account_id: str = Field(primary_key=True)
    account_id: str
    micros: int = Field(sa_type=BigInteger)
