"""Inputs of reports besides the hourly sums: rollups, their progress, and past payout shares."""

import uuid
from datetime import date, datetime

from sqlalchemy import BigInteger, Column, DateTime, Identity, Index, SmallInteger
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class ReportSumRow(Row, table=True):
    """
    Sums of an hour, or of a day, week or month in UTC, of one of `control.reporting.reports.rollup_definitions`.

    Written by the rollup job only.
    A dimension that the rollup omits is null. A sum of 0 is null too, because there are many rows.
    """

    __tablename__ = "report_sums"
    __table_args__ = (
        Index("ix_report_sums_rollup", "account_id", "rollup", "is_test", "property_id", "at"),
        Index("ix_report_sums_at", "account_id", "at"),
    )

    id: int | None = Field(
        None, sa_column=Column(BigInteger, Identity(always=True), primary_key=True)
    )
    account_id: str
    rollup: str
    is_test: bool
    at: datetime = instant()
    property_id: uuid.UUID | None = None
    slot_id: uuid.UUID | None = None
    campaign_id: uuid.UUID | None = None
    ad_id: uuid.UUID | None = None
    country: str | None = None
    device: str | None = None
    format: str | None = None
    source: str | None = None
    surface: str | None = None
    reason: str | None = None
    requests: int | None = Field(None, sa_type=BigInteger)
    fills: int | None = Field(None, sa_type=BigInteger)
    impressions: int | None = Field(None, sa_type=BigInteger)
    viewable: int | None = Field(None, sa_type=BigInteger)
    clicks: int | None = Field(None, sa_type=BigInteger)
    conversions: int | None = Field(None, sa_type=BigInteger)
    click_through: int | None = Field(None, sa_type=BigInteger)
    view_through: int | None = Field(None, sa_type=BigInteger)
    invalid_impressions: int | None = Field(None, sa_type=BigInteger)
    invalid_clicks: int | None = Field(None, sa_type=BigInteger)
    charged_micros: int | None = Field(None, sa_type=BigInteger)
    earned_parts: int | None = Field(None, sa_type=BigInteger)
    """In hundredths of micros."""
    value_cents: int | None = Field(None, sa_type=BigInteger)
    starts: int | None = Field(None, sa_type=BigInteger)
    first_quartiles: int | None = Field(None, sa_type=BigInteger)
    midpoints: int | None = Field(None, sa_type=BigInteger)
    third_quartiles: int | None = Field(None, sa_type=BigInteger)
    completes: int | None = Field(None, sa_type=BigInteger)
    skips: int | None = Field(None, sa_type=BigInteger)
    errors: int | None = Field(None, sa_type=BigInteger)


class ReportHeadRow(Row, table=True):
    """
    One row with the progress of rollups. All days before ``rolled_before`` are rolled up, and all weeks and months
    before theirs; None: none yet.
    """

    __tablename__ = "report_head"

    id: int = Field(1, primary_key=True, sa_type=SmallInteger)
    rolled_before: date
    months_before: date
    weeks_before: date | None = None


class LateDayRow(Row, table=True):
    """A day that got events after it was rolled up. Until it is rolled up again, reports read its hours."""

    __tablename__ = "report_late_days"
    __table_args__ = (Index("ix_report_late_days_account", "account_id", "day"),)

    id: int | None = Field(
        None, sa_column=Column(BigInteger, Identity(always=True), primary_key=True)
    )
    account_id: str
    day: date


class PayoutShareRow(Row, table=True):
    """A property's share of its spend from this hour on. The database writes it whenever a share changes."""

    __tablename__ = "payout_shares"

    property_id: uuid.UUID = Field(primary_key=True)
    since_hour: datetime = Field(primary_key=True, sa_type=DateTime(timezone=True))
    account_id: str
    percent: int = Field(sa_type=SmallInteger)
