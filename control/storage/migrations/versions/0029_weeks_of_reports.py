"""How far weeks of reports are rolled up (the job makes those of before, from their days), and a sum of whole numbers."""

from alembic import op

from control.storage.migrations.security import (SERVICE, TENANT)

revision = "0029"
down_revision = "0027"
branch_labels = None
depends_on = None

# sum() of bigint counts in numeric: a third of the time of a report by ten thousand campaigns. This one raises where a
# sum is too large for a bigint, as a cast would.
_INT_SUM = (
    "create aggregate int_sum(bigint) (sfunc = int8pl, stype = bigint, combinefunc = int8pl, parallel = safe)",
    "revoke all on function int_sum(bigint) from public",
    f"grant execute on function int_sum(bigint) to {TENANT}, {SERVICE}",
)


def upgrade() -> None:
    op.execute("alter table report_head add column weeks_before date")
    for statement in _INT_SUM:
        op.execute(statement)


def downgrade() -> None:
    op.execute("drop aggregate int_sum(bigint)")
    op.execute("alter table report_head drop column weeks_before")
    # As the service: forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute("delete from report_sums where rollup like '%/week'")
    op.execute("set local role placard_owner")
