"""Keys are versioned: their name and expiry can be changed."""

import sqlalchemy as sa
from alembic import op

from control.migrations.checks import check

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("keys", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.alter_column("keys", "version", server_default=None)
    check("keys", "version", "version >= 1")


def downgrade() -> None:
    op.drop_column("keys", "version")
