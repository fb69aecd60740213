"""Requests of slots by the hour, the week that is learned from them, and what was granted since leases were last folded."""

from alembic import op

from control.storage.migrations.security import (protect, service_only)

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_TABLES = (
    """
create table slot_hours (
    slot_id varchar not null,
    hour timestamptz not null,
    account_id varchar not null,
    requests bigint not null,
    constraint pk_slot_hours primary key (slot_id, hour)
)
""",
    "create index ix_slot_hours_hour on slot_hours (hour)",
    """
create table slot_weeks (
    slot_id varchar not null,
    account_id varchar not null,
    weights bigint[] not null,
    learned_at timestamptz not null,
    constraint pk_slot_weeks primary key (slot_id),
    constraint ck_slot_weeks_weights check (cardinality(weights) = 168)
)
""",
    """
create table lease_journal (
    epoch bigint not null,
    number bigint not null,
    body bytea not null,
    constraint pk_lease_journal primary key (epoch, number)
)
""",
    "alter table lease_journal alter body set storage external",
)


def upgrade() -> None:
    for statement in _TABLES:
        op.execute(statement)
    service_only("slot_hours")
    protect("slot_weeks", tenant_may="select")
    service_only("lease_journal")


def downgrade() -> None:
    op.execute("drop table lease_journal, slot_weeks, slot_hours")
