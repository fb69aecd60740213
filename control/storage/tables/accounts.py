"""Accounts, their users and memberships, and the audit log."""

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
    """Why the account is not active: `control.identity.accounts.account_status.StateReason`."""
    stopped: bool = False
    billing_mode: str
    is_operator: bool = False
    review_required: bool = False
    """An owner or admin must approve live campaigns and ads before they run."""
    require_second_factor: bool = False
    """Owners, admins and finance must have a second factor before they may do anything."""
    credit_limit_cents: int | None = Field(default=None, sa_type=BigInteger)
    """Maximum debt of an invoiced account; None: unlimited."""
    funded: bool = True
    """Whether the account can pay its live campaigns (`control.billing.ledger.available_funds`)."""
    plan: str = "standard"
    subscription_price_cents: int = Field(default=0, sa_type=BigInteger)
    """Price of one term."""
    subscription_term: str = "month"
    subscription_started_at: datetime | None = instant(nullable=True)
    """None: the subscription started with the account."""
    trial_ends_at: datetime | None = instant(nullable=True)
    term_started_at: datetime | None = instant(nullable=True)
    """Start of the current term or trial. None: the subscription has no term."""
    subscription_ends_at: datetime | None = instant(nullable=True)
    """End of the current term. None: the subscription runs until it is ended."""
    subscription_renews: bool = True
    """At the end of the term, the next one is charged and begins."""
    subscription_ended_at: datetime | None = instant(nullable=True)
    """When the subscription was over, which suspends the account."""
    address_verified_at: datetime | None = instant(nullable=True)
    """
    When an owner first proved their e-mail address. Before that, the account can neither invite nor serve live
    (`control.identity.accounts.proofs`).
    """
    is_sample: bool = False
    """
    The sample account of `make run`, whose events are simulated (`control.operations.simulator.sample_account`):
    nothing is learned from them, and they are not billed.
    """
    keys_reminded_at: datetime | None = instant(nullable=True)
    """When owners and admins were last sent a mail about keys to rotate."""
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class UserRow(Row, table=True):
    """A person, who belongs to accounts by membership."""

    __tablename__ = "users"

    id: str = Field(primary_key=True)
    email: str = Field(unique=True)
    """In lower case."""
    name: str
    password_hash: str
    created_at: datetime = instant()
    email_verified_at: datetime | None = instant(nullable=True)
    """When the user last proved that the address is theirs."""
    mails_off: list[str] = json_column(list)
    """Kinds of mail that the user does not want: `control.identity.own_data.mail_topics.OptionalMail`."""
    mails_monthly: list[str] = json_column(list)
    """Weekly kinds that the user wants every four weeks: `control.identity.own_data.mail_topics.WeeklyMail`."""
    language: str | None = None
    """Language of the user's mails: a folder of `control.dashboard.locales`, or ``en``. None: not chosen, English."""
    deleted_at: datetime | None = instant(nullable=True)
    """When the user deleted themself: the row is kept for the objects that refer to it, without name and address."""


class MembershipRow(Row, table=True):
    """``id`` is the member's id in the account, and equals the id of the invitation that led to it."""

    __tablename__ = "memberships"
    __table_args__ = (UniqueConstraint("account_id", "id"),)

    account_id: str = Field(primary_key=True, foreign_key="accounts.id")
    user_id: str = Field(primary_key=True, foreign_key="users.id", index=True)
    id: str = Field(default_factory=new_id)
    role: str
    invited_by: str | None = Field(None, foreign_key="users.id")
    """None for the user who created the account."""
    keys_reminded_at: datetime | None = instant(nullable=True)
    """When the member was last sent a mail about keys to rotate."""
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class AuditRow(Row, table=True):
    """One act: actor, action, object, origin. Rows are only added, and deleted when they are old; none is changed."""

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
    """Names of the fields sent, and changes of state from old to new; never a secret's value."""
