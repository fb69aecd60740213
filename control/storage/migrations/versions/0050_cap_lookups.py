"""How many look-ups of frequency caps edges made, and how many had no answer, by property and hour."""

from alembic import op

from control.storage.migrations.security import protect

revision = "0050"
down_revision = "0040"
branch_labels = None
depends_on = None

_TABLE = """
create table cap_lookups (
    property_id uuid not null,
    is_test boolean not null,
    hour timestamptz not null,
    account_id varchar not null,
    lookups bigint not null,
    unknown bigint not null,
    constraint pk_cap_lookups primary key (property_id, is_test, hour)
)
"""


def upgrade() -> None:
    op.execute(_TABLE)
    op.execute("create index ix_cap_lookups_hour on cap_lookups (hour)")
    protect("cap_lookups", tenant_may="select")


def downgrade() -> None:
    op.execute("drop table cap_lookups")
