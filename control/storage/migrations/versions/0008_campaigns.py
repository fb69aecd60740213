"""Review of campaigns and ads; what their lists, the day's spend and the end of a flight are looked up by."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_RUNNING = sa.text("status in ('active', 'paused')")
_WITH_GOAL = sa.text("goal is not null and status in ('active', 'paused')")


def upgrade() -> None:
    for table in ("campaigns", "ads"):
        op.add_column(table, sa.Column("review", JSONB(), nullable=True))
    op.add_column(
        "campaigns",
        sa.Column("name_key", sa.String(), sa.Computed("lower((name)::text)", persisted=True)),
    )
    op.add_column(
        "campaigns",
        sa.Column(
            "only_property_id",
            sa.String(),
            sa.Computed(
                "CASE WHEN (jsonb_array_length(property_ids) = 1) "
                "THEN (property_ids ->> 0) ELSE NULL::text END",
                persisted=True,
            ),
        ),
    )
    for name, columns in _LISTS.items():
        op.create_index(name, "campaigns", columns)
    op.create_index("ix_campaigns_end", "campaigns", ["end_at"], postgresql_where=_RUNNING)
    op.create_index("ix_campaigns_goal", "campaigns", ["id"], postgresql_where=_WITH_GOAL)
    op.create_index("ix_event_hourly_campaign", "event_hourly", ["campaign_id", "hour"])


def downgrade() -> None:
    op.drop_index("ix_event_hourly_campaign", "event_hourly")
    for name in ("ix_campaigns_goal", "ix_campaigns_end", *_LISTS):
        op.drop_index(name, "campaigns")
    op.drop_column("campaigns", "only_property_id")
    op.drop_column("campaigns", "name_key")
    for table in ("campaigns", "ads"):
        op.drop_column(table, "review")


_LISTS = {
    "ix_campaigns_by_name": ["account_id", "environment", "name_key", "id"],
    "ix_campaigns_by_change": ["account_id", "environment", "updated_at", "id"],
    "ix_campaigns_by_status": ["account_id", "environment", "status", "id"],
    "ix_campaigns_by_property": ["account_id", "environment", "only_property_id", "id"],
}
