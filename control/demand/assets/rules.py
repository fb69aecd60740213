"""The rules of assets, pure: size limits, status transitions, and the state that follows from an inspection."""

from datetime import datetime, timedelta

from common.values.enums import AssetKind, AssetStatus
from common.values.errors import ErrorCode, Refused, invalid
from common.values.messages import Message
from control.demand.assets.inspection import Accepted, Finding
from control.demand.assets.sniff import Sniffed
from control.foundation.settings import ControlSettings
from control.foundation.state_machine import Transitions
from control.storage.tables.assets import AssetRow

COMPLETE = "complete"
ARCHIVE = "archive"
TRANSITIONS = Transitions(
    "asset",
    {
        (AssetStatus.UPLOADING, COMPLETE): AssetStatus.PROCESSING,
        (AssetStatus.UPLOADING, ARCHIVE): AssetStatus.ARCHIVED,
        (AssetStatus.PROCESSING, ARCHIVE): AssetStatus.ARCHIVED,
        (AssetStatus.READY, ARCHIVE): AssetStatus.ARCHIVED,
        (AssetStatus.REJECTED, ARCHIVE): AssetStatus.ARCHIVED,
    },
)
SETTLED = frozenset({AssetStatus.PROCESSING, AssetStatus.READY, AssetStatus.REJECTED})
"""Completing these again changes nothing: the answer to the first call may have been lost."""

AT_ONCE = frozenset({AssetKind.IMAGE, AssetKind.HTML})
"""Kinds that are inspected during the request; audio and video take too long for that."""

UPLOADS_KEPT = timedelta(days=1)
"""How long an announced file is awaited."""
ARCHIVED_KEPT = timedelta(days=400)
"""How long files of archived assets are kept: images of old mails are served for as long as their clicks work."""

_TAKEN = "PNG, JPEG, GIF, WebP, AVIF; MP3, AAC, M4A, Ogg Opus, WAV; MP4, WebM; HTML"


def check_changeable(status: str) -> None:
    """Raises 409 `invalid_state` for an archived asset."""
    if status == AssetStatus.ARCHIVED:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The asset is archived and cannot be changed. Create a new one."),
            param="status",
        )


def max_bytes(settings: ControlSettings, kind: AssetKind) -> int:
    match kind:
        case AssetKind.IMAGE:
            return settings.asset_image_bytes
        case AssetKind.HTML:
            return settings.asset_html_bytes
        case AssetKind.AUDIO:
            return settings.asset_audio_bytes
        case AssetKind.VIDEO:
            return settings.asset_video_bytes


def unknown_type() -> Refused:
    return invalid(
        "file",
        "unknown_type",
        Message("This file type is not supported. Supported are: {accepted}.", accepted=_TAKEN),
    )


def describe_mismatch(sniffed: Sniffed | None, kind: AssetKind) -> Message:
    """Why a file is refused whose content is not of *kind*. *sniffed* None: it is of no known type."""
    if sniffed is None:
        return Message(
            "The file was announced as {kind}, but its content is of no known type. Supported "
            "are: {accepted}.",
            kind=kind,
            accepted=_TAKEN,
        )
    return Message(
        "The file was announced as {kind}, but its content is {container} ({found_kind}). "
        "Supported are: {accepted}.",
        kind=kind,
        container=sniffed.container,
        found_kind=sniffed.kind,
        accepted=_TAKEN,
    )


def check_quota(settings: ControlSettings, stored_bytes: int, more_bytes: int) -> None:
    """Raises 422 if the account's assets would exceed its storage."""
    most = settings.asset_account_bytes
    if stored_bytes + more_bytes > most:
        raise invalid(
            "bytes",
            "storage_full",
            Message(
                "The account's assets use {stored_bytes:,} of {max_bytes:,} bytes, and this one has "
                "{more_bytes:,}. Archive assets that you no longer use.",
                stored_bytes=stored_bytes,
                max_bytes=most,
                more_bytes=more_bytes,
            ),
        )


def settle(row: AssetRow, finding: Finding, now: datetime) -> None:
    """Apply the finding to the asset's state, and drop the reference to the upload."""
    row.upload_name = row.claimed_until = None
    row.updated_at = now
    if not isinstance(finding, Accepted):
        row.status = AssetStatus.REJECTED
        row.rejection_reason = finding.reason
        row.rejection_parts = finding.reason.to_json()
        return
    row.status = AssetStatus.READY
    row.object_name = finding.name
    row.renditions_name = finding.renditions_name
    row.mime = finding.media_type.partition(";")[0]
    row.bytes = finding.size_bytes
    row.sha256 = finding.digest.hex()
    row.width, row.height = finding.width, finding.height
    row.duration_ms = finding.duration_ms
    row.media = finding.media
    row.thumbnail, row.poster = finding.thumbnail, finding.poster
