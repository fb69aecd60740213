"""The status that a campaign had when it was completed, so that a raised end, budget or goal gives it back."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import one_of

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("completed_from", sa.String(), nullable=True))
    one_of("campaigns", "completed_from", "active", "paused")


def downgrade() -> None:
    op.drop_column("campaigns", "completed_from")
