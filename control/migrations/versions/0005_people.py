"""Mails on their way out."""

import sqlalchemy as sa
from alembic import op

from control.migrations.checks import INSTANT
from control.migrations.security import protect

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _mails()


def downgrade() -> None:
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
