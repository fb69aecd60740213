"""Saved views of reports."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import INSTANT, check, one_of
from control.storage.migrations.security import protect

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "report_views",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("environment", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("question", JSONB(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_report_views_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "owner_id"],
            ["memberships.account_id", "memberships.user_id"],
            name=op.f("fk_report_views_account_id_owner_id_memberships"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_report_views_created_by_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report_views")),
    )
    op.create_index("ix_report_views_list", "report_views", ["account_id", "environment", "id"])
    one_of("report_views", "environment", "test", "live")
    check("report_views", "name", "length(name) between 1 and 200")
    protect("report_views")


def downgrade() -> None:
    op.drop_table("report_views")
