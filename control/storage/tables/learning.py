"""Learned click and conversion rates of ads. Written only by the learning job."""

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class AdSlotEvidenceRow(Row, table=True):
    """
    Decayed counts of `ad_slot_counts`: older events weigh less. ``seen_…``: the counts already included.

    ``recent_…``: the decayed counts at ``as_of``.
    """

    __tablename__ = "ad_slot_evidence"

    ad_id: uuid.UUID = Field(primary_key=True)
    slot_id: uuid.UUID = Field(primary_key=True)
    seen_impressions: int = Field(sa_type=BigInteger)
    seen_clicks: int = Field(sa_type=BigInteger)
    seen_conversions: int = Field(sa_type=BigInteger)
    recent_impressions: float
    recent_clicks: float
    recent_conversions: float
    as_of: datetime = instant()


class AdRatesRow(Row, table=True):
    """Rates of an ad as edges receive them: the snapshot's `AdRates` as canonical JSON."""

    __tablename__ = "ad_rates"

    ad_id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    environment: str
    body: bytes = Field(sa_type=LargeBinary)
    learned_at: datetime = instant()
