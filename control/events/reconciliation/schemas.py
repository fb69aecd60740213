"""A pass of reconciliation on the wire."""

from pydantic import Field

from common.contract.models import Timestamp, WireOut


class WriterGap(WireOut):
    """Records that an edge wrote and ingest never received."""

    writer: str = Field(description="Id of one run of an edge worker.")
    missing: int = Field(description="Number of missing records.")
    since: Timestamp = Field(description="When the first of them was found missing.")


class Reconciliation(WireOut):
    missing: int = Field(
        description="Records that edges wrote and that were not stored, over all writers."
    )
    uncounted: int = Field(
        description="Records that were stored but are not in their hour's totals."
    )
    gaps: list[WriterGap] = Field(description="Missing records by writer, at most 100.")
    asked: bool = Field(description="Whether edges were asked to send the missing records again.")
    as_of: Timestamp = Field(description="Time of the reconciliation.")
