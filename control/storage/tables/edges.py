"""What each worker of each edge last said of its snapshot."""

from datetime import datetime

from sqlalchemy import BigInteger, Double
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class EdgeWorkerRow(Row, table=True):
    """Written by publish alone. A worker that is gone stays for a day, and its ``seen_at`` says that it is."""

    __tablename__ = "edge_workers"

    environment: str = Field(primary_key=True)
    worker: str = Field(primary_key=True)
    """``EDGE/NUMBER``."""
    boot: str
    epoch: str
    version: int = Field(sa_type=BigInteger)
    """What it decides by; 0: nothing yet."""
    ok: bool
    age_s: float = Field(sa_type=Double)
    """When it spoke, since the control plane had last confirmed its version to it."""
    seen_at: datetime = instant(index=True)
    acked_at: datetime | None = instant(nullable=True)
    nacked_at: datetime | None = instant(nullable=True)
    nack_reason: str | None = None
    """Of the last NACK, which may be long past."""

    @property
    def id(self) -> str:
        return f"{self.environment}/{self.worker}"
