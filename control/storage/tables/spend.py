"""Charges that are not in the ledger yet, and posted spend by month."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Column, Identity
from sqlmodel import Field

from control.storage.tables.base import Row, instant, of_same_account


class ChargeRow(Row, table=True):
    """
    A charge that is not posted yet. Ingest writes it in the transaction of the events; the transaction that posts it
    deletes it. ``kind`` is what was bought: an event kind, or a ``day`` of a flat rate. Negative where a charge is
    retracted.
    """

    __tablename__ = "charges"

    id: int | None = Field(
        None, sa_column=Column(BigInteger, Identity(always=True), primary_key=True)
    )
    account_id: str
    campaign_id: str
    property_id: str
    kind: str
    units: int = Field(sa_type=BigInteger)
    micros: int = Field(sa_type=BigInteger)


class SpendMonthRow(Row, table=True):
    """A campaign's posted spend on a property in a month (UTC, of the entry): the lines of an invoice."""

    __tablename__ = "spend_months"
    __table_args__ = (of_same_account("campaign_id", "campaigns"),)

    account_id: str = Field(primary_key=True)
    month: date = Field(primary_key=True)
    campaign_id: str = Field(primary_key=True)
    property_id: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    units: int = Field(sa_type=BigInteger)
    micros: int = Field(sa_type=BigInteger)


class FlatRateDayRow(Row, table=True):
    """A charged day of a flat-rate campaign's flight, in its timezone."""

    __tablename__ = "flat_rate_days"
    __table_args__ = (of_same_account("campaign_id", "campaigns"),)

    campaign_id: str = Field(primary_key=True)
    day: date = Field(primary_key=True)
    account_id: str
    micros: int = Field(sa_type=BigInteger)
    charged_at: datetime = instant()
