"""
Recorded decisions, by the day in their id. Ingest writes them;
`control.reporting.decision_log.partitions` creates and drops the partitions.
"""

import uuid
from datetime import date

from sqlalchemy import LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row


class DecisionRow(Row, table=True):
    """``body``: the record as it was sent, `common.decision.record.DecisionRecord` as JSON."""

    __tablename__ = "decision_records"
    __table_args__ = ({"postgresql_partition_by": "RANGE (day)"},)

    day: date = Field(primary_key=True)
    id: uuid.UUID = Field(primary_key=True)
    account_id: str
    property_id: uuid.UUID
    is_test: bool
    body: bytes = Field(sa_type=LargeBinary)
