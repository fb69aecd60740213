"""Assets: what an account uploaded, and which objects the store may hold for them."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column, of_same_account


class AssetRow(Row, table=True):
    """``mime``, ``bytes`` and ``sha256`` are of the file as served once it is ready, of the upload until then."""

    __tablename__ = "assets"
    __table_args__ = (
        Index("ix_assets_list", "account_id", "environment", "id"),
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
    """None: the account's, seen by signed-in users only."""
    kind: str
    filename: str
    mime: str
    bytes: int = Field(sa_type=BigInteger)
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    media: dict[str, Any] = json_column(dict)
    """What was measured of audio and video, as the API shows it."""
    status: str
    rejection_reason: str | None = None
    object_name: str | None = Field(default=None, index=True)
    """Where the store has the file that is served; None until it is ready, and after it was removed."""
    upload_name: str | None = Field(default=None, index=True)
    """Where the store has the bytes as they came, until they were looked at."""
    attempts: int = 0
    """How often the scheduler began to look at it."""
    claimed_until: datetime | None = instant(nullable=True)
    """A scheduler looks at it until then."""
    created_at: datetime = instant()
    updated_at: datetime = instant()


class AssetObjectRow(Row, table=True):
    """
    An object that the store may hold: noted before it is put there, so that nothing lies there unknown.

    Accounts that upload the same bytes share one object.
    """

    __tablename__ = "asset_objects"

    name: str = Field(primary_key=True)
    claimed_at: datetime = instant(index=True)
    """When somebody last began to put it."""
    removing_since: datetime | None = instant(nullable=True)
    """Nobody refers to it, and it is being taken out of the store."""
