"""Recorded decisions, and what snapshot objects were before each change, so that any version can be had again."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import (INSTANT, one_of)
from control.storage.migrations.security import (SERVICE, protect)

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_READ = "select"
_APPEND = "select, insert"

_RECORDS = """
create table decision_records (
    day date not null,
    id uuid not null,
    account_id varchar not null,
    property_id uuid not null,
    is_test boolean not null,
    body bytea not null,
    constraint pk_decision_records primary key (day, id)
) partition by range (day)
"""
_DEFAULT = "create table decision_records_default partition of decision_records default"
# The lock is that of `ensure_partitions`: both make tables, and one at a time is enough.
_PARTITIONS = """
create function ensure_decision_partitions(today date, kept_days integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtext('placard/partitions'));
    perform ensure_partition('decision_records', 'day', today + ahead)
        from generate_series(-kept_days, 2) ahead;
    perform drop_partitions('decision_records', today - kept_days);
end $$
"""
_SIGNATURE = "ensure_decision_partitions(date, integer)"


def upgrade() -> None:
    _past()
    op.execute(_RECORDS)
    op.execute(_DEFAULT)
    protect("decision_records", tenant_may=_READ, service_may=_APPEND)
    default = "decision_records_default"
    op.execute(f"alter table {default} enable row level security")
    op.execute(f"alter table {default} force row level security")
    # Rows that came before their day's partition are moved into it by the owner's function.
    op.execute(
        f"create policy {default}_owner on {default} to placard_owner using (true) with check (true)"
    )
    op.execute(_PARTITIONS)
    op.execute(f"revoke all on function {_SIGNATURE} from public")
    op.execute(f"grant execute on function {_SIGNATURE} to {SERVICE}")
    op.execute("select ensure_decision_partitions(current_date, 7)")


def downgrade() -> None:
    op.execute(f"drop function {_SIGNATURE}")
    op.drop_table("decision_records")
    op.drop_table("snapshot_past")


def _past() -> None:
    op.create_table(
        "snapshot_past",
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("until_version", sa.BigInteger(), nullable=False),
        sa.Column("environment", sa.String(), nullable=True),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("type", "id", "until_version", name=op.f("pk_snapshot_past")),
    )
    op.create_index(
        op.f("ix_snapshot_past_account_id_until_version"),
        "snapshot_past",
        ["account_id", "until_version"],
    )
    op.create_index(op.f("ix_snapshot_past_at"), "snapshot_past", ["at"])
    one_of("snapshot_past", "environment", "test", "live")
    # Whoever changes an object leaves there what it was; a tenant reads nothing of it.
    protect("snapshot_past", tenant_may="insert")
