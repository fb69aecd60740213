"""A session's token may be a browser's cookie."""

from alembic import op

from control.storage.migrations.checks import one_of

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_constraint(op.f("ck_access_tokens_kind"), "access_tokens", type_="check")
    one_of("access_tokens", "kind", "access", "refresh", "cookie")


def downgrade() -> None:
    op.execute("delete from access_tokens where kind = 'cookie'")
    op.drop_constraint(op.f("ck_access_tokens_kind"), "access_tokens", type_="check")
    one_of("access_tokens", "kind", "access", "refresh")
