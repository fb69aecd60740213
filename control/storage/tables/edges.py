"""Last reported snapshot status of each worker of each edge."""

from datetime import datetime

from sqlalchemy import BigInteger, Double
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class EdgeWorkerRow(Row, table=True):
    """Written only by publish. The row of a worker that is gone stays for a day with its last ``seen_at``."""

    __tablename__ = "edge_workers"

    environment: str = Field(primary_key=True)
    worker: str = Field(primary_key=True)
    """``EDGE/NUMBER``."""
    boot: str
    epoch: str
    version: int = Field(sa_type=BigInteger)
    """Version of the worker's current snapshot; 0: none yet."""
    ok: bool
    age_s: float = Field(sa_type=Double)
    """At the time of the report, seconds since the control plane last confirmed the worker's version to it."""
    seen_at: datetime = instant(index=True)
    acked_at: datetime | None = instant(nullable=True)
    nacked_at: datetime | None = instant(nullable=True)
    nack_reason: str | None = None
    """Reason of the last NACK, which may be long past."""

    @property
    def id(self) -> str:
        return f"{self.environment}/{self.worker}"
