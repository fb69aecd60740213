"""API schemas of assets: requests and responses."""

from typing import Annotated

from pydantic import Field, StringConstraints

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import AssetKind, AssetStatus
from common.values.environment import Environment
from control.foundation.wire_types import Id, Limit, Plain, WireMessage, unchanged

Filename = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255), Plain
]
"""Shown to users, and never a path: the store names files by their content."""
Mime = Annotated[str, StringConstraints(pattern=r"^[a-z]{1,20}/[a-z0-9][a-z0-9.+-]{0,62}$")]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_PROPERTY = (
    "Whose asset it is: integration keys see those of their own property. Absent: the account's, for signed-in "
    "users only; a key's own property."
)


class EnvironmentQuery(WireIn):
    environment: Environment | None = Field(
        None, description="Signed-in users name it; a key brings its own."
    )


class AssetCreate(WireIn):
    """A file that comes later, by PUT to the URL in the answer."""

    kind: AssetKind
    filename: Filename
    mime: Mime = Field(description="What the file claims to be; what it is, its bytes decide.")
    bytes: int = Field(strict=True, ge=1, description="The exact length of the file.")
    sha256: Sha256 | None = Field(
        None, description="Of the file, in hexadecimal. What arrives must have it."
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


class AssetPatch(WireIn):
    """The file itself never changes: upload another."""

    filename: Filename = unchanged(description="What people call the file.")


class AssetList(WireIn):
    environment: Environment | None = Field(
        None, description="Signed-in users name it; a key brings its own."
    )
    kind: AssetKind | None = None
    status: AssetStatus | None = None
    limit: Limit = 20
    cursor: str | None = Field(None, description="`next_cursor` of the page before.")


class MediaPublic(WireOut):
    """What was measured of audio and video; null where it does not apply."""

    container: str
    audio_codec: str | None
    video_codec: str | None
    bitrate_kbps: int | None
    sample_rate_hz: int | None
    channels: int | None
    fps: float | None
    loudness_lufs: float | None = Field(
        description="Integrated loudness by EBU R128; null where it is silent or too short."
    )


class AssetPublic(WireOut):
    id: str
    property_id: str | None
    kind: AssetKind
    filename: str
    mime: str
    bytes: int = Field(description="Of the file as it is served; until it is ready, of the upload.")
    sha256: str | None = Field(description="Of the same bytes, in hexadecimal.")
    width: int | None
    height: int | None
    duration_ms: int | None
    media: MediaPublic | None
    status: AssetStatus
    url: str | None = Field(description="Where it is served, for ever the same bytes; once ready.")
    rejection_reason: WireMessage | None = Field(
        description="What is wrong with the file, once rejected."
    )
    is_test: bool
    created_at: Timestamp
    updated_at: Timestamp


class UploadPublic(WireOut):
    method: str
    url: str
    headers: dict[str, str] = Field(description="Send exactly these with the file.")
    expires_at: Timestamp


class AssetCreated(AssetPublic):
    upload: UploadPublic | None = Field(
        description="Where to send the file; null where it came with the call."
    )
