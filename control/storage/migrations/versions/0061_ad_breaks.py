"""Slots whose ad breaks separate categories; the sums of quality signals in reports."""

from alembic import op

from control.storage.migrations.security import SERVICE

revision = "0061"
down_revision = "0056"
branch_labels = None
depends_on = None

_ADD = """
alter table report_sums
    add column starts bigint,
    add column first_quartiles bigint,
    add column midpoints bigint,
    add column third_quartiles bigint,
    add column completes bigint,
    add column skips bigint,
    add column errors bigint
"""
_DROP = """
alter table report_sums
    drop column starts, drop column first_quartiles, drop column midpoints,
    drop column third_quartiles, drop column completes, drop column skips, drop column errors
"""


def upgrade() -> None:
    op.execute("alter table slots add separate_categories boolean not null default false")
    op.execute(_ADD)
    # Days that were rolled up before lack the new sums: the job sums them again. They are marked by the service, because
    # forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute("""
insert into report_late_days (account_id, day)
select distinct account_id, cast(hour at time zone 'UTC' as date) from event_hourly
where kind in
    ('start', 'first_quartile', 'midpoint', 'third_quartile', 'complete', 'skip', 'error')
""")
    op.execute("set local role placard_owner")


def downgrade() -> None:
    op.execute(_DROP)
    op.execute("alter table slots drop separate_categories")
