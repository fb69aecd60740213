"""Exports on the wire: requests and status."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import EventKind, Format
from common.values.environment import Environment
from control.foundation.wire_types import Distinct, Limit, Values, WireMessage
from control.reporting.reports.schemas import Bound, ReportFields, StoredQuestion


class ExportKind(StrEnum):
    """The rows of a report, or the events of the feed."""

    REPORT = "report"
    EVENTS = "events"


class ExportFormat(StrEnum):
    CSV = "csv"
    NDJSON = "ndjson"
    PARQUET = "parquet"


class ExportStatus(StrEnum):
    """``expired``: the file was deleted after its time."""

    QUEUED = "queued"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"
    EXPIRED = "expired"


EventKinds = Annotated[list[EventKind], Field(min_length=1, max_length=3), Distinct]


class ExportsQuery(WireIn):
    environment: Environment | None = None


def _now() -> None:
    """A default that the description does not show, because it is not of the field's type."""


class ExportCreate(ReportFields):
    """The parameters of a report; events use the range and the filters only. ``format`` is the format of the file."""

    to: Bound = Field(
        default_factory=_now,
        description="End of the range, exclusive. Default: now; for a report, the end of the current hour.",
    )
    kind: ExportKind = ExportKind.REPORT
    format: ExportFormat  # type: ignore[assignment]  # of a report it is a filter, here `ad_format`
    ad_format: Values[Format] | None = Field(None, description="Only ads of these formats.")
    event: EventKinds | None = Field(
        None, description="Only events of these kinds (`events` only)."
    )
    valid: Annotated[bool, Field(strict=True)] | None = Field(
        None, description="Only valid or only invalid events (`events` only)."
    )

    def fields(self) -> ReportFields:
        """The fields it shares with a report, under a report's names."""
        shared = {name: getattr(self, name) for name in ReportFields.model_fields}
        return ReportFields.model_construct(**shared | {"format": self.ad_format})


class ExportList(WireIn):
    cursor: str | None = None
    limit: Limit = 20
    environment: Environment | None = None
    kind: ExportKind | None = None
    status: ExportStatus | None = None


class ExportPublic(WireOut):
    id: str
    kind: ExportKind
    format: ExportFormat
    status: ExportStatus
    is_test: bool
    progress_percent: int = Field(description="Progress in percent; an estimate until it is 100.")
    question: StoredQuestion = Field(description="The request as it was understood, with defaults.")
    rows: int | None = Field(description="Number of rows in the file.")
    bytes: int | None = Field(description="Length of the file in bytes.")
    sha256: str | None = Field(description="SHA-256 of the file, hexadecimal.")
    url: str | None = Field(
        description=(
            "Download link, which anyone can use until `url_expires_at`. Read the export again for a new one; lists "
            "have no links."
        )
    )
    url_expires_at: Timestamp | None
    error: WireMessage | None = Field(description="Why the export failed, and what to do.")
    created_at: Timestamp
    started_at: Timestamp | None
    finished_at: Timestamp | None
    expires_at: Timestamp | None = Field(description="Time at which the file is deleted.")
