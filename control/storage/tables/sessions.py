"""Persistent sign-ins: a session is the family of tokens of one sign-in."""

from datetime import datetime

from sqlalchemy import LargeBinary, UniqueConstraint
from sqlmodel import Field

from control.storage.tables.base import Row, instant, of_same_account


class SessionRow(Row, table=True):
    """One sign-in of a user to an account. It ends with ``revoked_at``, by idleness or by age (see settings)."""

    __tablename__ = "sessions"
    __table_args__ = (UniqueConstraint("account_id", "id"),)

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    user_id: str = Field(foreign_key="users.id", index=True)
    created_at: datetime = instant()
    last_used_at: datetime = instant(index=True)
    """Written with a delay of up to a minute."""
    origin: str
    """Client address of the sign-in."""
    agent: str
    """Family of the user agent of the sign-in; empty where it is unknown."""
    revoked_at: datetime | None = instant(nullable=True)


class AccessTokenRow(Row, table=True):
    """Hash of a token (``access``, ``refresh``, ``cookie``), and the session (``family_id``) with which it ends."""

    __tablename__ = "access_tokens"
    __table_args__ = (of_same_account("family_id", "sessions", ondelete="CASCADE"),)

    hash: bytes = Field(primary_key=True, sa_type=LargeBinary)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    user_id: str = Field(foreign_key="users.id")
    family_id: str = Field(index=True)
    kind: str
    created_at: datetime = instant()
    expires_at: datetime = instant()
    used_at: datetime | None = instant(nullable=True)
    revoked_at: datetime | None = instant(nullable=True)
