"""Room in the pages of sums, so that a row that grows stays in its page and no index hears of it."""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

# Ingest adds to a third of an hour's rows in a transaction, and the versions before are cleared by the next one that
# comes by. What an hour leaves is never written again: more room than that would be read over for years.
_PERCENT = 70
_TABLES = (
    *("event_hourly", "serve_hourly", "ad_counts", "ad_slot_counts"),
    *("campaign_spend_days", "campaign_spend_minutes"),
)


def upgrade() -> None:
    for table in _TABLES:
        op.execute(f"alter table {table} set (fillfactor = {_PERCENT})")


def downgrade() -> None:
    for table in _TABLES:
        op.execute(f"alter table {table} reset (fillfactor)")
