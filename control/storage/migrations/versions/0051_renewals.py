"""An account says itself whether its subscription renews."""

from alembic import op

from control.storage.migrations.security import TENANT

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(f"grant update (subscription_renews) on accounts to {TENANT}")


def downgrade() -> None:
    op.execute(f"revoke update (subscription_renews) on accounts from {TENANT}")
