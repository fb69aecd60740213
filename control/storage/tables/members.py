"""Invitations to an account. The members are in `control.storage.tables.accounts`."""

from datetime import datetime

from sqlalchemy import LargeBinary, UniqueConstraint
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class InvitationRow(Row, table=True):
    """An open invitation; it is deleted when it is accepted or withdrawn."""

    __tablename__ = "invitations"
    __table_args__ = (UniqueConstraint("account_id", "email"),)

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    email: str
    """In lower case."""
    role: str
    token_hash: bytes = Field(sa_type=LargeBinary, unique=True)
    invited_by: str = Field(foreign_key="users.id")
    expires_at: datetime = instant(index=True)
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()
