"""Leases of budgets: whose they are, what was committed of them, and charges by the minute of their serve."""

from alembic import op

from control.migrations.security import protect, service_only

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_TABLES = """
create table lease_epoch (
    id integer not null,
    epoch bigint not null,
    constraint pk_lease_epoch primary key (id),
    constraint ck_lease_epoch_one check (id = 1)
);
create table lease_books (
    worker varchar not null,
    sequence bigint not null,
    heard_at timestamptz not null,
    body bytea not null,
    constraint pk_lease_books primary key (worker)
);
-- Rewritten every second, and packed by nothing that costs more than it saves.
alter table lease_books alter body set storage external;
create table lease_minutes (
    minute bigint not null,
    body bytea not null,
    constraint pk_lease_minutes primary key (minute)
);
alter table lease_minutes alter body set storage external;
create table campaign_spend_minutes (
    campaign_id varchar not null,
    minute bigint not null,
    account_id varchar not null,
    spent_micros bigint not null,
    constraint pk_campaign_spend_minutes primary key (campaign_id, minute)
);
create index ix_campaign_spend_minutes_minute on campaign_spend_minutes (minute);
"""


def upgrade() -> None:
    op.execute(_TABLES)
    # Rows of its own are there before anybody is kept out of them.
    op.execute("insert into lease_epoch (id, epoch) values (1, 0)")
    for table in ("lease_epoch", "lease_books", "lease_minutes"):
        service_only(table)
    protect("campaign_spend_minutes", tenant_may="select")


def downgrade() -> None:
    for table in ("campaign_spend_minutes", "lease_minutes", "lease_books", "lease_epoch"):
        op.execute(f"drop table {table}")
