"""Conversions and what they can be attributed to; how a conversion was attributed, in events and hours."""

from alembic import op

from control.storage.migrations.security import (SERVICE, protect, service_only)

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_HOUR_KEY = (
    "hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test, reason, country, device"
)
_CONVERSIONS = """
create table conversions (
    id uuid not null,
    account_id varchar,
    property_id uuid,
    is_test boolean not null,
    door varchar not null,
    click_id uuid,
    person bytea,
    event_name varchar not null,
    occurred_at timestamptz not null,
    heard_at timestamptz not null,
    value_cents bigint,
    currency varchar,
    order_id varchar,
    reason varchar not null,
    judge_version smallint not null,
    state varchar not null,
    attribution varchar,
    try_at timestamptz,
    constraint pk_conversions primary key (id),
    constraint ck_conversions_state check (state in ('held', 'attributed', 'unattributed', 'repeated', 'surplus')),
    constraint ck_conversions_held check ((state = 'held') = (try_at is not null)),
    constraint ck_conversions_person check (state = 'held' or person is null)
)
"""
_TOUCHES = """
create table {name} (
    day date not null,
    token_id uuid not null,
    at timestamptz not null,
    issued_at timestamptz not null,
    account_id varchar not null,
    property_id uuid not null,
    slot_id uuid not null,
    ad_id uuid not null,
    campaign_id uuid not null,
    is_test boolean not null,
    person bytea{person},
    source varchar not null,
    surface varchar not null,
    format varchar not null,
    pricing_model varchar not null,
    price_micros bigint not null,
    snapshot_version bigint not null,
    country varchar,
    device varchar,
    constraint pk_{name} primary key (token_id, day)
) partition by range (day)
"""
# The lock is that of `ensure_partitions`. What came too late for a partition of its day is in the default one.
_PARTITIONS = """
create function ensure_touch_partitions(today date, clicks_kept_days integer, views_kept_days integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtext('placard/partitions'));
    perform ensure_partition(parent, 'day', today + ahead)
        from unnest(array['click_touches', 'view_touches']) parent, generate_series(-1, 2) ahead;
    perform drop_partitions('click_touches', today - clicks_kept_days);
    perform drop_partitions('view_touches', today - views_kept_days);
    delete from click_touches_default where day < today - clicks_kept_days;
    delete from view_touches_default where day < today - views_kept_days;
end $$
"""
_SIGNATURE = "ensure_touch_partitions(date, integer, integer)"


def upgrade() -> None:
    op.execute("alter table events add column event_name varchar")
    op.execute("alter table event_hourly add column attribution varchar not null default ''")
    op.execute("alter table event_hourly drop constraint pk_event_hourly")
    op.execute(
        f"alter table event_hourly add constraint pk_event_hourly primary key ({_HOUR_KEY}, attribution)"
    )
    # As the service: forced row-level security shows the owner nothing.
    op.execute(f"set local role {SERVICE}")
    op.execute("update event_hourly set attribution = 'in_session' where kind = 'conversion'")
    op.execute("set local role placard_owner")
    op.execute(_CONVERSIONS)
    protect("conversions", tenant_may="select")
    op.execute(
        "create index ix_conversions_try_at on conversions (try_at) where try_at is not null"
    )
    op.execute("create index ix_conversions_heard_at on conversions (heard_at)")
    op.execute("create index ix_conversions_click_id on conversions (click_id)")
    op.execute(
        "create index ix_conversions_property_id_is_test_state_heard_at "
        "on conversions (property_id, is_test, state, heard_at)"
    )
    # A click counts without a person; a view is nothing but its person's.
    _touches("click_touches", person="")
    _touches("view_touches", person=" not null")
    op.execute(_PARTITIONS)
    op.execute(f"revoke all on function {_SIGNATURE} from public")
    op.execute(f"grant execute on function {_SIGNATURE} to {SERVICE}")
    op.execute("select ensure_touch_partitions(current_date, 91, 31)")


def downgrade() -> None:
    op.execute(f"drop function {_SIGNATURE}")
    op.execute("drop table view_touches")
    op.execute("drop table click_touches")
    op.execute("drop table conversions")
    _forget_attribution_of_hours()
    op.execute("alter table events drop column event_name")


def _forget_attribution_of_hours() -> None:
    """Hours that differ by it alone become one."""
    names = f"{_HOUR_KEY}, account_id, count, charged_micros, value_cents, last_at"
    summed = ("count", "charged_micros", "value_cents")
    sums = ", ".join([f"sum({name}) as {name}" for name in summed] + ["max(last_at) as last_at"])
    # Forced row-level security would show the owner nothing.
    op.execute("alter table event_hourly no force row level security")
    op.execute(
        "create temporary table merged on commit drop as select "
        f"{_HOUR_KEY}, account_id, {sums} from event_hourly group by {_HOUR_KEY}, account_id"  # noqa: S608 - constants only
    )
    op.execute("delete from event_hourly")
    op.execute("alter table event_hourly drop constraint pk_event_hourly")
    op.execute("alter table event_hourly drop column attribution")
    op.execute(f"insert into event_hourly ({names}) select * from merged")  # noqa: S608 - constants only
    op.execute("drop table merged")
    op.execute(f"alter table event_hourly add constraint pk_event_hourly primary key ({_HOUR_KEY})")
    op.execute("alter table event_hourly force row level security")


def _touches(name: str, *, person: str) -> None:
    op.execute(_TOUCHES.format(name=name, person=person))
    op.execute(f"create table {name}_default partition of {name} default")
    op.execute(
        f"create index ix_{name}_person on {name} (property_id, is_test, person, at)"
        + ("" if person else " where person is not null")
    )
    service_only(name)
    default = f"{name}_default"
    op.execute(f"alter table {default} enable row level security")
    op.execute(f"alter table {default} force row level security")
    # The owner's function moves rows into the partition of their day, and drops those that are too old.
    op.execute(
        f"create policy {default}_owner on {default} to placard_owner using (true) with check (true)"
    )
