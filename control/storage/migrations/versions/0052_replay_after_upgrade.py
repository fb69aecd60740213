"""In which form the objects of the snapshot were compiled last, so that an upgrade replays them by itself."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("compiled_as", sa.Integer(), nullable=False, server_default="0")
    op.add_column("snapshot_head", column)


def downgrade() -> None:
    op.drop_column("snapshot_head", "compiled_as")
