"""Stored responses of creating POSTs, kept for a day so that a repeated request gets the same response."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column


class IdempotencyRow(Row, table=True):
    """
    ``scope``: SHA-256 over principal, environment, route and key. ``answer``: the bytes of the body, or its sealed form
    (`Purpose.STORED_ANSWERS`, bound to the scope in hex) where ``is_sealed``. ``account_id`` is None for public
    operations.
    """

    __tablename__ = "idempotency"

    scope: bytes = Field(primary_key=True, sa_type=LargeBinary)
    account_id: str | None = Field(None, foreign_key="accounts.id", index=True)
    fingerprint: bytes = Field(sa_type=LargeBinary)
    status: int
    headers: dict[str, str] = json_column(dict)
    answer: bytes = Field(sa_type=LargeBinary)
    is_sealed: bool
    created_at: datetime = instant(index=True)
