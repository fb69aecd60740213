"""Campaigns and ads. Money in cents, as in the API."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Computed, Index, String, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from control.storage.tables.base import Row, instant, json_column, of_same_account

_RUNNING = "status in ('active', 'paused')"


def review_column() -> Any:
    """The last decision: ``decision, reason, at, by``. Null before the first decision, and while one is pending."""
    return Field(None, sa_type=JSONB(none_as_null=True), nullable=True)


def computed_column(name: str, sql: str) -> Any:
    """A column that PostgreSQL computes and nobody writes; *sql* is spelled as `pg_get_expr` returns it."""
    return Field(None, sa_column=Column(name, String, Computed(sql, persisted=True)))


class CampaignRow(Row, table=True):
    __tablename__ = "campaigns"
    __table_args__ = (
        Index(
            "uq_campaigns_external_ref",
            "account_id",
            "environment",
            "external_ref",
            unique=True,
            postgresql_where=text("external_ref is not null"),
        ),
        Index("ix_campaigns_list", "account_id", "environment", "id", postgresql_include=["name"]),
        Index("ix_campaigns_by_name", "account_id", "environment", "name_key", "id"),
        Index("ix_campaigns_by_change", "account_id", "environment", "updated_at", "id"),
        Index("ix_campaigns_by_status", "account_id", "environment", "status", "id"),
        Index("ix_campaigns_by_property", "account_id", "environment", "only_property_id", "id"),
        Index("ix_campaigns_end", "end_at", postgresql_where=text(_RUNNING)),
        Index("ix_campaigns_goal", "id", postgresql_where=text(f"goal is not null and {_RUNNING}")),
        UniqueConstraint("account_id", "id"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    environment: str
    property_ids: list[str] = json_column(list)
    name: str
    objective: str
    pricing_model: str
    bid_cents: int
    pacing: str
    priority: str
    start_at: datetime | None = instant(nullable=True)
    end_at: datetime | None = instant(nullable=True)
    timezone: str
    budget_total_cents: int | None = Field(None, sa_type=BigInteger)
    budget_daily_cents: int | None = Field(None, sa_type=BigInteger)
    goal: dict[str, Any] | None = Field(None, sa_type=JSONB(none_as_null=True), nullable=True)
    share_of_voice_percent: int | None = None
    frequency_caps: list[dict[str, Any]] = json_column(list)
    targeting: dict[str, Any] = json_column(dict)
    attribution: dict[str, Any] = json_column(dict)
    status: str
    completed_from: str | None = None
    """Status before the campaign was last completed, which it has again when it reopens. None: active."""
    review: dict[str, Any] | None = review_column()
    external_ref: str | None = None
    metadata_: dict[str, str] = json_column(dict)
    """The API's ``metadata``; SQLModel reserves that name."""
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()
    name_key: str | None = computed_column("name_key", "lower((name)::text)")
    """The name in lower case, by which lists sort and search. Valid only in a row that was just selected."""
    only_property_id: str | None = computed_column(
        "only_property_id",
        "CASE WHEN (jsonb_array_length(property_ids) = 1) "
        "THEN (property_ids ->> 0) ELSE NULL::text END",
    )
    """The only property of a campaign that has one: decides what a key may see, in a form that an index can hold."""


class AdRow(Row, table=True):
    __tablename__ = "ads"
    __table_args__ = (
        Index("ix_ads_list", "account_id", "environment", "id", postgresql_include=["name"]),
        Index(
            "ix_ads_waiting",
            "account_id",
            "environment",
            postgresql_where=text("status = 'pending_review'"),
        ),
        of_same_account("campaign_id", "campaigns"),
    )

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id")
    campaign_id: str = Field(index=True)
    environment: str
    name: str
    format: str
    content: dict[str, Any] = json_column(dict)
    asset_ids: dict[str, str] = json_column(dict)
    categories: list[str] = json_column(list)
    tracking: dict[str, list[str]] = json_column(dict)
    click_url: str | None = None
    advertiser_domain: str | None = None
    weight: int = 1
    slot_ids: list[str] = json_column(list)
    targeting: dict[str, Any] = json_column(dict)
    status: str
    review: dict[str, Any] | None = review_column()
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class CampaignSpendRow(Row, table=True):
    """Charges, and counts of events really inserted. Written by ingest, and for the days of flat rates."""

    __tablename__ = "campaign_spend"
    __table_args__ = (of_same_account("campaign_id", "campaigns"),)

    campaign_id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    spent_micros: int = Field(0, sa_type=BigInteger)
    impressions: int = Field(0, sa_type=BigInteger)
    clicks: int = Field(0, sa_type=BigInteger)
    conversions: int = Field(0, sa_type=BigInteger)
    updated_at: datetime = instant(index=True)


class CampaignSpendDayRow(Row, table=True):
    """Charges of events by the day of their serve, in the campaign's timezone. Guarded by `CampaignSpendRow`."""

    __tablename__ = "campaign_spend_days"
    __table_args__ = (of_same_account("campaign_id", "campaigns"),)

    campaign_id: str = Field(primary_key=True)
    day: date = Field(primary_key=True)
    account_id: str
    spent_micros: int = Field(sa_type=BigInteger)
