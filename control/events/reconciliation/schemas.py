"""A pass of reconciliation on the wire."""

from pydantic import Field

from common.contract.models import Timestamp, WireOut


class WriterGap(WireOut):
    """Records of a writer that an edge appended and ingest never saw."""

    writer: str = Field(description="One boot of one edge worker.")
    missing: int = Field(description="How many of its records.")
    since: Timestamp = Field(description="When the first of them was missed.")


class Reconciliation(WireOut):
    missing: int = Field(description="Records of all writers that should have come and did not.")
    uncounted: int = Field(description="Records that came and are in no sum of their hour.")
    gaps: list[WriterGap] = Field(description="By writer, 100 at most.")
    asked: bool = Field(description="Edges were asked to send what is missing again.")
    as_of: Timestamp = Field(description="When the pass was made.")
