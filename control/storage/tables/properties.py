"""Properties with their signing secrets, slots and keys."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, Index, LargeBinary, UniqueConstraint, text
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column, of_same_account


class PropertyRow(Row, table=True):
    __tablename__ = "properties"
    __table_args__ = (
        UniqueConstraint("account_id", "id"),
        Index(
            "ix_properties_check_due_at",
            "check_due_at",
            postgresql_where=text("check_due_at is not null"),
        ),
        Index(
            "ix_properties_verified_domain",
            "domain",
            postgresql_where=text("status = 'verified'"),
        ),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    name: str
    kind: str
    domain: str | None = None
    bundle_id: str | None = None
    status: str
    verification: dict[str, Any] = json_column(dict)
    """State that `control.inventory.domain_verification.verification_state` reads and writes."""
    check_due_at: datetime | None = instant(nullable=True)
    """When the proof is checked next; None: never, for example where an operator verified it by hand."""
    allowed_origins: list[str] = json_column(list)
    excluded_ip_ranges: list[str] = json_column(list)
    timezone: str
    consent_policy: str
    token_ttl_seconds: int
    server_rendering: bool = Field(default=False, sa_column_kwargs={"server_default": "false"})
    rate_limits: dict[str, int] = json_column(dict)
    blocked_categories: list[str] = json_column(list)
    blocked_ad_ids: list[str] = json_column(list)
    payout: dict[str, Any] = json_column(dict)
    sdk: dict[str, Any] = json_column(lambda: {"min": {}, "flags": {}})
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class PropertySecretRow(Row, table=True):
    """A shared secret (32 bytes), sealed for `Purpose.PROPERTY_SECRETS`, bound to the property's id."""

    __tablename__ = "property_secrets"
    __table_args__ = (
        of_same_account("property_id", "properties"),
        Index(
            "ix_property_secrets_moving",
            "property_id",
            "kid",
            postgresql_where=text("state <> 'sign'"),
        ),
    )

    property_id: str = Field(primary_key=True)
    kid: int = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    sealed: str
    state: str
    """``verify``: not signing yet, or no longer; ``sign``: the signing one; ``retired``: its tokens no longer count."""
    created_at: datetime = instant()
    known_version: int | None = Field(default=None, sa_type=BigInteger)
    """A snapshot version that includes the secret; None: not known yet. Workers at that version accept it."""
    signed_until: datetime | None = instant(nullable=True)
    """When another secret replaced it; None for the signing secret and its successor."""


class SlotRow(Row, table=True):
    __tablename__ = "slots"
    __table_args__ = (
        UniqueConstraint("property_id", "key"),
        of_same_account("property_id", "properties"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    property_id: str = Field(index=True)
    key: str
    name: str
    formats: list[str] = json_column(list)
    sizes: list[dict[str, int]] = json_column(list)
    floor_cents: int = 0
    refresh_seconds: int | None = None
    house_ad_id: str | None = None
    blocked_advertiser_domains: list[str] = json_column(list)
    blocked_categories: list[str] = json_column(list)
    audio: dict[str, Any] = json_column(dict)
    separate_categories: bool = Field(default=False, sa_column_kwargs={"server_default": "false"})
    status: str
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class KeyRow(Row, table=True):
    """An SDK or integration key. ``sealed_text`` is kept for publishable keys only, which can be shown again."""

    __tablename__ = "keys"
    __table_args__ = (
        UniqueConstraint("account_id", "id"),
        of_same_account("property_id", "properties"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    property_id: str = Field(index=True)
    kind: str
    environment: str
    name: str
    hash: bytes = Field(sa_type=LargeBinary, unique=True)
    last4: str
    sealed_text: str | None = None
    scopes: list[str] = json_column(list)
    created_by: str = Field(foreign_key="users.id")
    created_at: datetime = instant()
    expires_at: datetime | None = instant(nullable=True)
    revoked_at: datetime | None = instant(nullable=True)
    last_used_at: datetime | None = instant(nullable=True)
    previous_key_id: str | None = None
    version: int = 1
    """Version of what can be changed: name, expiry and revocation. Using the key does not raise it."""


class KeyMinuteRow(Row, table=True):
    """
    Requests with an SDK key that edges served, by the minute of their record. Kept for hours
    (`control.inventory.api_keys.jobs`).
    """

    __tablename__ = "key_minutes"

    key_id: str = Field(primary_key=True)
    minute: datetime = Field(primary_key=True, sa_type=DateTime(timezone=True), index=True)
    account_id: str
    count: int = Field(sa_type=BigInteger)
