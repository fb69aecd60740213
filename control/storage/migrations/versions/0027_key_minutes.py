"""How often edges took a key, by the minute."""

from alembic import op

from control.storage.migrations.security import protect

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_TABLE = """
create table key_minutes (
    key_id varchar not null,
    minute timestamptz not null,
    account_id varchar not null,
    count bigint not null,
    constraint pk_key_minutes primary key (key_id, minute)
)
"""


def upgrade() -> None:
    op.execute(_TABLE)
    op.execute("create index ix_key_minutes_minute on key_minutes (minute)")
    protect("key_minutes", tenant_may="select")


def downgrade() -> None:
    op.execute("drop table key_minutes")
