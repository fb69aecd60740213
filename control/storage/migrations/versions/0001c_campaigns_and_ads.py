"""Campaigns, ads, and what the ledger charged."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import protect

revision = "0001"
down_revision = "0001b"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _campaigns()
    _ads()
    _campaign_spend()


def downgrade() -> None:
    op.drop_table("campaign_spend")
    op.drop_table("ads")
    op.drop_table("campaigns")


def _campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("environment", sa.String(), nullable=False),
        sa.Column("property_ids", JSONB(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("objective", sa.String(), nullable=False),
        sa.Column("pricing_model", sa.String(), nullable=False),
        sa.Column("bid_cents", sa.Integer(), nullable=False),
        sa.Column("pacing", sa.String(), nullable=False),
        sa.Column("priority", sa.String(), nullable=False),
        sa.Column("start_at", INSTANT, nullable=True),
        sa.Column("end_at", INSTANT, nullable=True),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("budget_total_cents", sa.BigInteger(), nullable=True),
        sa.Column("budget_daily_cents", sa.BigInteger(), nullable=True),
        sa.Column("goal", JSONB(), nullable=True),
        sa.Column("share_of_voice_percent", sa.Integer(), nullable=True),
        sa.Column("frequency_caps", JSONB(), nullable=False),
        sa.Column("targeting", JSONB(), nullable=False),
        sa.Column("attribution", JSONB(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("external_ref", sa.String(), nullable=True),
        sa.Column("metadata_", JSONB(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_campaigns_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaigns")),
    )
    op.create_index("ix_campaigns_list", "campaigns", ["account_id", "environment", "id"])
    op.create_index(
        "uq_campaigns_external_ref",
        "campaigns",
        ["account_id", "environment", "external_ref"],
        unique=True,
        postgresql_where=sa.text("external_ref is not null"),
    )
    one_of("campaigns", "environment", "test", "live")
    check("campaigns", "name", "length(name) between 1 and 200")
    one_of(
        "campaigns",
        "objective",
        "awareness",
        "traffic",
        "engagement",
        "leads",
        "conversions",
        "app_promotion",
    )
    one_of("campaigns", "pricing_model", "cpm", "cpc", "cpa", "flat_rate")
    check("campaigns", "bid_cents", "bid_cents between 1 and 10000000")
    one_of("campaigns", "pacing", "even", "asap", "front_loaded")
    one_of("campaigns", "priority", "sponsorship", "standard", "auction", "house")
    check("campaigns", "flight", "start_at < end_at")
    check("campaigns", "budget_total_cents", "budget_total_cents > 0")
    check("campaigns", "budget_daily_cents", "budget_daily_cents > 0")
    check("campaigns", "share_of_voice_percent", "share_of_voice_percent between 1 and 100")
    one_of(
        "campaigns",
        "status",
        "draft",
        "pending_review",
        "active",
        "paused",
        "completed",
        "rejected",
        "archived",
    )
    check("campaigns", "version", "version >= 1")
    protect("campaigns")


def _ads() -> None:
    op.create_table(
        "ads",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("environment", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("content", JSONB(), nullable=False),
        sa.Column("asset_ids", JSONB(), nullable=False),
        sa.Column("categories", JSONB(), nullable=False),
        sa.Column("tracking", JSONB(), nullable=False),
        sa.Column("click_url", sa.String(), nullable=True),
        sa.Column("advertiser_domain", sa.String(), nullable=True),
        sa.Column("weight", sa.Integer(), nullable=False),
        sa.Column("slot_ids", JSONB(), nullable=False),
        sa.Column("targeting", JSONB(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_ads_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_ads_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ads")),
    )
    op.create_index(op.f("ix_ads_campaign_id"), "ads", ["campaign_id"])
    op.create_index("ix_ads_list", "ads", ["account_id", "environment", "id"])
    one_of("ads", "environment", "test", "live")
    one_of("ads", "format", "banner", "html", "native", "audio", "video", "email")
    check("ads", "weight", "weight between 1 and 100")
    one_of("ads", "status", "draft", "pending_review", "active", "rejected", "paused", "archived")
    check("ads", "version", "version >= 1")
    protect("ads")


def _campaign_spend() -> None:
    op.create_table(
        "campaign_spend",
        sa.Column("campaign_id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("spent_micros", sa.BigInteger(), nullable=False),
        sa.Column("impressions", sa.BigInteger(), nullable=False),
        sa.Column("clicks", sa.BigInteger(), nullable=False),
        sa.Column("conversions", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_campaign_spend_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaigns.id"], name=op.f("fk_campaign_spend_campaign_id_campaigns")
        ),
        sa.PrimaryKeyConstraint("campaign_id", name=op.f("pk_campaign_spend")),
    )
    op.create_index(op.f("ix_campaign_spend_account_id"), "campaign_spend", ["account_id"])
    check(
        "campaign_spend",
        "counts",
        "spent_micros >= 0 and impressions >= 0 and clicks >= 0 and conversions >= 0",
    )
    protect("campaign_spend", tenant_may="select")
