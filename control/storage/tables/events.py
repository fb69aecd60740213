"""
Tables of stored events: the rows of the feed, the keys that detect duplicates, and the hourly sums.

Written by ingest only. Rows and keys are partitioned by day; `control.events.ingest.partitions` creates and drops the
partitions.
"""

import uuid
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Identity,
    Index,
    LargeBinary,
    SmallInteger,
    text,
)
from sqlalchemy import UniqueConstraint as Unique
from sqlalchemy.dialects.postgresql import CIDR
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.types import UserDefinedType
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class Xid8(UserDefinedType[int]):
    """PostgreSQL's 64-bit transaction id, a type that SQLAlchemy lacks."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "XID8"


ischema_names["xid8"] = Xid8


class EventKeyRow(Row, table=True):
    """
    A unique key of 16 bytes: of a valid (token, kind), or of one of the places for its invalid events.

    ``token_day`` is part of the signed token, so a duplicate is always in the same partition as its original.
    """

    __tablename__ = "event_keys"
    __table_args__ = ({"postgresql_partition_by": "RANGE (token_day)"},)

    token_day: date = Field(primary_key=True)
    key: bytes = Field(primary_key=True, sa_type=LargeBinary)


class ConversionKeyRow(Row, table=True):
    """
    Counts an order once in a property and environment, whichever token or day it is reported with.

    ``has_proof``: an authenticated report came, with a server's key or a signed click id. Until then,
    ``unproven_event_id``, stored on ``unproven_stored_day``, counts; the first authenticated report retracts it. Both
    are None for other orders.
    """

    __tablename__ = "conversion_keys"

    property_id: uuid.UUID = Field(primary_key=True)
    environment: str = Field(primary_key=True)
    order_id: str = Field(primary_key=True)
    account_id: str
    has_proof: bool = Field(default=True, sa_column_kwargs={"server_default": "true"})
    unproven_event_id: uuid.UUID | None = None
    unproven_stored_day: date | None = None


class EventRow(Row, table=True):
    """
    One stored event. ``xid`` is the transaction that stored it. Together with ``id`` it orders the feed, whose order
    must not depend on the order of commits.
    """

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_feed", "account_id", "xid", "id"),
        Index(
            "ix_events_at",
            "at",
            postgresql_using="brin",
            postgresql_with={"autosummarize": "on"},
        ),
        {"postgresql_partition_by": "RANGE (stored_day)"},
    )

    stored_day: date = Field(primary_key=True)
    id: uuid.UUID = Field(primary_key=True)
    xid: int = Field(
        sa_column=Column(Xid8, nullable=False, server_default=text("pg_current_xact_id()"))
    )
    account_id: str
    kind: str
    at: datetime = instant()
    issued_at: datetime = instant()
    token_id: uuid.UUID
    property_id: uuid.UUID
    slot_id: uuid.UUID
    ad_id: uuid.UUID
    campaign_id: uuid.UUID
    is_test: bool
    source: str
    surface: str
    format: str
    valid: bool
    reason: str
    judge_version: int = Field(sa_type=SmallInteger)
    snapshot_version: int = Field(sa_type=BigInteger)
    price_micros: int = Field(sa_type=BigInteger)
    charged_micros: int = Field(sa_type=BigInteger)
    value_cents: int | None = Field(None, sa_type=BigInteger)
    currency: str | None = None
    order_id: str | None = None
    attribution: str | None = None
    corrects: uuid.UUID | None = None
    country: str | None = None
    device: str | None = None
    person: bytes | None = Field(None, sa_type=LargeBinary)
    """Person of the serve (`common.privacy.person`); only with a consented ``uid``."""
    event_name: str | None = None
    """The advertiser's name for the conversion."""
    signs: int | None = Field(None, sa_type=SmallInteger)
    """Flags of the judge (`common.ivt.ivt_flags`). With network and client, they suffice to judge the event again."""
    network: Any = Field(None, sa_column=Column(CIDR))
    """/24 (IPv4) or /56 (IPv6) network of the address."""
    client: bytes | None = Field(None, sa_type=LargeBinary)
    """Hashed with a salt that was deleted after its day (`edge.state.daily_salts`)."""
    lists_version: str | None = None
    live_reason: str | None = None
    """Only for a test event: the verdict that a live one would get. None: a live event, or older than the column."""
    agent_family: str | None = None
    """With major and pattern, a coarse form of the user agent, so that newer lists can judge it again."""
    agent_major: str | None = None
    agent_pattern: str | None = None
    """The matching pattern of the robot lists."""


