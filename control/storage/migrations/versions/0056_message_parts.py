"""The parts of stored messages, beside their English text: pages translate them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0056"
down_revision = "0052"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("assets", "rejection_parts"),
    ("exports", "error_parts"),
    ("top_ups", "instructions_parts"),
)


def upgrade() -> None:
    for table, column in _COLUMNS:
        op.add_column(table, sa.Column(column, JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    for table, column in _COLUMNS:
        op.drop_column(table, column)
