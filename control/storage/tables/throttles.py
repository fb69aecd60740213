"""Counts of attempts, shared by several processes."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class ThrottleRow(Row, table=True):
    """``due_at``: the theoretical arrival time of the next attempt (GCRA). The row is void once that is in the past."""

    __tablename__ = "throttles"

    key: bytes = Field(primary_key=True, sa_type=LargeBinary)
    """SHA-256 of what is counted: no addresses of strangers are stored."""
    due_at: datetime = instant(index=True)
