"""Members with ids, invitations, what an account decides of itself, a fuller audit log, privacy requests."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import (CURRENT_ACCOUNT, SERVICE, TENANT, protect, security_definer)

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


_SETTINGS = ("review_required",)


def upgrade() -> None:
    _account_settings()
    _account_state()
    _memberships()
    _invitations()
    _audit_log()
    _privacy_requests()


def downgrade() -> None:
    op.execute("drop function close_own_account(timestamptz)")
    op.drop_table("privacy_requests")
    op.execute(f"revoke delete on audit_log from {SERVICE}")
    op.drop_index("ix_audit_log_at", "audit_log")
    op.drop_index("ix_audit_log_list", "audit_log")
    op.create_index(op.f("ix_audit_log_account_id"), "audit_log", ["account_id"])
    for column in ("request_id", "environment", "detail"):
        op.drop_column("audit_log", column)
    op.drop_table("invitations")
    for column in ("id", "invited_by", "version", "updated_at"):
        op.drop_column("memberships", column)
    for column in (*_SETTINGS, "version", "updated_at", "state_reason"):
        op.drop_column("accounts", column)


def _account_settings() -> None:
    for column in _SETTINGS:
        op.add_column(
            "accounts", sa.Column(column, sa.Boolean(), nullable=False, server_default=sa.false())
        )
        op.alter_column("accounts", column, server_default=None)
    op.add_column(
        "accounts", sa.Column("version", sa.Integer(), nullable=False, server_default="1")
    )
    op.alter_column("accounts", "version", server_default=None)
    _add_updated_at("accounts")
    check("accounts", "version", "version >= 1")
    settable = ", ".join((*_SETTINGS, "require_second_factor"))
    op.execute(
        f"grant update ({settable}, version, updated_at) on accounts to {TENANT}"
    )


def _account_state() -> None:
    """A tenant may not write its state; closing is the one step it may take, by way of a function."""
    op.add_column("accounts", sa.Column("state_reason", sa.String(), nullable=True))
    _fill("accounts", _FILL_REASON)
    one_of("accounts", "state_reason", "payment_failed", "subscription_ended", "operator", "closed")
    op.execute(_CLOSE)
    security_definer("close_own_account(timestamptz)")


def _memberships() -> None:
    op.add_column("memberships", sa.Column("id", sa.String(), nullable=True))
    op.add_column("memberships", sa.Column("invited_by", sa.String(), nullable=True))
    op.add_column(
        "memberships", sa.Column("version", sa.Integer(), nullable=False, server_default="1")
    )
    op.alter_column("memberships", "version", server_default=None)
    _fill("memberships", "update memberships set id = user_id")
    op.alter_column("memberships", "id", nullable=False)
    _add_updated_at("memberships")
    op.create_unique_constraint(
        op.f("uq_memberships_account_id_id"), "memberships", ["account_id", "id"]
    )
    op.create_foreign_key(
        op.f("fk_memberships_invited_by_users"), "memberships", "users", ["invited_by"], ["id"]
    )
    check("memberships", "version", "version >= 1")


def _invitations() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("invited_by", sa.String(), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_invitations_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["invited_by"], ["users.id"], name=op.f("fk_invitations_invited_by_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("account_id", "email", name=op.f("uq_invitations_account_id_email")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
    )
    op.create_index(op.f("ix_invitations_expires_at"), "invitations", ["expires_at"])
    check("invitations", "email", "email = lower(email) and length(email) between 3 and 254")
    check("invitations", "token_hash", "octet_length(token_hash) = 32")
    check("invitations", "version", "version >= 1")
    one_of("invitations", "role", "owner", "admin", "manager", "analyst", "finance")
    protect("invitations")


def _audit_log() -> None:
    op.add_column("audit_log", sa.Column("request_id", sa.String(), nullable=True))
    op.add_column("audit_log", sa.Column("environment", sa.String(), nullable=True))
    op.add_column(
        "audit_log",
        sa.Column("detail", JSONB(), nullable=False, server_default=sa.text("'{}'::jsonb")),
    )
    op.alter_column("audit_log", "detail", server_default=None)
    op.drop_index(op.f("ix_audit_log_account_id"), "audit_log")
    op.create_index("ix_audit_log_list", "audit_log", ["account_id", "id"])
    op.create_index(op.f("ix_audit_log_at"), "audit_log", ["at"])
    op.execute(f"grant delete on audit_log to {SERVICE}")


def _privacy_requests() -> None:
    op.create_table(
        "privacy_requests",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("uid_hash", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_uid", sa.String(), nullable=True),
        sa.Column("requested_by", sa.String(), nullable=False),
        sa.Column("found", JSONB(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("due_at", INSTANT, nullable=False),
        sa.Column("done_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_privacy_requests_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["requested_by"], ["users.id"], name=op.f("fk_privacy_requests_requested_by_users")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_privacy_requests")),
    )
    op.create_index("ix_privacy_requests_list", "privacy_requests", ["account_id", "id"])
    op.create_index(op.f("ix_privacy_requests_status"), "privacy_requests", ["status"])
    one_of("privacy_requests", "kind", "erase", "export")
    one_of("privacy_requests", "status", "pending", "done")
    check(
        "privacy_requests",
        "done",
        "(status = 'done') = (done_at is not null) and (status = 'pending') = (sealed_uid is not null)",
    )
    protect("privacy_requests", tenant_may="select, insert")


def _add_updated_at(table: str) -> None:
    op.add_column(table, sa.Column("updated_at", INSTANT, nullable=True))
    _fill(table, f"update {table} set updated_at = created_at")  # noqa: S608 - a name of ours
    op.alter_column(table, "updated_at", nullable=False)


def _fill(table: str, statement: str) -> None:
    """Forced row security hides every row from the owner, who migrates: lifted for the one statement."""
    op.execute(f"alter table {table} no force row level security")
    op.execute(statement)
    op.execute(f"alter table {table} force row level security")


_FILL_REASON = """
update accounts set state_reason = case state when 'past_due' then 'payment_failed' else 'operator' end
where state <> 'active'
"""

_CLOSE = f"""
create function close_own_account(closed_at timestamptz) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update accounts
    set state = 'suspended', state_reason = 'closed', version = version + 1, updated_at = closed_at
    where id = {CURRENT_ACCOUNT}
$$
"""
