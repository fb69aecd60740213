"""Records identified by their writer and number, each writer's hourly counts, and its missing records."""

from alembic import op

from control.storage.migrations.security import (SERVICE, service_only)

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_OWNER = "placard_owner"
_PARTITIONS = 4
_LANES = """
create table writer_lanes (
    writer varchar not null,
    partition integer not null,
    high bigint not null,
    prior bigint not null,
    constraint pk_writer_lanes primary key (writer, partition)
)
"""
_HOURS = """
create table writer_hours (
    writer varchar not null,
    hour timestamptz not null,
    appended bigint,
    stored bigint not null,
    duplicates bigint not null,
    dead bigint not null,
    constraint pk_writer_hours primary key (writer, hour)
)
"""
_GAPS = """
create table writer_gaps (
    writer varchar not null,
    missing int8multirange not null,
    standing int8multirange not null,
    since timestamptz not null,
    asked_at timestamptz,
    told_at timestamptz,
    sent bigint not null default 0,
    closed_at timestamptz,
    constraint pk_writer_gaps primary key (writer)
)
"""
# What a writer had committed before is held against its ranges, in whichever partition it comes again.
_OLD_LANES = f"""
insert into writer_lanes (writer, partition, high, prior)
select writer, p, coalesce(upper(ranges) - 1, 0), 0
from writer_marks, generate_series(0, {_PARTITIONS - 1}) p
"""


def upgrade() -> None:
    for table in (_LANES, _HOURS, _GAPS):
        op.execute(table)
    op.execute("create index ix_writer_hours_hour on writer_hours (hour)")
    op.execute("alter table writer_marks add column shipped bigint")
    for name in ("writer_lanes", "writer_hours", "writer_gaps"):
        service_only(name)
    # As the service: forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute(_OLD_LANES)
    op.execute(f"set local role {_OWNER}")


def downgrade() -> None:
    for name in ("writer_gaps", "writer_hours", "writer_lanes"):
        op.execute(f"drop table {name}")
    op.execute("alter table writer_marks drop column shipped")
