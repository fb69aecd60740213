"""Privacy requests of persons, made through the account that holds their data."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column


class PrivacyRequestRow(Row, table=True):
    """
    ``uid_hash`` identifies the person permanently. ``sealed_uid`` (`Purpose.PRIVACY_REQUESTS`, bound to the id) is used
    to search the data, and is deleted when the request is done.
    """

    __tablename__ = "privacy_requests"
    __table_args__ = (Index("ix_privacy_requests_list", "account_id", "id"),)

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    kind: str
    status: str = Field(index=True)
    uid_hash: bytes = Field(sa_type=LargeBinary)
    sealed_uid: str | None = None
    requested_by: str = Field(foreign_key="users.id")
    found: list[dict[str, Any]] = json_column(list)
    created_at: datetime = instant()
    due_at: datetime = instant()
    done_at: datetime | None = instant(nullable=True)
