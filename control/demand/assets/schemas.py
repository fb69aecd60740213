"""API schemas of assets: requests and responses."""

from typing import Annotated

from pydantic import Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import AssetKind, AssetStatus
from common.values.environment import Environment
from control.foundation.resource_models import patch_model_of
from control.foundation.wire_types import Id, Limit, Plain, Sought, WireMessage, unchanged

Filename = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255), Plain
]
"""Shown to users, and never a path: the store names files by their content."""
Mime = Annotated[str, StringConstraints(pattern=r"^[a-z]{1,20}/[a-z0-9][a-z0-9.+-]{0,62}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_PROPERTY = (
    "Property that owns the asset; integration keys see the assets of their own property. Default: a key's own "
    "property; for signed-in users, the account."
)


class EnvironmentQuery(WireIn):
    environment: Environment | None = Field(
        None, description="Required for signed-in users. A key always uses its own environment."
    )


class AssetCreate(WireIn):
    """Request for an upload URL; the file follows by PUT."""

    kind: AssetKind
    filename: Filename
    mime: Mime = Field(
        description="Declared media type. The actual type is detected from the file."
    )
    bytes: int = Field(strict=True, ge=1, description="Exact length of the file in bytes.")
    sha256: Sha256 | None = Field(
        None,
        description="SHA-256 of the file, hexadecimal. An upload with another digest is rejected.",
    )
    property_id: Id | None = Field(None, description=_PROPERTY)


class AssetForm(WireIn):
    """The parts of ``multipart/form-data``; everything but the file may be left out."""

    file: Annotated[
        str,
        Field(json_schema_extra={"contentMediaType": "application/octet-stream"}),
    ] = Field(description="The file itself.")
    kind: AssetKind | None = Field(
        None, description="What the file must be; absent: what it turns out to be."
    )
    filename: Filename | None = Field(None, description="Absent: the one the part `file` carries.")
    property_id: Id | None = Field(None, description=_PROPERTY)


@patch_model_of(AssetCreate, without=("kind", "mime", "bytes", "sha256", "property_id"))
class AssetPatch(WireIn):
    """The file itself never changes: upload a new one instead."""

    filename: Filename = unchanged(description="Display name of the file.")


class AssetList(WireIn):
    environment: Environment | None = Field(
        None, description="Required for signed-in users. A key always uses its own environment."
    )
    kind: AssetKind | None = None
    status: AssetStatus | None = None
    q: Sought | None = Field(None, description="Part of the file name, case-insensitive.")
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the previous page.")


class MediaPublic(WireOut):
    """Measured properties of audio and video; null if not applicable."""

    container: str
    audio_codec: str | None
    video_codec: str | None
    bitrate_kbps: int | None
    sample_rate_hz: int | None
    channels: int | None
    fps: float | None
    loudness_lufs: float | None = Field(
        description="Integrated loudness by EBU R128; null if silent or too short."
    )
    renditions: list[str] = Field(
        default_factory=list,
        description=(
            "For audio of at most two minutes: the encodings that `POST /v1/audio/stitch` can put into content. Empty "
            "for files uploaded before this existed: upload them again."
        ),
    )


class AssetPublic(WireOut):
    id: str
    property_id: str | None
    kind: AssetKind
    filename: str
    mime: str
    bytes: int = Field(
        description="Length of the served file; until the asset is ready, of the upload."
    )
    sha256: str | None = Field(description="SHA-256 of the same bytes, hexadecimal.")
    width: int | None
    height: int | None
    duration_ms: int | None
    media: MediaPublic | None
    status: AssetStatus
    url: str | None = Field(description="URL of the file, once ready. Its content never changes.")
    rejection_reason: WireMessage | None = Field(description="Why the file was rejected.")
    is_test: bool
    created_at: Timestamp
    updated_at: Timestamp


class UploadPublic(WireOut):
    method: str = Field(description="HTTP method of the upload: `PUT`.")
    url: str = Field(description="URL to send the file to, until `expires_at`.")
    headers: dict[str, str] = Field(description="Headers to send with the file, unchanged.")
    expires_at: Timestamp


class AssetCreated(AssetPublic):
    upload: UploadPublic | None = Field(
        description="Where to send the file; null if it was part of the request."
    )
