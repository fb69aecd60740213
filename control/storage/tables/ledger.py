"""
The double-entry ledger. Entries and postings are only ever added. The database itself enforces both invariants: an
entry's postings sum to zero at commit, and a ledger account's balance is the sum of its postings.
"""

from datetime import datetime

from sqlalchemy import BigInteger, Index, SmallInteger, UniqueConstraint
from sqlmodel import Field

from control.storage.tables.base import Row, instant, of_same_account


class LedgerRow(Row, table=True):
    """One account's ledger. Posting locks this row, so that entries are ordered in time."""

    __tablename__ = "ledgers"

    account_id: str = Field(primary_key=True, foreign_key="accounts.id")
    last_at: datetime = instant()
    """Time of the last entry; no later entry is before it."""


class LedgerAccountRow(Row, table=True):
    """A ledger account (`control.billing.ledger.kinds.LedgerKind`). Positive: we owe the money."""

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
    """Set only for `payable`."""
    balance_micros: int = Field(0, sa_type=BigInteger)
    """Written only by a trigger."""
    share_remainder: int = Field(0, sa_type=SmallInteger)
    """Remainder of a property's share below one micro, in hundredths of a micro."""


class LedgerEntryRow(Row, table=True):
    """One movement of money. ``reference`` identifies it: repeating a reference makes no second entry."""

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
    """Change of one ledger account by an entry. Never zero."""

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
