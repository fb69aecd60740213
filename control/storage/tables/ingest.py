"""Progress of ingest: positions in the log, committed records of each spool, watermarks, dead letters."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, DateTime, Index, LargeBinary
from sqlalchemy.dialects.postgresql import INT8MULTIRANGE
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class IngestPositionRow(Row, table=True):
    """
    The last stored position of one partition, None before the first. ``source`` names the log and its generation,
    because a recreated log starts its positions anew.
    """

    __tablename__ = "ingest_positions"

    source: str = Field(primary_key=True)
    partition: int = Field(primary_key=True)
    position: int | None = Field(None, sa_type=BigInteger)
    at_ms: int | None = Field(None, sa_type=BigInteger)
    """When the latest event stored from it happened."""


class WriterMarkRow(Row, table=True):
    """
    Committed sequences of a spool writer. They are ranges, because its records are spread over partitions.

    ``through_ms``: every event of the writer up to this instant is committed.
    """

    __tablename__ = "writer_marks"

    writer: str = Field(primary_key=True)
    is_test: bool | None = None
    ranges: Any = Field(sa_column=Column(INT8MULTIRANGE, nullable=False))
    through_ms: int | None = Field(None, sa_type=BigInteger)
    shipped: int | None = Field(None, sa_type=BigInteger)
    """The highest sequence that the log holds durably, as reported by the edge."""
    updated_at: datetime = instant()


class WriterLaneRow(Row, table=True):
    """A writer's highest sequence in one partition of the log, where its sequences only grow."""

    __tablename__ = "writer_lanes"

    writer: str = Field(primary_key=True)
    partition: int = Field(primary_key=True)
    high: int = Field(sa_type=BigInteger)
    prior: int = Field(sa_type=BigInteger)
    """Value of ``high`` before the last transaction."""


class WriterHourRow(Row, table=True):
    """Outcomes of a writer's records of one hour. ``appended``: the writer's own count, None before it is reported."""

    __tablename__ = "writer_hours"
    __table_args__ = (Index("ix_writer_hours_hour", "hour"),)

    writer: str = Field(primary_key=True)
    hour: datetime = Field(primary_key=True, sa_type=DateTime(timezone=True))
    appended: int | None = Field(None, sa_type=BigInteger)
    stored: int = Field(sa_type=BigInteger)
    duplicates: int = Field(sa_type=BigInteger)
    dead: int = Field(sa_type=BigInteger)


class WriterGapRow(Row, table=True):
    """
    Missing sequences of a writer, ``since`` when. ``standing``: those that were also missing in the previous pass.

    Also the progress of the replay: when the edge was asked, when it answered, and how many records it sent again.
    """

    __tablename__ = "writer_gaps"

    writer: str = Field(primary_key=True)
    missing: Any = Field(sa_column=Column(INT8MULTIRANGE, nullable=False))
    standing: Any = Field(sa_column=Column(INT8MULTIRANGE, nullable=False))
    since: datetime = instant()
    asked_at: datetime | None = instant(nullable=True)
    told_at: datetime | None = instant(nullable=True)
    sent: int = Field(0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    closed_at: datetime | None = instant(nullable=True)


class WatermarkRow(Row, table=True):
    """A watermark that is pending until every record that the writer appended before it is committed."""

    __tablename__ = "watermarks"

    writer: str = Field(primary_key=True)
    sequence: int = Field(primary_key=True, sa_type=BigInteger)
    through_ms: int = Field(sa_type=BigInteger)


class DeadLetterRow(Row, table=True):
    """A record that could not be stored, unchanged, with the reason. Kept until someone has looked at it."""

    __tablename__ = "dead_letters"

    source: str = Field(primary_key=True)
    partition: int = Field(primary_key=True)
    position: int = Field(primary_key=True, sa_type=BigInteger)
    digest: bytes = Field(primary_key=True, sa_type=LargeBinary)
    """SHA-256 of ``raw``: a recreated log may reach the same position with another record."""
    raw: bytes = Field(sa_type=LargeBinary)
    reason: str
    at: datetime = instant()
