"""Verification and the rotation of shared secrets."""

import sqlalchemy as sa
from alembic import op

from control.storage.migrations.checks import INSTANT
from control.storage.migrations.security import security_definer

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _verification()
    _rotation()


def downgrade() -> None:
    op.drop_index("ix_property_secrets_moving", "property_secrets")
    op.drop_column("property_secrets", "signed_until")
    op.execute("drop function is_domain_held_elsewhere(text)")
    op.drop_index("ix_properties_verified_domain", "properties")
    op.drop_index("ix_properties_check_due_at", "properties")
    op.drop_column("properties", "check_due_at")


def _verification() -> None:
    op.add_column("properties", sa.Column("check_due_at", INSTANT, nullable=True))
    op.create_index(
        "ix_properties_check_due_at",
        "properties",
        ["check_due_at"],
        postgresql_where=sa.text("check_due_at is not null"),
    )
    op.create_index(
        "ix_properties_verified_domain",
        "properties",
        ["domain"],
        postgresql_where=sa.text("status = 'verified'"),
    )
    op.execute(HELD_ELSEWHERE)
    security_definer("is_domain_held_elsewhere(text)")


def _rotation() -> None:
    op.add_column("property_secrets", sa.Column("signed_until", INSTANT, nullable=True))
    op.create_index(
        "ix_property_secrets_moving",
        "property_secrets",
        ["property_id", "kid"],
        postgresql_where=sa.text("state <> 'sign'"),
    )


HELD_ELSEWHERE = """
create function is_domain_held_elsewhere(asked text) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select exists (
        select 1 from properties p
        where p.domain = asked and p.status = 'verified'
          and p.account_id::text is distinct from nullif(current_setting('app.account', true), '')
    )
$$
"""
