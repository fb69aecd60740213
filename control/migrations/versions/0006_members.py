"""Members, invitations and what an account decides of itself."""

import sqlalchemy as sa
from alembic import op

from control.migrations.security import TENANT

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


_SETTINGS = ("review_required",)


def upgrade() -> None:
    _account_settings()


def downgrade() -> None:
    for column in _SETTINGS:
        op.drop_column("accounts", column)


def _account_settings() -> None:
    for column in _SETTINGS:
        op.add_column(
            "accounts", sa.Column(column, sa.Boolean(), nullable=False, server_default=sa.false())
        )
        op.alter_column("accounts", column, server_default=None)
    settable = ", ".join((*_SETTINGS, "require_second_factor"))
    op.execute(f"grant update ({settable}) on accounts to {TENANT}")
