"""Traffic of slots, live only; budget plans are measured by it."""

from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, Column, DateTime, Index
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class SlotHourRow(Row, table=True):
    """Requests of a slot in one hour, kept as long as they are learned from."""

    __tablename__ = "slot_hours"
    __table_args__ = (Index("ix_slot_hours_hour", "hour"),)

    slot_id: str = Field(primary_key=True)
    hour: datetime = Field(primary_key=True, sa_type=DateTime(timezone=True))
    account_id: str
    requests: int = Field(sa_type=BigInteger)


class SlotWeekRow(Row, table=True):
    """Expected requests in each hour of a week, in millionths, as `common.pacing.curve` learns and counts them."""

    __tablename__ = "slot_weeks"
    __table_args__ = (CheckConstraint("cardinality(weights) = 168", name="weights"),)

    slot_id: str = Field(primary_key=True)
    account_id: str
    weights: list[int] = Field(sa_column=Column(ARRAY(BigInteger), nullable=False))
    learned_at: datetime = instant()
