"""Valid events by ad and slot, their decayed weights, and the rates published to edges."""

from alembic import op

from common.values.enums import Reason
from control.storage.migrations.security import (EVERYTHING, SERVICE, protect, service_only)

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_OWNER = "placard_owner"
_TABLES = (
    """
    create table ad_slot_counts (
        ad_id uuid not null,
        slot_id uuid not null,
        account_id varchar not null,
        impressions bigint not null,
        clicks bigint not null,
        conversions bigint not null,
        constraint pk_ad_slot_counts primary key (ad_id, slot_id)
    )
    """,
    """
    create table ad_slot_evidence (
        ad_id uuid not null,
        slot_id uuid not null,
        seen_impressions bigint not null,
        seen_clicks bigint not null,
        seen_conversions bigint not null,
        recent_impressions double precision not null,
        recent_clicks double precision not null,
        recent_conversions double precision not null,
        as_of timestamptz not null,
        constraint pk_ad_slot_evidence primary key (ad_id, slot_id)
    )
    """,
    """
    create table ad_rates (
        ad_id varchar not null,
        account_id varchar not null,
        environment varchar not null,
        body bytea not null,
        learned_at timestamptz not null,
        constraint pk_ad_rates primary key (ad_id),
        constraint ck_ad_rates_environment check (environment in ('live', 'test')),
        constraint fk_ad_rates_account_id_accounts foreign key (account_id) references accounts (id)
    )
    """,
    "create index ix_ad_rates_account_id on ad_rates (account_id)",
)
_VALID = ", ".join(f"'{reason.value}'" for reason in Reason if reason.valid)
_OLD_COUNTS = f"""
insert into ad_slot_counts (ad_id, slot_id, account_id, impressions, clicks, conversions)
select ad_id, slot_id, min(account_id),
    coalesce(sum(count) filter (where kind = 'impression'), 0),
    coalesce(sum(count) filter (where kind = 'click'), 0),
    coalesce(sum(count) filter (where kind = 'conversion'), 0)
from event_hourly
where reason in ({_VALID}) and source <> 'preview' and kind in ('impression', 'click', 'conversion')
group by ad_id, slot_id
"""  # noqa: S608 - constants only


def upgrade() -> None:
    for statement in _TABLES:
        op.execute(statement)
    protect("ad_slot_counts", tenant_may="select")
    service_only("ad_slot_evidence")
    protect("ad_rates", tenant_may="select", service_may=EVERYTHING)
    # As the service: forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute(_OLD_COUNTS)
    op.execute(f"set local role {_OWNER}")


def downgrade() -> None:
    for table in ("ad_rates", "ad_slot_evidence", "ad_slot_counts"):
        op.execute(f"drop table {table}")
