"""How far weeks of reports are rolled up: those of before are rolled by the job, from the days that stand there."""

from alembic import op

revision = "0029"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("alter table report_head add column weeks_before date")


def downgrade() -> None:
    op.execute("alter table report_head drop column weeks_before")
    op.execute(
        "set local role placard_service"
    )  # forced row-level security shows the owner nothing
    op.execute("delete from report_sums where rollup like '%/week'")
    op.execute("set local role placard_owner")
