"""Accounts have a verified address; mails that somebody else can cause are counted by recipient."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.security import (SERVICE, security_definer)

revision = "0035"
down_revision = "0032"
branch_labels = None
depends_on = None

# Accounts of before go on as they are: some serve live ads today, and nobody asked their owners for a proof.
_GRANDFATHERED = "update accounts set address_verified_at = created_at"

# An admin has no permission of billing, so may not give it. Open invitations to `finance` that admins sent are void.
_BEYOND_THEIR_RIGHTS = (
    "delete from invitations i using memberships m where m.account_id = i.account_id"
    " and m.user_id = i.invited_by and m.role = 'admin' and i.role = 'finance'"
)

# A tenant sees the mails of its own account; the limit is for an address over all accounts. Two at once wait for
# each other. The result is when the oldest of the *most* newest was queued, null while there is room.
_FULL_SINCE = """
create function mails_full_since(hash bytea, since timestamptz, most integer) returns timestamptz
language plpgsql security definer set search_path = public, pg_temp as $$
begin
    perform pg_advisory_xact_lock(('x' || encode(substring(hash from 1 for 8), 'hex'))::bit(64)::bigint);
    return (
        select created_at from mails where recipient = hash and created_at > since
        order by created_at desc offset most - 1 limit 1
    );
end
$$
"""


def upgrade() -> None:
    op.add_column("accounts", sa.Column("address_verified_at", sa.DateTime(timezone=True)))
    op.add_column("mails", sa.Column("recipient", sa.LargeBinary()))
    op.create_index(
        "ix_mails_recipient",
        "mails",
        ["recipient", "created_at"],
        postgresql_where=sa.text("recipient is not null"),
    )
    op.execute(_FULL_SINCE)
    security_definer("mails_full_since(bytea, timestamptz, integer)")
    # As the service: forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute(_GRANDFATHERED)
    op.execute(_BEYOND_THEIR_RIGHTS)
    op.execute("set local role placard_owner")


def downgrade() -> None:
    op.execute("drop function mails_full_since(bytea, timestamptz, integer)")
    op.drop_index("ix_mails_recipient", "mails")
    op.drop_column("mails", "recipient")
    op.drop_column("accounts", "address_verified_at")
