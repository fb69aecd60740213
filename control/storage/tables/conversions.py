"""
Conversions that came without a track token, and the touches they can be attributed to.

Written by ingest and by `control.events.attribution`, which also creates and drops the touches' daily partitions.
"""

import uuid
from datetime import date, datetime

from sqlalchemy import BigInteger, Index, LargeBinary, SmallInteger, text
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class ConversionRow(Row, table=True):
    """
    ``state``: ``held`` until ``try_at``, then ``attributed`` (its event has the same id), ``unattributed``,
    ``repeated`` (its order was counted before) or ``surplus``. ``person`` is cleared when the wait is over.
    """

    __tablename__ = "conversions"
    __table_args__ = (
        Index("ix_conversions_try_at", "try_at", postgresql_where=text("try_at is not null")),
        Index("ix_conversions_heard_at", "heard_at"),
        Index("ix_conversions_click_id", "click_id"),
        Index(
            "ix_conversions_property_id_is_test_state_heard_at",
            *("property_id", "is_test", "state", "heard_at"),
        ),
    )

    id: uuid.UUID = Field(primary_key=True)
    account_id: str | None = None
    """None, as is ``property_id``, for a pixel whose click was not found yet."""
    property_id: uuid.UUID | None = None
    is_test: bool
    door: str
    click_id: uuid.UUID | None = None
    person: bytes | None = Field(None, sa_type=LargeBinary)
    event_name: str
    occurred_at: datetime = instant()
    heard_at: datetime = instant()
    value_cents: int | None = Field(None, sa_type=BigInteger)
    currency: str | None = None
    order_id: str | None = None
    reason: str
    judge_version: int = Field(sa_type=SmallInteger)
    live_reason: str | None = None
    """Only for a test conversion: the verdict that a live one would get."""
    state: str
    attribution: str | None = None
    try_at: datetime | None = instant(nullable=True)


class _Touch(Row):
    """A valid event with the contents of its token, by the day it happened (UTC)."""

    token_id: uuid.UUID = Field(primary_key=True)
    """First in the key, because a click is looked up by its id in every partition."""
    day: date = Field(primary_key=True)
    at: datetime = instant()
    issued_at: datetime = instant()
    account_id: str
    property_id: uuid.UUID
    slot_id: uuid.UUID
    ad_id: uuid.UUID
    campaign_id: uuid.UUID
    is_test: bool
    source: str
    surface: str
    format: str
    pricing_model: str
    price_micros: int = Field(sa_type=BigInteger)
    snapshot_version: int = Field(sa_type=BigInteger)
    country: str | None = None
    device: str | None = None


class ClickTouchRow(_Touch, table=True):
    """Valid clicks of all people, because a conversion may name a click."""

    __tablename__ = "click_touches"
    __table_args__ = (
        Index(
            "ix_click_touches_person",
            *("property_id", "is_test", "person", "at"),
            postgresql_where=text("person is not null"),
        ),
        {"postgresql_partition_by": "RANGE (day)"},
    )

    person: bytes | None = Field(None, sa_type=LargeBinary)


class ViewTouchRow(_Touch, table=True):
    """Valid views of people who gave consent."""

    __tablename__ = "view_touches"
    __table_args__ = (
        Index("ix_view_touches_person", "property_id", "is_test", "person", "at"),
        {"postgresql_partition_by": "RANGE (day)"},
    )

    person: bytes = Field(sa_type=LargeBinary)
