"""Small pictures of images and videos, which pages show in lists and before a video plays."""

import sqlalchemy as sa
from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("assets", sa.Column("thumbnail", sa.LargeBinary(), nullable=True))
    op.add_column("assets", sa.Column("poster", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("assets", "poster")
    op.drop_column("assets", "thumbnail")
