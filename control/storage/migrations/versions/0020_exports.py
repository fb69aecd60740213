"""Exports of reports and events."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import protect

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "exports",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("environment", sa.String(), nullable=False),
        sa.Column("property_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("question", JSONB(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("progress_percent", sa.Integer(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.Column("sha256", sa.String(), nullable=True),
        sa.Column("error", sa.String(), nullable=True),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("claimed_until", INSTANT, nullable=True),
        sa.Column("has_files", sa.Boolean(), nullable=False),
        sa.Column("is_removed", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("started_at", INSTANT, nullable=True),
        sa.Column("finished_at", INSTANT, nullable=True),
        sa.Column("expires_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_exports_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "property_id"],
            ["properties.account_id", "properties.id"],
            name=op.f("fk_exports_account_id_property_id_properties"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exports")),
    )
    op.create_index("ix_exports_list", "exports", ["account_id", "environment", "id"])
    op.create_index(
        "ix_exports_open",
        "exports",
        ["created_at"],
        postgresql_where=sa.text("status in ('queued', 'running')"),
    )
    op.create_index(
        "ix_exports_kept", "exports", ["expires_at"], postgresql_where=sa.text("has_files")
    )
    one_of("exports", "environment", "test", "live")
    one_of("exports", "kind", "report", "events")
    one_of("exports", "format", "csv", "ndjson", "parquet")
    one_of("exports", "status", "queued", "running", "ready", "failed", "expired")
    check("exports", "progress", "progress_percent between 0 and 100")
    check(
        "exports",
        "ready",
        "status <> 'ready' or (rows is not null and bytes is not null and sha256 is not null "
        "and expires_at is not null)",
    )
    check("exports", "failure", "status <> 'failed' or error is not null")
    protect("exports")


def downgrade() -> None:
    op.drop_table("exports")
