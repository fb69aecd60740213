"""Keys are versioned, for their name and expiry can be changed; people may change their own name."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import check
from control.storage.migrations.security import TENANT

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("keys", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.alter_column("keys", "version", server_default=None)
    check("keys", "version", "version >= 1")
    op.execute(f"grant update (name) on users to {TENANT}")


def downgrade() -> None:
    op.execute(f"revoke update (name) on users from {TENANT}")
    op.drop_column("keys", "version")
