"""List indexes that hold names, an index of ads that wait for review, unwanted mails, and deleted users."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.security import TENANT

revision = "0064"
down_revision = "0062"
branch_labels = None
depends_on = None

_LISTS = {"campaigns": "name", "ads": "name", "assets": "filename"}
_LIST = ["account_id", "environment", "id"]


def upgrade() -> None:
    for table, name in _LISTS.items():
        op.drop_index(f"ix_{table}_list", table_name=table)
        op.create_index(f"ix_{table}_list", table, _LIST, postgresql_include=[name])
    op.create_index(
        "ix_ads_waiting",
        "ads",
        ["account_id", "environment"],
        postgresql_where=sa.text("status = 'pending_review'"),
    )
    op.add_column(
        "users", sa.Column("mails_off", JSONB(), server_default=sa.text("'[]'"), nullable=False)
    )
    op.add_column("users", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(f"grant select (mails_off, deleted_at) on users to {TENANT}")


def downgrade() -> None:
    op.drop_column("users", "deleted_at")
    op.drop_column("users", "mails_off")
    op.drop_index("ix_ads_waiting", table_name="ads")
    for table in _LISTS:
        op.drop_index(f"ix_{table}_list", table_name=table)
        op.create_index(f"ix_{table}_list", table, _LIST)
