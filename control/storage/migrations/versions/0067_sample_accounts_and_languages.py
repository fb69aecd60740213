"""Sample accounts, from which nothing is learned; the language of a user's mails."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import one_of
from control.storage.migrations.security import TENANT

revision = "0067"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "accounts",
        sa.Column("is_sample", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.add_column("users", sa.Column("language", sa.String(), nullable=True))
    one_of("users", "language", "en", "es", "pt-BR")
    op.execute(f"grant select (language), update (language) on users to {TENANT}")


def downgrade() -> None:
    op.drop_column("users", "language")
    op.drop_column("accounts", "is_sample")
