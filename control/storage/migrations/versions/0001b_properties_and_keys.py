"""Properties with their secrets, slots and keys, and the two look-ups of admission."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import (protect, security_definer)

revision = "0001b"
down_revision = "0001a"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _properties()
    _property_secrets()
    _slots()
    _keys()
    _look_ups()


def downgrade() -> None:
    op.execute("drop function find_access_token(bytea)")
    op.execute("drop function find_key(bytea)")
    op.drop_table("keys")
    op.drop_table("slots")
    op.drop_table("property_secrets")
    op.drop_table("properties")


def _properties() -> None:
    op.create_table(
        "properties",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("domain", sa.String(), nullable=True),
        sa.Column("bundle_id", sa.String(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("verification", JSONB(), nullable=False),
        sa.Column("allowed_origins", JSONB(), nullable=False),
        sa.Column("excluded_ip_ranges", JSONB(), nullable=False),
        sa.Column("timezone", sa.String(), nullable=False),
        sa.Column("consent_policy", sa.String(), nullable=False),
        sa.Column("token_ttl_seconds", sa.Integer(), nullable=False),
        sa.Column("rate_limits", JSONB(), nullable=False),
        sa.Column("blocked_categories", JSONB(), nullable=False),
        sa.Column("blocked_ad_ids", JSONB(), nullable=False),
        sa.Column("payout", JSONB(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_properties_account_id_accounts")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_properties")),
    )
    op.create_index(op.f("ix_properties_account_id"), "properties", ["account_id"])
    one_of("properties", "kind", "web", "app", "email", "audio", "ctv")
    one_of("properties", "status", "unverified", "verified", "suspended")
    check("properties", "token_ttl_seconds", "token_ttl_seconds between 5 and 86400")
    check("properties", "version", "version >= 1")
    protect("properties")


def _property_secrets() -> None:
    op.create_table(
        "property_secrets",
        sa.Column("property_id", sa.String(), nullable=False),
        sa.Column("kid", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("sealed", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_property_secrets_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["property_id"],
            ["properties.id"],
            name=op.f("fk_property_secrets_property_id_properties"),
        ),
        sa.PrimaryKeyConstraint("property_id", "kid", name=op.f("pk_property_secrets")),
    )
    op.create_index(op.f("ix_property_secrets_account_id"), "property_secrets", ["account_id"])
    check("property_secrets", "kid", "kid >= 1")
    one_of("property_secrets", "state", "verify", "sign", "retired")
    protect("property_secrets")


def _slots() -> None:
    op.create_table(
        "slots",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("property_id", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("formats", JSONB(), nullable=False),
        sa.Column("sizes", JSONB(), nullable=False),
        sa.Column("floor_cents", sa.Integer(), nullable=False),
        sa.Column("refresh_seconds", sa.Integer(), nullable=True),
        sa.Column("house_ad_id", sa.String(), nullable=True),
        sa.Column("blocked_advertiser_domains", JSONB(), nullable=False),
        sa.Column("blocked_categories", JSONB(), nullable=False),
        sa.Column("audio", JSONB(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_slots_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["property_id"], ["properties.id"], name=op.f("fk_slots_property_id_properties")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_slots")),
        sa.UniqueConstraint("property_id", "key", name=op.f("uq_slots_property_id_key")),
    )
    op.create_index(op.f("ix_slots_account_id"), "slots", ["account_id"])
    op.create_index(op.f("ix_slots_property_id"), "slots", ["property_id"])
    check("slots", "key", "key ~ '^[a-z0-9][a-z0-9_-]{0,63}$'")
    check("slots", "floor_cents", "floor_cents >= 0")
    one_of("slots", "status", "active", "archived")
    check("slots", "version", "version >= 1")
    protect("slots")


def _keys() -> None:
    op.create_table(
        "keys",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("property_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("environment", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("last4", sa.String(), nullable=False),
        sa.Column("sealed_text", sa.String(), nullable=True),
        sa.Column("scopes", JSONB(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=True),
        sa.Column("revoked_at", INSTANT, nullable=True),
        sa.Column("last_used_at", INSTANT, nullable=True),
        sa.Column("previous_key_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_keys_account_id_accounts")
        ),
        sa.ForeignKeyConstraint(
            ["created_by"], ["users.id"], name=op.f("fk_keys_created_by_users")
        ),
        sa.ForeignKeyConstraint(
            ["property_id"], ["properties.id"], name=op.f("fk_keys_property_id_properties")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
        sa.UniqueConstraint("hash", name=op.f("uq_keys_hash")),
    )
    op.create_index(op.f("ix_keys_account_id"), "keys", ["account_id"])
    op.create_index(op.f("ix_keys_property_id"), "keys", ["property_id"])
    one_of("keys", "kind", "publishable", "secret", "integration")
    one_of("keys", "environment", "test", "live")
    check("keys", "hash", "octet_length(hash) = 32")
    protect("keys")


def _look_ups() -> None:
    """What a credential stands for, asked before any account is known; the hash is all the asker may give."""
    op.execute(FIND_KEY)
    security_definer("find_key(bytea)")
    op.execute(FIND_ACCESS_TOKEN)
    security_definer("find_access_token(bytea)")


FIND_KEY = """
create function find_key(key_hash bytea) returns table (
    key_id text, kind text, environment text, name text, last4 text, scopes jsonb,
    expires_at timestamptz, revoked_at timestamptz,
    property_id text, property_status text,
    account_id text, account_state text, is_operator boolean,
    created_by text, creator_role text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select k.id, k.kind, k.environment, k.name, k.last4, k.scopes, k.expires_at, k.revoked_at,
           p.id, p.status, a.id, a.state, a.is_operator, k.created_by, m.role
    from keys k
    join properties p on p.id = k.property_id
    join accounts a on a.id = k.account_id
    left join memberships m on m.account_id = k.account_id and m.user_id = k.created_by
    where k.hash = key_hash
$$
"""

FIND_ACCESS_TOKEN = """
create function find_access_token(token_hash bytea) returns table (
    kind text, expires_at timestamptz, revoked_at timestamptz, user_id text,
    account_id text, account_state text, is_operator boolean, role text
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select t.kind, t.expires_at, t.revoked_at, t.user_id, a.id, a.state, a.is_operator, m.role
    from access_tokens t
    join accounts a on a.id = t.account_id
    left join memberships m on m.account_id = t.account_id and m.user_id = t.user_id
    where t.hash = token_hash
$$
"""
