"""Whether an order was reported with proof, and the event to retract where it was not."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.security import SERVICE

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Older rows, and those of processes that do not know the columns, are final.
    op.add_column(
        "conversion_keys",
        sa.Column("has_proof", sa.Boolean(), nullable=False, server_default=sa.true()),
    )
    op.add_column("conversion_keys", sa.Column("unproven_event_id", sa.Uuid(), nullable=True))
    op.add_column("conversion_keys", sa.Column("unproven_stored_day", sa.Date(), nullable=True))
    op.execute(f"grant update (has_proof) on conversion_keys to {SERVICE}")


def downgrade() -> None:
    op.drop_column("conversion_keys", "unproven_stored_day")
    op.drop_column("conversion_keys", "unproven_event_id")
    op.drop_column("conversion_keys", "has_proof")
