"""What campaigns were charged a day, and the index by which their spend is found that moved lately."""

from alembic import op

from control.storage.migrations.security import (SERVICE, protect)

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_OWNER = "placard_owner"
_TABLE = """
create table campaign_spend_days (
    campaign_id varchar not null,
    day date not null,
    account_id varchar not null,
    spent_micros bigint not null,
    constraint pk_campaign_spend_days primary key (campaign_id, day),
    constraint fk_campaign_spend_days_campaign_id_campaigns foreign key (account_id, campaign_id)
        references campaigns (account_id, id)
)
"""
# By the hour of the event, for the day of its serve is not in the sums: right but for what was under way at midnight.
_OLD_DAYS = """
insert into campaign_spend_days (campaign_id, day, account_id, spent_micros)
select c.id, cast(h.hour at time zone c.timezone as date), c.account_id, sum(h.charged_micros)
from event_hourly h join campaigns c on c.id = cast(h.campaign_id as varchar)
where h.charged_micros > 0 and h.hour > now() - interval '3 days'
group by 1, 2, 3
"""


def upgrade() -> None:
    op.execute(_TABLE)
    protect("campaign_spend_days", tenant_may="select")
    op.execute("create index ix_campaign_spend_updated_at on campaign_spend (updated_at)")
    # As the service: forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute(_OLD_DAYS)
    op.execute(f"set local role {_OWNER}")


def downgrade() -> None:
    op.execute("drop index ix_campaign_spend_updated_at")
    op.execute("drop table campaign_spend_days")
