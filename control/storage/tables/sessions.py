"""Sign-ins that last: a session is the family of tokens that came from one sign-in."""

from datetime import datetime

from sqlalchemy import LargeBinary, UniqueConstraint
from sqlmodel import Field

from control.storage.tables.base import Row, instant, of_same_account


class SessionRow(Row, table=True):
    """One sign-in of a person to an account. Ended once ``revoked_at`` is set, or idle or old (see settings)."""

    __tablename__ = "sessions"
    __table_args__ = (UniqueConstraint("account_id", "id"),)

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    user_id: str = Field(foreign_key="users.id", index=True)
    created_at: datetime = instant()
    last_used_at: datetime = instant(index=True)
    """Written lazily: up to a minute behind."""
    origin: str
    """The address that signed in."""
    agent: str
    """The family of the user agent that signed in; empty where it said nothing that is known."""
    revoked_at: datetime | None = instant(nullable=True)


class AccessTokenRow(Row, table=True):
    """A token at rest (``access``, ``refresh``, ``cookie``): its hash, and the session (``family_id``) it dies with."""

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
