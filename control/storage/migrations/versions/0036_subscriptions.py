"""Subscriptions have a price, a term, a trial and renewal; owners are warned before an account is suspended."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control.storage.migrations.checks import (INSTANT, check, one_of)
from control.storage.migrations.security import protect

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_COLUMNS: tuple[sa.Column[Any], ...] = (
    sa.Column("subscription_price_cents", sa.BigInteger(), nullable=False, server_default="0"),
    sa.Column("subscription_term", sa.String(), nullable=False, server_default="month"),
    sa.Column("trial_ends_at", INSTANT),
    sa.Column("term_started_at", INSTANT),
    sa.Column("subscription_ends_at", INSTANT),
    sa.Column("subscription_renews", sa.Boolean(), nullable=False, server_default=sa.true()),
)
_ENTRIES = (
    *("top_up", "refund", "spend", "flat_rate", "adjustment", "invoice", "void", "payment"),
    *("payout", "payout_paid", "payout_failed"),
)


def upgrade() -> None:
    for column in _COLUMNS:
        op.add_column("accounts", column)
    one_of("accounts", "subscription_term", "month", "year")
    check("accounts", "subscription_price_cents", "subscription_price_cents >= 0")
    op.create_index(
        "ix_accounts_subscription_ends_at",
        "accounts",
        ["subscription_ends_at"],
        postgresql_where=sa.text("subscription_ends_at is not null"),
    )
    _entry_kinds(*_ENTRIES, "subscription")
    op.create_table(
        "billing_notices",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("mail_ids", JSONB(), nullable=False),
        sa.Column("queued_at", INSTANT, nullable=False),
        sa.Column("accepted_at", INSTANT),
        sa.PrimaryKeyConstraint("account_id", "about", "day", name=op.f("pk_billing_notices")),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name=op.f("fk_billing_notices_account_id_accounts")
        ),
    )
    protect("billing_notices", tenant_may="select")


def downgrade() -> None:
    op.drop_table("billing_notices")
    _entry_kinds(*_ENTRIES)
    op.drop_index("ix_accounts_subscription_ends_at", "accounts")
    op.drop_constraint(op.f("ck_accounts_subscription_price_cents"), "accounts", type_="check")
    op.drop_constraint(op.f("ck_accounts_subscription_term"), "accounts", type_="check")
    for column in _COLUMNS:
        op.drop_column("accounts", column.name)


def _entry_kinds(*kinds: str) -> None:
    op.drop_constraint(op.f("ck_ledger_entries_kind"), "ledger_entries", type_="check")
    one_of("ledger_entries", "kind", *kinds)
