"""Exports of reports and events: the query, the claim and the stored file."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, text
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column, message_parts, of_same_account


class ExportRow(Row, table=True):
    """``claims`` is a fencing token: a worker holds its number, and writes nothing once another has claimed the row."""

    __tablename__ = "exports"
    __table_args__ = (
        Index("ix_exports_list", "account_id", "environment", "id"),
        Index(
            "ix_exports_open",
            "created_at",
            postgresql_where=text("status in ('queued', 'running')"),
        ),
        Index("ix_exports_kept", "expires_at", postgresql_where=text("has_files")),
        of_same_account("property_id", "properties"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    environment: str
    property_id: str | None = None
    """Property of the requesting key. None: requested by a signed-in user, and visible only to signed-in users."""
    kind: str
    format: str
    question: dict[str, Any] = json_column(dict)
    """The query as sent, completed with defaults."""
    status: str
    progress_percent: int = 0
    rows: int | None = Field(default=None, sa_type=BigInteger)
    bytes: int | None = Field(default=None, sa_type=BigInteger)
    sha256: str | None = None
    error: str | None = None
    error_parts: dict[str, Any] | None = message_parts()
    claims: int = 0
    """Number of claims so far; the file of claim 3 is ``<id>/3``."""
    failures: int = 0
    claimed_until: datetime | None = instant(nullable=True)
    has_files: bool = False
    """Whether the store may hold files of this export."""
    is_removed: bool = False
    """Its owner deleted it: it is hidden, and the sweep removes it."""
    created_at: datetime = instant()
    started_at: datetime | None = instant(nullable=True)
    finished_at: datetime | None = instant(nullable=True)
    expires_at: datetime | None = instant(nullable=True)
