"""Adds settings for client libraries to properties, and raises refresh intervals under 30 seconds to 30."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.security import SERVICE

revision = "0040"
down_revision = "0037"
branch_labels = None
depends_on = None

_NOTHING = '{"min": {}, "flags": {}}'


def upgrade() -> None:
    op.add_column(
        "properties", sa.Column("sdk", JSONB(), nullable=False, server_default=_NOTHING)
    )
    # As the service: forced row-level security shows the owner nothing. Edges learn of it with the slot's next change.
    op.execute(f"set local role {SERVICE}")
    op.execute("update slots set refresh_seconds = 30, version = version + 1 where refresh_seconds < 30")
    op.execute("set local role placard_owner")


def downgrade() -> None:
    op.drop_column("properties", "sdk")