class RetractionRow(Row, table=True):
    """A retracted event. It is retracted once, by the event ``correction_id``, whose ``corrects`` refers to it."""

    __tablename__ = "retractions"
    __table_args__ = (Index("ix_retractions_made_at", "made_at"),)

    event_id: uuid.UUID = Field(primary_key=True)
    correction_id: uuid.UUID
    account_id: str
    made_at: datetime = instant()
    cause: str
    """The operator's words, or the reason given by the new verdict."""


class EventHourRow(Row, table=True):
    """
    Events and quality signals by the hour they happened in, summed over the rows really inserted.

    ``country`` and ``device`` are empty where unknown.
    """

    __tablename__ = "event_hourly"
    __table_args__ = (
        Index("ix_event_hourly_property", "property_id", "is_test", "kind", "hour"),
        Index("ix_event_hourly_campaign", "campaign_id", "hour"),
    )

    hour: datetime = Field(primary_key=True, sa_type=DateTime(timezone=True))
    property_id: uuid.UUID = Field(primary_key=True)
    slot_id: uuid.UUID = Field(primary_key=True)
    campaign_id: uuid.UUID = Field(primary_key=True)
    ad_id: uuid.UUID = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    format: str = Field(primary_key=True)
    source: str = Field(primary_key=True)
    surface: str = Field(primary_key=True)
    is_test: bool = Field(primary_key=True)
    reason: str = Field(primary_key=True)
    country: str = Field("", primary_key=True)
    device: str = Field("", primary_key=True)
    attribution: str = Field("", primary_key=True)
    """Empty where the event is not a conversion."""
    account_id: str
    count: int = Field(sa_type=BigInteger)
    charged_micros: int = Field(sa_type=BigInteger)
    value_cents: int = Field(sa_type=BigInteger)
    last_at: datetime = instant()


class ServeHourRow(Row, table=True):
    """
    Decisions of edges, by hour. ``outcome`` is ``fill``, or the reason of a no fill, which has no ad.

    ``country``, ``device``, ``surface`` and ``format`` are empty where unknown. Without a fill, the format is the
    requested one.
    """

    __tablename__ = "serve_hourly"
    __table_args__ = (
        Unique(
            *("hour", "property_id", "slot_id", "campaign_id", "ad_id", "is_test", "outcome"),
            *("country", "device", "surface", "format"),
            name="uq_serve_hourly_group",
            postgresql_nulls_not_distinct=True,
        ),
        Index("ix_serve_hourly_property", "property_id", "is_test", "hour"),
    )

    id: int | None = Field(
        None, sa_column=Column(BigInteger, Identity(always=True), primary_key=True)
    )
    account_id: str
    hour: datetime = instant()
    property_id: uuid.UUID
    slot_id: uuid.UUID
    campaign_id: uuid.UUID | None = None
    ad_id: uuid.UUID | None = None
    is_test: bool
    outcome: str
    country: str
    device: str
    surface: str
    format: str
    count: int = Field(sa_type=BigInteger)


class CapLookupRow(Row, table=True):
    """
    Frequency cap look-ups of edges, by the hour of their record. ``unknown`` counts those without a result, after which
    capped ads do not serve. Kept for two days (`control.events.ingest.partitions`).
    """

    __tablename__ = "cap_lookups"

    property_id: uuid.UUID = Field(primary_key=True)
    is_test: bool = Field(primary_key=True)
    hour: datetime = Field(primary_key=True, sa_type=DateTime(timezone=True), index=True)
    account_id: str
    lookups: int = Field(sa_type=BigInteger)
    unknown: int = Field(sa_type=BigInteger)


class AdCountRow(Row, table=True):
    """Valid events of an ad, for as long as it exists."""

    __tablename__ = "ad_counts"

    ad_id: uuid.UUID = Field(primary_key=True)
    account_id: str
    impressions: int = Field(sa_type=BigInteger)
    clicks: int = Field(sa_type=BigInteger)
    conversions: int = Field(sa_type=BigInteger)


class AdSlotCountRow(Row, table=True):
    """Valid events of an ad in a slot, without previews, for as long as the ad exists; the input of rate learning."""

    __tablename__ = "ad_slot_counts"

    ad_id: uuid.UUID = Field(primary_key=True)
    slot_id: uuid.UUID = Field(primary_key=True)
    account_id: str
    impressions: int = Field(sa_type=BigInteger)
    clicks: int = Field(sa_type=BigInteger)
    conversions: int = Field(sa_type=BigInteger)
