"""What the grantor of leases must not forget, and what charges were by the minute of their serve."""

from datetime import datetime

from sqlalchemy import BigInteger, Index, LargeBinary
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class LeaseEpochRow(Row, table=True):
    """One row: which grantor may write. Whoever becomes it counts up, and what others write then fails."""

    __tablename__ = "lease_epoch"

    id: int = Field(primary_key=True)
    epoch: int = Field(sa_type=BigInteger)


class LeaseBookRow(Row, table=True):
    """All leases of one edge worker, as JSON: ``[[campaign, granted, returned, committed], …]`` in micros."""

    __tablename__ = "lease_books"

    worker: str = Field(primary_key=True)
    sequence: int = Field(sa_type=BigInteger)
    heard_at: datetime = instant()
    body: bytes = Field(sa_type=LargeBinary)


class LeaseMinuteRow(Row, table=True):
    """What workers said they committed, by the minute it was heard, as JSON: campaign to micros."""

    __tablename__ = "lease_minutes"

    minute: int = Field(primary_key=True, sa_type=BigInteger)
    """Since the epoch."""
    body: bytes = Field(sa_type=LargeBinary)


class LeaseJournalRow(Row, table=True):
    """
    What one round changed, until books and minutes are written anew: JSON ``[minute, {campaign: micros}, [[worker,
    sequence, heard_ms, [[campaign, granted, returned, committed], …]], …]]``; the micros are commits heard in it.
    """

    __tablename__ = "lease_journal"

    epoch: int = Field(primary_key=True, sa_type=BigInteger)
    number: int = Field(primary_key=True, sa_type=BigInteger)
    body: bytes = Field(sa_type=LargeBinary)


class LeaseOutstandingRow(Row, table=True):
    """
    One row: campaign to the micros that may still be delivered of what was granted. Read by the function
    ``lease_outstanding``, which shows an account its own.
    """

    __tablename__ = "lease_outstanding"

    id: int = Field(primary_key=True)
    at: datetime = instant()
    body: dict[str, int] = Field(sa_type=JSONB)


class SpendMinuteRow(Row, table=True):
    """Charges of a campaign by the minute of the serve, for an hour or so: what they take out of what is in flight."""

    __tablename__ = "campaign_spend_minutes"
    __table_args__ = (Index("ix_campaign_spend_minutes_minute", "minute"),)

    campaign_id: str = Field(primary_key=True)
    minute: int = Field(primary_key=True, sa_type=BigInteger)
    """Since the epoch."""
    account_id: str
    spent_micros: int = Field(sa_type=BigInteger)
