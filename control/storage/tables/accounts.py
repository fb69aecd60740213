"""Accounts, the people in them, and the log of their acts."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlmodel import Field

from common.values.ids import new_id
from control.storage.tables.base import Row, instant, json_column


class AccountRow(Row, table=True):
    __tablename__ = "accounts"
    __table_args__ = (
        Index(
            "ix_accounts_subscription_ends_at",
            "subscription_ends_at",
            postgresql_where=text("subscription_ends_at is not null"),
        ),
    )

    id: str = Field(primary_key=True)
    name: str
    currency: str
    state: str
    state_reason: str | None = None
    """Why it is not active: `control.identity.accounts.account_status.StateReason`."""
    stopped: bool = False
    billing_mode: str
    is_operator: bool = False
    review_required: bool = False
    """Live campaigns and ads are approved by an owner or admin before they run."""
    require_second_factor: bool = False
    """Owners, admins and finance may do nothing without one."""
    credit_limit_cents: int | None = Field(default=None, sa_type=BigInteger)
    """How much an invoiced account may owe; None: without limit."""
    funded: bool = True
    """Whether its live campaigns can be paid (`control.billing.ledger.available_funds`)."""
    plan: str = "standard"
    subscription_price_cents: int = Field(default=0, sa_type=BigInteger)
    """For a term."""
    subscription_term: str = "month"
    subscription_started_at: datetime | None = instant(nullable=True)
    """None: with the account."""
    trial_ends_at: datetime | None = instant(nullable=True)
    term_started_at: datetime | None = instant(nullable=True)
    """Of the term, or the trial, that runs. None: the subscription has no term."""
    subscription_ends_at: datetime | None = instant(nullable=True)
    """The end of that term. None: the subscription goes on until somebody ends it."""
    subscription_renews: bool = True
    """At the end of the term another one is charged and begins."""
    subscription_ended_at: datetime | None = instant(nullable=True)
    """When it was really over, which suspends the account."""
    address_verified_at: datetime | None = instant(nullable=True)
    """
    When an owner proved their e-mail address for the first time. Until then the account can neither invite nor serve
    live (`control.identity.accounts.proofs`).
    """
    keys_reminded_at: datetime | None = instant(nullable=True)
    """When owners and admins last had a mail about keys to rotate."""
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


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
    """``id`` names the member in its account, and is that of the invitation that led here."""

    __tablename__ = "memberships"
    __table_args__ = (UniqueConstraint("account_id", "id"),)

    account_id: str = Field(primary_key=True, foreign_key="accounts.id")
    user_id: str = Field(primary_key=True, foreign_key="users.id", index=True)
    id: str = Field(default_factory=new_id)
    role: str
    invited_by: str | None = Field(None, foreign_key="users.id")
    """None for who made the account."""
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class AuditRow(Row, table=True):
    """Who did what to which object, from where. Rows are added, and swept when they are old; nobody changes one."""

    __tablename__ = "audit_log"
    __table_args__ = (Index("ix_audit_log_list", "account_id", "id"),)

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    at: datetime = instant(index=True)
    actor: str
    action: str
    object_type: str
    object_id: str
    origin: str
    request_id: str | None = None
    environment: str | None = None
    detail: dict[str, Any] = json_column(dict)
    """Names of the fields sent, and what states moved from where to where; never a secret's value."""
