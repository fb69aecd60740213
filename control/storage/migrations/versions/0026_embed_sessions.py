"""Sessions of embedded windows, and what a window's bearer stands for."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import (protect, security_definer)

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_unique_constraint(op.f("uq_keys_account_id_id"), "keys", ["account_id", "id"])
    op.create_table(
        "embed_sessions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("property_id", sa.String(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("component", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("context", JSONB(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("bearer_hash", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("opened_at", INSTANT, nullable=True),
        sa.Column("ends_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_embed_sessions_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "property_id"],
            ["properties.account_id", "properties.id"],
            name=op.f("fk_embed_sessions_account_id_property_id_properties"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id", "key_id"],
            ["keys.account_id", "keys.id"],
            name=op.f("fk_embed_sessions_account_id_key_id_keys"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_embed_sessions")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_embed_sessions_secret_hash")),
        sa.UniqueConstraint("bearer_hash", name=op.f("uq_embed_sessions_bearer_hash")),
    )
    op.create_index(op.f("ix_embed_sessions_account_id"), "embed_sessions", ["account_id"])
    op.create_index(op.f("ix_embed_sessions_expires_at"), "embed_sessions", ["expires_at"])
    one_of(
        "embed_sessions",
        "component",
        "campaign_create",
        "campaign_edit",
        "campaign_list",
        "ad_create",
        "report_overview",
    )
    check("embed_sessions", "secret_hash", "octet_length(secret_hash) = 32")
    check(
        "embed_sessions",
        "opened",
        "(bearer_hash is null) = (opened_at is null) and (opened_at is null) = (ends_at is null)",
    )
    protect("embed_sessions", tenant_may="select, insert")
    op.execute(FIND_WINDOW)
    security_definer("find_window(bytea)")


def downgrade() -> None:
    op.execute("drop function find_window(bytea)")
    op.drop_table("embed_sessions")
    op.drop_constraint(op.f("uq_keys_account_id_id"), "keys", type_="unique")


FIND_WINDOW = """
create function find_window(window_hash bytea) returns table (
    component text, context jsonb, ends_at timestamptz,
    key_id text, environment text, last4 text, scopes jsonb,
    expires_at timestamptz, revoked_at timestamptz, property_id text,
    account_id text, account_state text, created_by text, creator_role text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select s.component, s.context, s.ends_at, k.id, k.environment, k.last4, k.scopes,
           k.expires_at, k.revoked_at, k.property_id, a.id, a.state, k.created_by, m.role
    from embed_sessions s
    join keys k on k.id = s.key_id
    join accounts a on a.id = s.account_id
    left join memberships m on m.account_id = k.account_id and m.user_id = k.created_by
    where s.bearer_hash = window_hash
$$
"""
"""As `find_key`: asked before any account is known, at every call of a window."""
