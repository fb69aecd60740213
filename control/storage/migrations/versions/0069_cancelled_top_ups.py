"""Top-ups that the account cancels while they are pending."""

from alembic import op

from control.storage.migrations.security import SERVICE, TENANT

revision = "0069"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _allow_statuses("'pending', 'confirmed', 'failed', 'cancelled'")
    # A tenant that could write any status could confirm a payment that never arrived.
    op.execute(
        f"create policy top_ups_cancel on top_ups as restrictive for update to {TENANT} "
        "using (status = 'pending') with check (status = 'cancelled')"
    )
    op.execute(f"grant update (status, settled_at) on top_ups to {TENANT}")


def downgrade() -> None:
    op.execute(f"revoke update (status, settled_at) on top_ups from {TENANT}")
    op.execute("drop policy top_ups_cancel on top_ups")
    op.execute(f"set local role {SERVICE}")  # row security shows the owner no rows
    op.execute("update top_ups set status = 'failed' where status = 'cancelled'")
    op.execute("set local role placard_owner")
    _allow_statuses("'pending', 'confirmed', 'failed'")


def _allow_statuses(statuses: str) -> None:
    op.execute("alter table top_ups drop constraint ck_top_ups_status")
    op.execute(
        f"alter table top_ups add constraint ck_top_ups_status check (status in ({statuses}))"
    )
