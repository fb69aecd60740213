"""What belongs to a person and to no account: proofs sent by mail, the second factor, where they signed in from."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlmodel import Field

from control.storage.tables.base import Row, instant


class MailedTokenRow(Row, table=True):
    """A single-use token that went out by mail, at rest: its hash, and the address it proves."""

    __tablename__ = "mailed_tokens"

    hash: bytes = Field(primary_key=True, sa_type=LargeBinary)
    user_id: str = Field(foreign_key="users.id", index=True)
    purpose: str
    email: str
    created_at: datetime = instant()
    expires_at: datetime = instant(index=True)
    used_at: datetime | None = instant(nullable=True)
    """Used, or void because a newer one was sent."""


class ResetRequestRow(Row, table=True):
    """Somebody asked for a new password; whether the address is anybody's is found out later, off the request."""

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
    """The newest time step a code was accepted for; none up to it is accepted again."""
    created_at: datetime = instant()
    confirmed_at: datetime | None = instant(nullable=True)
    """Active from here on."""


class RecoveryCodeRow(Row, table=True):
    __tablename__ = "recovery_codes"

    user_id: str = Field(primary_key=True, foreign_key="users.id")
    hash: bytes = Field(primary_key=True, sa_type=LargeBinary)
    created_at: datetime = instant()
    used_at: datetime | None = instant(nullable=True)


class KnownOriginRow(Row, table=True):
    """A network from which a person proved who they are: what others do elsewhere never locks them out there."""

    __tablename__ = "known_origins"

    user_id: str = Field(primary_key=True, foreign_key="users.id")
    network: str = Field(primary_key=True)
    """An IPv4 address, or the /64 of an IPv6 one."""
    seen_at: datetime = instant(index=True)
