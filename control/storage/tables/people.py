"""Tables of a person, independent of accounts: mailed tokens, the second factor, known networks."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class MailedTokenRow(Row, table=True):
    """A single-use token that was sent by mail: its hash, and the address it proves."""

    __tablename__ = "mailed_tokens"

    hash: bytes = Field(primary_key=True, sa_type=LargeBinary)
    user_id: str = Field(foreign_key="users.id", index=True)
    purpose: str
    email: str
    created_at: datetime = instant()
    expires_at: datetime = instant(index=True)
    used_at: datetime | None = instant(nullable=True)
    """When it was used, or invalidated by a newer one."""


class ResetRequestRow(Row, table=True):
    """A request for a new password. Whether the address has a user is checked later, outside the request."""

    __tablename__ = "reset_requests"

    id: str = Field(primary_key=True)
    email: str
    created_at: datetime = instant()


class SecondFactorRow(Row, table=True):
    """``sealed``: the TOTP secret (`Purpose.SECOND_FACTORS`, bound to the user's id)."""

    __tablename__ = "second_factors"

    user_id: str = Field(primary_key=True, foreign_key="users.id")
    sealed: str
    last_step: int = 0
    """The newest time step of an accepted code; codes of it or earlier steps are refused."""
    created_at: datetime = instant()
    confirmed_at: datetime | None = instant(nullable=True)
    """When it became active."""


class RecoveryCodeRow(Row, table=True):
    __tablename__ = "recovery_codes"

    user_id: str = Field(primary_key=True, foreign_key="users.id")
    hash: bytes = Field(primary_key=True, sa_type=LargeBinary)
    created_at: datetime = instant()
    used_at: datetime | None = instant(nullable=True)


class KnownOriginRow(Row, table=True):
    """
    A network from which a user has proved their identity.

    Failed attempts from elsewhere never lock them out there.
    """

    __tablename__ = "known_origins"

    user_id: str = Field(primary_key=True, foreign_key="users.id")
    network: str = Field(primary_key=True)
    """An IPv4 address, or the /64 network of an IPv6 address."""
    seen_at: datetime = instant(index=True)


class ThrottleRow(Row, table=True):
    """
    Attempts counted by all processes together.

    ``due_at``: the theoretical arrival time of the next attempt (GCRA). The row is void once that is in the past.
    """

    __tablename__ = "throttles"

    key: bytes = Field(primary_key=True, sa_type=LargeBinary)
    """SHA-256 of what is counted: no addresses are stored."""
    due_at: datetime = instant(index=True)
