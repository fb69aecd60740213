"""Assets: the files that accounts uploaded, and the objects that the store may hold for them."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, LargeBinary, UniqueConstraint, text
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column, message_parts, of_same_account

Picture = bytes
"""Under a name of its own, because ``bytes`` is a column."""


class AssetRow(Row, table=True):
    """``mime``, ``bytes`` and ``sha256`` describe the served file once it is ready, and the upload until then."""

    __tablename__ = "assets"
    __table_args__ = (
        Index("ix_assets_list", "account_id", "environment", "id", postgresql_include=["filename"]),
        Index(
            "ix_assets_open",
            "status",
            "updated_at",
            postgresql_where=text("status in ('uploading', 'processing')"),
        ),
        UniqueConstraint("account_id", "id"),
        of_same_account("property_id", "properties"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    environment: str
    property_id: str | None = None
    """None: belongs to the account, visible only to signed-in users."""
    kind: str
    filename: str
    mime: str
    bytes: int = Field(sa_type=BigInteger)
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    media: dict[str, Any] = json_column(dict)
    """Measured properties of audio and video, as the API shows them."""
    status: str
    rejection_reason: str | None = None
    rejection_parts: dict[str, Any] | None = message_parts()
    object_name: str | None = Field(default=None, index=True)
    """Name of the served file in the store; None until it is ready, and after it was removed."""
    renditions_name: str | None = Field(default=None, index=True)
    """Name of a sound's renditions in the store (`common.service.rendition_pack`); None where it has none."""
    thumbnail: Picture | None = Field(default=None, sa_type=LargeBinary)
    """A WebP of an image or a video for lists; None for other kinds, and for files inspected before 0.3.0."""
    poster: Picture | None = Field(default=None, sa_type=LargeBinary)
    """A WebP of a video's first picture."""
    upload_name: str | None = Field(default=None, index=True)
    """Name of the original bytes in the store, until they were inspected."""
    attempts: int = 0
    """Number of inspections that a scheduler has started."""
    claimed_until: datetime | None = instant(nullable=True)
    """A scheduler inspects the asset until then."""
    created_at: datetime = instant()
    updated_at: datetime = instant()


class AssetObjectRow(Row, table=True):
    """
    An object that the store may hold. The row is written before the object, so that no object in the store is unknown.

    Accounts that upload the same bytes share one object.
    """

    __tablename__ = "asset_objects"

    name: str = Field(primary_key=True)
    claimed_at: datetime = instant(index=True)
    """When the last attempt to put it began."""
    removing_since: datetime | None = instant(nullable=True)
    """Since when the object is unreferenced and being removed from the store."""
