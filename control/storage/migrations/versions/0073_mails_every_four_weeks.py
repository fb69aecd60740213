"""Which weekly mails a user wants every four weeks, and when each member had the mail about keys."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.security import TENANT

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "users", sa.Column("mails_monthly", JSONB(), server_default=sa.text("'[]'"), nullable=False)
    )
    op.add_column(
        "memberships", sa.Column("keys_reminded_at", sa.DateTime(timezone=True), nullable=True)
    )
    op.execute(f"grant select (mails_monthly) on users to {TENANT}")


def downgrade() -> None:
    op.drop_column("memberships", "keys_reminded_at")
    op.drop_column("users", "mails_monthly")
