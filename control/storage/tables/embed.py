"""Sessions of embedded windows: created by a key, opened once by a browser."""

from datetime import datetime
from typing import Any

from sqlalchemy import LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column, of_same_account


class EmbedSessionRow(Row, table=True):
    """
    A session secret that is valid until ``expires_at``. Opening it once (``opened_at``) makes it a window, which ends
    at ``ends_at``. Secret and bearer are stored only as hashes.
    """

    __tablename__ = "embed_sessions"
    __table_args__ = (
        of_same_account("property_id", "properties"),
        of_same_account("key_id", "keys"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    property_id: str
    key_id: str
    component: str
    origin: str
    context: dict[str, Any] = json_column(dict)
    secret_hash: bytes = Field(sa_type=LargeBinary, unique=True)
    bearer_hash: bytes | None = Field(default=None, sa_type=LargeBinary, unique=True)
    created_at: datetime = instant()
    expires_at: datetime = instant(index=True)
    opened_at: datetime | None = instant(nullable=True)
    ends_at: datetime | None = instant(nullable=True)
