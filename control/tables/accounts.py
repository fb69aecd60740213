"""Accounts, the people in them, and what they did."""

from datetime import datetime

from sqlmodel import Field

from control.tables.base import Row, instant


class AccountRow(Row, table=True):
    __tablename__ = "accounts"

    id: str = Field(primary_key=True)
    name: str
    currency: str
    state: str
    stopped: bool = False
    billing_mode: str
    is_operator: bool = False
    review_required: bool = False
    """Live campaigns and ads are approved by an owner or admin before they run."""
    require_second_factor: bool = False
    """Owners, admins and finance may do nothing without one."""
    created_at: datetime = instant()


class UserRow(Row, table=True):
    """A person; belongs to accounts by membership."""

    __tablename__ = "users"

    id: str = Field(primary_key=True)
    email: str = Field(unique=True)
    """Lower case."""
    name: str
    password_hash: str
    created_at: datetime = instant()
    email_verified_at: datetime | None = instant(nullable=True)
    """When the address was last proved to be theirs."""


class MembershipRow(Row, table=True):
    __tablename__ = "memberships"

    account_id: str = Field(primary_key=True, foreign_key="accounts.id")
    user_id: str = Field(primary_key=True, foreign_key="users.id", index=True)
    role: str
    created_at: datetime = instant()


class AuditRow(Row, table=True):
    """Who did what to which object, from where."""

    __tablename__ = "audit_log"

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    at: datetime = instant()
    actor: str
    action: str
    object_type: str
    object_id: str
    origin: str
