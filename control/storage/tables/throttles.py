"""Counts of attempts that several processes share."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class ThrottleRow(Row, table=True):
    """``due_at``: the theoretical arrival time of the next attempt (GCRA). In the past, the row means nothing."""

    __tablename__ = "throttles"

    key: bytes = Field(primary_key=True, sa_type=LargeBinary)
    """SHA-256 of what is counted: no addresses of strangers are kept."""
    due_at: datetime = instant(index=True)
