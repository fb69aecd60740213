"""Accounts, the people in them, their tokens, the audit log and the stored answers."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import (CURRENT_ACCOUNT, SERVICE, TENANT, allow, force, protect)

revision = "0001a"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _accounts()
    _users()
    _memberships()
    _access_tokens()
    _audit_log()
    _idempotency()


def downgrade() -> None:
    op.drop_table("idempotency")
    op.drop_table("audit_log")
    op.drop_table("access_tokens")
    op.execute("drop policy users_tenant on users")  # it asks memberships
    op.drop_table("memberships")
    op.drop_table("users")
    op.drop_table("accounts")


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("currency", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("stopped", sa.Boolean(), nullable=False),
        sa.Column("billing_mode", sa.String(), nullable=False),
        sa.Column("is_operator", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
    )
    check("accounts", "name", "length(name) between 1 and 200")
    check("accounts", "currency", "currency ~ '^[A-Z]{3}$'")
    one_of("accounts", "state", "active", "past_due", "suspended")
    one_of("accounts", "billing_mode", "invoiced", "prepaid")
    protect("accounts", account_column="id", tenant_may="select, update (name, stopped)")


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
    )
    check("users", "email", "email = lower(email) and length(email) between 3 and 254")


def _memberships() -> None:
    op.create_table(
        "memberships",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_memberships_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_memberships_user_id_users")
        ),
        sa.PrimaryKeyConstraint("account_id", "user_id", name=op.f("pk_memberships")),
    )
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"])
    one_of("memberships", "role", "owner", "admin", "manager", "analyst", "finance")
    protect("memberships")
    _protect_users()


def _access_tokens() -> None:
    op.create_table(
        "access_tokens",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("family_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_access_tokens_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_access_tokens_user_id_users")
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_access_tokens")),
    )
    op.create_index(op.f("ix_access_tokens_account_id"), "access_tokens", ["account_id"])
    op.create_index(op.f("ix_access_tokens_family_id"), "access_tokens", ["family_id"])
    check("access_tokens", "hash", "octet_length(hash) = 32")
    one_of("access_tokens", "kind", "access", "refresh")
    protect("access_tokens", tenant_may="select, update (revoked_at)")


def _audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("object_type", sa.String(), nullable=False),
        sa.Column("object_id", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_audit_log_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    op.create_index(op.f("ix_audit_log_account_id"), "audit_log", ["account_id"])
    protect("audit_log", tenant_may="select, insert", service_may="select, insert")


def _idempotency() -> None:
    op.create_table(
        "idempotency",
        sa.Column("scope", sa.LargeBinary(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", JSONB(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("is_sealed", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_idempotency_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_idempotency")),
    )
    op.create_index(op.f("ix_idempotency_account_id"), "idempotency", ["account_id"])
    op.create_index(op.f("ix_idempotency_created_at"), "idempotency", ["created_at"])
    check("idempotency", "status", "status between 200 and 299")
    protect("idempotency")


def _protect_users() -> None:
    """A tenant sees who its members are, never their password hashes."""
    force("users")
    member = (
        "exists (select from memberships m where m.user_id = users.id "
        f"and m.account_id = {CURRENT_ACCOUNT})"
    )
    allow("users", role=TENANT, using=member, may="select (id, email, name, created_at)")
    allow("users", role=SERVICE, using="true")
