"""Durable state of the lease allocator, and charges by the minute of their serve."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Index, LargeBinary
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class LeaseEpochRow(Row, table=True):
    """
    One row: the allocator that may write.

    A new allocator increments the epoch, which makes older ones' writes fail.
    """

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
    """Reported commits by the minute in which they were received, as JSON: campaign to micros."""

    __tablename__ = "lease_minutes"

    minute: int = Field(primary_key=True, sa_type=BigInteger)
    """Minutes since the Unix epoch."""
    body: bytes = Field(sa_type=LargeBinary)


class LeaseJournalRow(Row, table=True):
    """
    Changes of one round, kept until books and minutes are rewritten: JSON ``[minute, {campaign: micros}, [[worker,
    sequence, heard_ms, [[campaign, granted, returned, committed], …]], …]]``; the micros are the commits reported in
    it.
    """

    __tablename__ = "lease_journal"

    epoch: int = Field(primary_key=True, sa_type=BigInteger)
    number: int = Field(primary_key=True, sa_type=BigInteger)
    body: bytes = Field(sa_type=LargeBinary)


class LeaseOutstandingRow(Row, table=True):
    """
    One row: campaign to the granted micros that may still be delivered.

    Read by the function ``lease_outstanding``, which returns only an account's own campaigns.
    """

    __tablename__ = "lease_outstanding"

    id: int = Field(primary_key=True)
    at: datetime = instant()
    body: dict[str, int] = Field(sa_type=JSONB)


class SpendMinuteRow(Row, table=True):
    """
    Charges of a campaign by the minute of the serve, kept about an hour; they are deducted from
    what is in flight.
    """

    __tablename__ = "campaign_spend_minutes"
    __table_args__ = (Index("ix_campaign_spend_minutes_minute", "minute"),)

    campaign_id: str = Field(primary_key=True)
    minute: int = Field(primary_key=True, sa_type=BigInteger)
    """Minutes since the Unix epoch."""
    account_id: str
    spent_micros: int = Field(sa_type=BigInteger)


class LeaseHoldRow(Row, table=True):
    """What one worker committed for mails, in micros since it started; see `common.pacing.holds`."""

    __tablename__ = "lease_holds"
    __table_args__ = (Index("ix_lease_holds_until_day", "until_day"),)

    campaign_id: str = Field(primary_key=True)
    day: date = Field(primary_key=True)
    """Of the serve, in the campaign's time zone."""
    until_day: int = Field(primary_key=True)
    """The last day of the mails' tokens: days since the Unix epoch, in UTC."""
    worker: str = Field(primary_key=True)
    micros: int = Field(sa_type=BigInteger)


class SpendHoldRow(Row, table=True):
    """Charges of a campaign for held tokens: they are deducted from `LeaseHoldRow`. Kept until the last day is over."""

    __tablename__ = "campaign_spend_holds"
    __table_args__ = (Index("ix_campaign_spend_holds_until_day", "until_day"),)

    campaign_id: str = Field(primary_key=True)
    day: date = Field(primary_key=True)
    until_day: int = Field(primary_key=True)
    account_id: str
    spent_micros: int = Field(sa_type=BigInteger)
