"""Campaigns and ads. Money in cents, as the API has it."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field

from control.tables.base import Row, instant, json_column, of_same_account


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
        Index("ix_campaigns_list", "account_id", "environment", "id"),
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
    external_ref: str | None = None
    metadata_: dict[str, str] = json_column(dict)
    """The API's ``metadata``; SQLModel keeps that name for itself."""
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class AdRow(Row, table=True):
    __tablename__ = "ads"
    __table_args__ = (
        Index("ix_ads_list", "account_id", "environment", "id"),
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
    version: int = 1
    created_at: datetime = instant()
    updated_at: datetime = instant()


class CampaignSpendRow(Row, table=True):
    """What the ledger charged, and the counts of events really inserted. Written by ingest only."""

    __tablename__ = "campaign_spend"
    __table_args__ = (of_same_account("campaign_id", "campaigns"),)

    campaign_id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="accounts.id", index=True)
    spent_micros: int = Field(0, sa_type=BigInteger)
    impressions: int = Field(0, sa_type=BigInteger)
    clicks: int = Field(0, sa_type=BigInteger)
    conversions: int = Field(0, sa_type=BigInteger)
    updated_at: datetime = instant()
