"""Leases of budgets: whose they are, what was committed of them, and charges by the minute of their serve."""

from alembic import op

from control.storage.migrations.security import (protect, security_definer, service_only)

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_TABLES = (
    """
create table lease_epoch (
    id integer not null,
    epoch bigint not null,
    constraint pk_lease_epoch primary key (id),
    constraint ck_lease_epoch_one check (id = 1)
)
""",
    """
create table lease_books (
    worker varchar not null,
    sequence bigint not null,
    heard_at timestamptz not null,
    body bytea not null,
    constraint pk_lease_books primary key (worker)
)
""",
    "alter table lease_books alter body set storage external",
    """
create table lease_minutes (
    minute bigint not null,
    body bytea not null,
    constraint pk_lease_minutes primary key (minute)
)
""",
    "alter table lease_minutes alter body set storage external",
    """
create table lease_outstanding (
    id integer not null,
    at timestamptz not null,
    body jsonb not null,
    constraint pk_lease_outstanding primary key (id),
    constraint ck_lease_outstanding_one check (id = 1)
)
""",
    "alter table lease_outstanding alter body set storage external",
    """
create table campaign_spend_minutes (
    campaign_id varchar not null,
    minute bigint not null,
    account_id varchar not null,
    spent_micros bigint not null,
    constraint pk_campaign_spend_minutes primary key (campaign_id, minute)
)
""",
    "create index ix_campaign_spend_minutes_minute on campaign_spend_minutes (minute)",
)
_FIND = """
create function find_outstanding(campaign varchar) returns table (at timestamptz, micros bigint)
language sql stable security definer set search_path = public, pg_temp as $$
    select o.at, coalesce(cast(o.body ->> c.id as bigint), 0) from lease_outstanding o, campaigns c
    where c.id = campaign and c.account_id = nullif(current_setting('app.account', true), '')
$$
"""


def upgrade() -> None:
    for statement in _TABLES:
        op.execute(statement)
    op.execute("insert into lease_epoch (id, epoch) values (1, 0)")
    for table in ("lease_epoch", "lease_books", "lease_minutes", "lease_outstanding"):
        service_only(table)
    protect("campaign_spend_minutes", tenant_may="select")
    op.execute(_FIND)
    security_definer("find_outstanding(varchar)")


def downgrade() -> None:
    op.execute("drop function find_outstanding(varchar)")
    op.execute("drop table campaign_spend_minutes, lease_outstanding, lease_minutes, lease_books")
    op.execute("drop table lease_epoch")
