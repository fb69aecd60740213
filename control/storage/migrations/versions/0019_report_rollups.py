"""Sums that reports are read from, days to which something came late, and the shares of properties as they were."""

from alembic import op

from common.tracking.event import NOTHING_FOLLOWS_MS
from control.storage.migrations.security import (SERVICE, TENANT, allow, force, protect, security_definer)

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_OWNER = "placard_owner"
_TABLES = (
    """
create table report_sums (
    id bigint generated always as identity,
    account_id varchar not null,
    rollup varchar not null,
    is_test boolean not null,
    at timestamptz not null,
    property_id uuid,
    slot_id uuid,
    campaign_id uuid,
    ad_id uuid,
    country varchar,
    device varchar,
    format varchar,
    source varchar,
    surface varchar,
    reason varchar,
    requests bigint,
    fills bigint,
    impressions bigint,
    viewable bigint,
    clicks bigint,
    conversions bigint,
    click_through bigint,
    view_through bigint,
    invalid_impressions bigint,
    invalid_clicks bigint,
    charged_micros bigint,
    earned_parts bigint,
    value_cents bigint,
    constraint pk_report_sums primary key (id)
)
""",
    "create index ix_report_sums_rollup on report_sums (account_id, rollup, is_test, property_id, at)",
    "create index ix_report_sums_at on report_sums (account_id, at)",
    """
create table report_head (
    id smallint not null,
    rolled_before date not null,
    months_before date not null,
    constraint pk_report_head primary key (id)
)
""",
    """
create table report_late_days (
    id bigint generated always as identity,
    account_id varchar not null,
    day date not null,
    constraint pk_report_late_days primary key (id)
)
""",
    "create index ix_report_late_days_account on report_late_days (account_id, day)",
    """
create table payout_shares (
    property_id uuid not null,
    since_hour timestamptz not null,
    account_id varchar not null,
    percent smallint not null,
    constraint pk_payout_shares primary key (property_id, since_hour)
)
""",
)
# Whoever changes a share, the hour of it is kept: a figure of last month must not move with this month's share.
_KEEP_SHARE = """
create function keep_payout_share() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
    insert into payout_shares (property_id, since_hour, account_id, percent)
    values (
        cast(new.id as uuid), date_trunc('hour', now(), 'UTC'), new.account_id,
        coalesce(cast(new.payout ->> 'share_percent' as smallint), 0)
    )
    on conflict (property_id, since_hour) do update set percent = excluded.percent;
    return null;
end $$
"""
_TRIGGERS = (
    "create trigger properties_share_made after insert on properties "
    "for each row execute function keep_payout_share()",
    "create trigger properties_share_changed after update on properties for each row "
    "when (old.payout ->> 'share_percent' is distinct from new.payout ->> 'share_percent') "
    "execute function keep_payout_share()",
)
_PRESENT_SHARES = """
insert into payout_shares (property_id, since_hour, account_id, percent)
select cast(id as uuid), date_trunc('hour', now(), 'UTC'), account_id,
    coalesce(cast(payout ->> 'share_percent' as smallint), 0) from properties
"""
_STORED_AT = """
create function events_stored_at(test boolean) returns timestamptz
language sql stable security definer set search_path = public, pg_temp as $$
    select max(updated_at) from writer_marks where is_test = test
$$
"""
# A writer holds time back until its last record, which says that nothing follows, is stored. Before there were such
# records, one that fell a minute behind was taken for gone: those are over.
_THROUGH = """
create or replace function events_through_ms(test boolean) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
    select case when count(through_ms) > 0
        then least(min(through_ms), cast(extract(epoch from now()) * 1000 as bigint)) end
    from writer_marks where is_test = test
$$
"""
_THROUGH_BEFORE = """
create or replace function events_through_ms(test boolean) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
    select min(through_ms) from writer_marks
    where is_test = test and through_ms > (
        select max(through_ms) - 60000 from writer_marks where is_test = test
    )
$$
"""
_END_OLD_WRITERS = f"""
update writer_marks m set through_ms = {NOTHING_FOLLOWS_MS} where through_ms <= (
    select max(through_ms) - 60000 from writer_marks n where n.is_test = m.is_test
)
"""  # noqa: S608 - constants only


def upgrade() -> None:
    for statement in _TABLES:
        op.execute(statement)
    for table in ("report_sums", "report_late_days", "payout_shares"):
        protect(table, tenant_may="select")
    force("report_head")
    allow("report_head", role=SERVICE, using="true")
    allow("report_head", role=TENANT, using="true", may="select")
    op.execute(_KEEP_SHARE)
    for statement in _TRIGGERS:  # before the function is the service's
        op.execute(statement)
    security_definer("keep_payout_share()")
    # As the service: forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute(_PRESENT_SHARES)
    op.execute(_END_OLD_WRITERS)
    op.execute(f"set local role {_OWNER}")
    _as_its_owner(_THROUGH)
    op.execute(_STORED_AT)
    security_definer("events_stored_at(boolean)")


def downgrade() -> None:
    _as_its_owner(_THROUGH_BEFORE)
    op.execute("drop function events_stored_at(boolean)")
    op.execute("drop trigger properties_share_made on properties")
    op.execute("drop trigger properties_share_changed on properties")
    op.execute("drop function keep_payout_share()")
    for table in ("payout_shares", "report_late_days", "report_head", "report_sums"):
        op.execute(f"drop table {table}")


def _as_its_owner(function: str) -> None:
    """The service owns what runs as it."""
    op.execute(f"grant create on schema public to {SERVICE}")
    op.execute(f"set local role {SERVICE}")
    op.execute(function)
    op.execute(f"set local role {_OWNER}")
    op.execute(f"revoke create on schema public from {SERVICE}")
