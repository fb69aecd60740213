"""Mails on their way out, the sessions of people, and what proves who they are."""

from importlib import import_module

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import (CURRENT_ACCOUNT, SERVICE, TENANT, allow, force, protect, security_definer, service_only)

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BEFORE = "control.storage.migrations.versions.0001b_properties_and_keys"
_MEMBER = (
    "exists (select from memberships m where m.user_id = {table}.user_id "
    f"and m.account_id = {CURRENT_ACCOUNT})"
)


def upgrade() -> None:
    _mails()
    _sessions()
    _users()
    _mailed_tokens()
    _reset_requests()
    _second_factors()
    _recovery_codes()
    _known_origins()
    _throttles()
    _account_demands()
    _look_up(FIND_ACCESS_TOKEN)


def downgrade() -> None:
    _look_up(import_module(_BEFORE).FIND_ACCESS_TOKEN)
    op.drop_column("accounts", "require_second_factor")
    for table in (
        "throttles",
        "known_origins",
        "recovery_codes",
        "second_factors",
        "reset_requests",
        "mailed_tokens",
    ):
        op.drop_table(table)
    op.drop_column("users", "email_verified_at")
    op.drop_constraint(
        op.f("fk_access_tokens_account_id_family_id_sessions"), "access_tokens", type_="foreignkey"
    )
    op.drop_table("sessions")
    op.drop_table("mails")


def _mails() -> None:
    op.create_table(
        "mails",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("sealed", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("due_at", INSTANT, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("sent_at", INSTANT, nullable=True),
        sa.Column("failed_at", INSTANT, nullable=True),
        sa.Column("last_error", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_mails_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
    )
    op.create_index(op.f("ix_mails_account_id"), "mails", ["account_id"])
    op.create_index(
        "ix_mails_due", "mails", ["due_at"], postgresql_where=sa.text("sent_at is null and failed_at is null")
    )
    protect("mails", tenant_may="select (id), insert")


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT, nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_sessions_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("account_id", "id", name=op.f("uq_sessions_account_id_id")),
    )
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"])
    op.create_index(op.f("ix_sessions_last_used_at"), "sessions", ["last_used_at"])
    _make_sessions_of_families()
    op.create_foreign_key(
        op.f("fk_access_tokens_account_id_family_id_sessions"),
        "access_tokens",
        "sessions",
        ["account_id", "family_id"],
        ["account_id", "id"],
        ondelete="CASCADE",
    )
    protect("sessions", tenant_may="select, update (revoked_at)")


def _make_sessions_of_families() -> None:
    """Who is signed in stays so. The owner sees the tokens only while row-level security is not forced on it."""
    op.execute("alter table access_tokens no force row level security")
    op.execute(
        "insert into sessions (id, account_id, user_id, created_at, last_used_at, origin, agent, revoked_at) "
        "select family_id, account_id, user_id, min(created_at), max(created_at), '', '', "
        "case when bool_and(revoked_at is not null) then max(revoked_at) end "
        "from access_tokens group by family_id, account_id, user_id"
    )
    op.execute("alter table access_tokens force row level security")


def _users() -> None:
    op.add_column("users", sa.Column("email_verified_at", INSTANT, nullable=True))
    op.execute(f"grant select (email_verified_at) on users to {TENANT}")


def _mailed_tokens() -> None:
    op.create_table(
        "mailed_tokens",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_mailed_tokens_user_id_users")
        ),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_mailed_tokens")),
    )
    op.create_index(op.f("ix_mailed_tokens_user_id"), "mailed_tokens", ["user_id"])
    op.create_index(op.f("ix_mailed_tokens_expires_at"), "mailed_tokens", ["expires_at"])
    check("mailed_tokens", "hash", "octet_length(hash) = 32")
    one_of("mailed_tokens", "purpose", "password_reset", "email_verification")
    service_only("mailed_tokens")


def _reset_requests() -> None:
    op.create_table(
        "reset_requests",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reset_requests")),
    )
    service_only("reset_requests")


def _second_factors() -> None:
    op.create_table(
        "second_factors",
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("sealed", sa.String(), nullable=False),
        sa.Column("last_step", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("confirmed_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_second_factors_user_id_users")
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_second_factors")),
    )
    force("second_factors")
    allow(
        "second_factors",
        role=TENANT,
        using=_MEMBER.format(table="second_factors"),
        may="select (user_id, confirmed_at)",
    )
    allow("second_factors", role=SERVICE, using="true")


def _recovery_codes() -> None:
    op.create_table(
        "recovery_codes",
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_recovery_codes_user_id_users")
        ),
        sa.PrimaryKeyConstraint("user_id", "hash", name=op.f("pk_recovery_codes")),
    )
    check("recovery_codes", "hash", "octet_length(hash) = 32")
    service_only("recovery_codes")


def _known_origins() -> None:
    op.create_table(
        "known_origins",
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("network", sa.String(), nullable=False),
        sa.Column("seen_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_known_origins_user_id_users")
        ),
        sa.PrimaryKeyConstraint("user_id", "network", name=op.f("pk_known_origins")),
    )
    op.create_index(op.f("ix_known_origins_seen_at"), "known_origins", ["seen_at"])
    service_only("known_origins")


def _throttles() -> None:
    op.create_table(
        "throttles",
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("due_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_throttles")),
    )
    op.create_index(op.f("ix_throttles_due_at"), "throttles", ["due_at"])
    check("throttles", "key", "octet_length(key) = 32")
    service_only("throttles")


def _account_demands() -> None:
    op.add_column(
        "accounts",
        sa.Column("require_second_factor", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.alter_column("accounts", "require_second_factor", server_default=None)


def _look_up(function: str) -> None:
    """What an access token stands for: now with its session, and whether its person has a second factor."""
    op.execute("drop function find_access_token(bytea)")
    op.execute(function)
    security_definer("find_access_token(bytea)")


FIND_ACCESS_TOKEN = """
create function find_access_token(token_hash bytea) returns table (
    kind text, expires_at timestamptz, revoked_at timestamptz, user_id text,
    session_id text, session_created_at timestamptz, session_used_at timestamptz, session_revoked_at timestamptz,
    account_id text, account_state text, is_operator boolean, require_second_factor boolean, role text,
    has_second_factor boolean
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select t.kind, t.expires_at, t.revoked_at, t.user_id,
           s.id, s.created_at, s.last_used_at, s.revoked_at,
           a.id, a.state, a.is_operator, a.require_second_factor, m.role,
           exists (select from second_factors f where f.user_id = t.user_id and f.confirmed_at is not null)
    from access_tokens t
    join sessions s on s.id = t.family_id
    join accounts a on a.id = t.account_id
    left join memberships m on m.account_id = t.account_id and m.user_id = t.user_id
    where t.hash = token_hash
$$
"""
