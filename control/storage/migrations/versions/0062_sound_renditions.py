"""The object that holds a sound's renditions, which edges put into content."""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assets", sa.Column("renditions_name", sa.String(), nullable=True))
    op.create_index("ix_assets_renditions_name", "assets", ["renditions_name"])


def downgrade() -> None:
    op.drop_index("ix_assets_renditions_name", table_name="assets")
    op.drop_column("assets", "renditions_name")
