"""What mails hold of budgets until they expire, and what was charged for them."""

from alembic import op

from control.storage.migrations.security import protect, service_only

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None

_TABLES = (
    """
create table lease_holds (
    campaign_id varchar not null,
    day date not null,
    until_day integer not null,
    worker varchar not null,
    micros bigint not null,
    constraint pk_lease_holds primary key (campaign_id, day, until_day, worker)
) with (fillfactor = 70)
""",
    "create index ix_lease_holds_until_day on lease_holds (until_day)",
    """
create table campaign_spend_holds (
    campaign_id varchar not null,
    day date not null,
    until_day integer not null,
    account_id varchar not null,
    spent_micros bigint not null,
    constraint pk_campaign_spend_holds primary key (campaign_id, day, until_day)
) with (fillfactor = 70)
""",
    "create index ix_campaign_spend_holds_until_day on campaign_spend_holds (until_day)",
)


def upgrade() -> None:
    for statement in _TABLES:
        op.execute(statement)
    service_only("lease_holds")
    protect("campaign_spend_holds", tenant_may="select")


def downgrade() -> None:
    op.execute("drop table campaign_spend_holds, lease_holds")
