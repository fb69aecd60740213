"""The agent of each event, what a test event would be in live, and properties whose servers show publishable keys."""

from alembic import op

revision = "0032"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "alter table events add live_reason varchar, add agent_family varchar, add agent_major varchar, "
        "add agent_pattern varchar"
    )
    op.execute("alter table conversions add live_reason varchar")
    op.execute("alter table properties add server_rendering boolean not null default false")


def downgrade() -> None:
    op.execute("alter table properties drop server_rendering")
    op.execute("alter table conversions drop live_reason")
    op.execute(
        "alter table events drop live_reason, drop agent_family, drop agent_major, drop agent_pattern"
    )
