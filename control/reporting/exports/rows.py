"""The public form of an export, and the names of its files."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from common.values.environment import Environment
from common.values.messages import Message
from control.api.context import ControlContext
from control.foundation.resource_models import from_row
from control.reporting.exports.formats import MEDIA_TYPES
from control.reporting.exports.schemas import ExportFormat, ExportPublic, ExportStatus
from control.storage.tables.exports import ExportRow


def object_name(row: ExportRow) -> str:
    """Object name of the file that the newest claim builds."""
    return f"{row.id}/{row.claims}"


def filename_of(row: ExportRow) -> str:
    """``placard-events-2026-02-01-2026-02-08-0194….csv``: no character that is special in a header or a shell."""
    days = "-".join(str(row.question[end])[:10] for end in ("from", "to"))
    return f"placard-{row.kind}-{days}-{row.id[-12:]}.{row.format}"


@dataclass(frozen=True, slots=True)
class Link:
    """A URL that lets its holder read the file."""

    url: str
    expires_at: datetime


async def make_link(control: ControlContext, row: ExportRow, now: datetime) -> Link | None:
    """None where there is no file. Call it outside a transaction: a bucket's link may wait for credentials."""
    if row.status != ExportStatus.READY or row.expires_at is None or row.expires_at <= now:
        return None
    expires_at = min(now + timedelta(seconds=control.settings.export_link_s), row.expires_at)
    url = await control.exports.link(
        object_name(row),
        filename=filename_of(row),
        media_type=MEDIA_TYPES[ExportFormat(row.format)],
        expires_at=expires_at,
    )
    return Link(url, expires_at)


def to_public(row: ExportRow, link: Link | None = None) -> ExportPublic:
    return from_row(
        ExportPublic,
        row,
        is_test=Environment(row.environment).is_test,
        url=link.url if link else None,
        url_expires_at=link.expires_at if link else None,
        error=None if row.error is None else Message.from_stored(row.error, row.error_parts),
    )
