"""When an account was last reminded of keys to rotate."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import INSTANT

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("keys_reminded_at", INSTANT))


def downgrade() -> None:
    op.drop_column("accounts", "keys_reminded_at")
