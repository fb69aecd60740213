"""What edge workers say of their snapshots, and since which version edges know a coming secret."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import (INSTANT, one_of)
from control.storage.migrations.security import (TENANT, allow, service_only)

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "edge_workers",
        sa.Column("environment", sa.String(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("boot", sa.String(), nullable=False),
        sa.Column("epoch", sa.String(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("ok", sa.Boolean(), nullable=False),
        sa.Column("age_s", sa.Double(), nullable=False),
        sa.Column("seen_at", INSTANT, nullable=False),
        sa.Column("acked_at", INSTANT, nullable=True),
        sa.Column("nacked_at", INSTANT, nullable=True),
        sa.Column("nack_reason", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("environment", "worker", name=op.f("pk_edge_workers")),
    )
    one_of("edge_workers", "environment", "test", "live")
    op.create_index("ix_edge_workers_seen_at", "edge_workers", ["seen_at"])
    service_only("edge_workers")
    # It holds nothing about any account; the endpoints decide which caller sees which part.
    allow("edge_workers", role=TENANT, using="true", may="select")
    op.add_column("property_secrets", sa.Column("known_version", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("property_secrets", "known_version")
    op.drop_table("edge_workers")
