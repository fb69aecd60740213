"""Events, their keys and sums; how far ingest is; the function that keeps the partitions.

Revision ID: 0003
Revises: 0002
"""

from alembic import op

from control.storage.migrations.security import (SERVICE, protect, security_definer, service_only)

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_READ = "select"
_APPEND = "select, insert"

_TABLES = """
create table event_keys (
    token_day date not null,
    key bytea not null,
    constraint pk_event_keys primary key (token_day, key),
    constraint ck_event_keys_key check (octet_length(key) = 16)
) partition by range (token_day);

create table conversion_keys (
    property_id uuid not null,
    environment varchar not null,
    order_id varchar not null,
    account_id varchar not null,
    constraint pk_conversion_keys primary key (property_id, environment, order_id)
);

create table events (
    stored_day date not null,
    id uuid not null,
    xid xid8 not null default pg_current_xact_id(),
    account_id varchar not null,
    kind varchar not null,
    at timestamptz not null,
    issued_at timestamptz not null,
    token_id uuid not null,
    property_id uuid not null,
    slot_id uuid not null,
    ad_id uuid not null,
    campaign_id uuid not null,
    is_test boolean not null,
    source varchar not null,
    surface varchar not null,
    format varchar not null,
    valid boolean not null,
    reason varchar not null,
    judge_version smallint not null,
    snapshot_version bigint not null,
    price_micros bigint not null,
    charged_micros bigint not null,
    value_cents bigint,
    currency varchar,
    order_id varchar,
    attribution varchar,
    corrects uuid,
    constraint pk_events primary key (stored_day, id),
    constraint ck_events_charge check (charged_micros between 0 and price_micros),
    constraint ck_events_unbilled check (charged_micros = 0 or (valid and not is_test))
) partition by range (stored_day);
create index ix_events_feed on events (account_id, xid, id);

create table event_hourly (
    hour timestamptz not null,
    property_id uuid not null,
    slot_id uuid not null,
    campaign_id uuid not null,
    ad_id uuid not null,
    kind varchar not null,
    format varchar not null,
    source varchar not null,
    surface varchar not null,
    is_test boolean not null,
    reason varchar not null,
    account_id varchar not null,
    count bigint not null,
    charged_micros bigint not null,
    value_cents bigint not null,
    last_at timestamptz not null,
    constraint pk_event_hourly primary key (
        hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test, reason
    )
);
create index ix_event_hourly_property on event_hourly (property_id, is_test, kind, hour);

create table serve_hourly (
    id bigint generated always as identity,
    account_id varchar not null,
    hour timestamptz not null,
    property_id uuid not null,
    slot_id uuid not null,
    campaign_id uuid,
    ad_id uuid,
    is_test boolean not null,
    outcome varchar not null,
    count bigint not null,
    constraint pk_serve_hourly primary key (id),
    constraint uq_serve_hourly_group unique nulls not distinct (
        hour, property_id, slot_id, campaign_id, ad_id, is_test, outcome
    )
);
create index ix_serve_hourly_property on serve_hourly (property_id, is_test, hour);

create table ad_counts (
    ad_id uuid not null,
    account_id varchar not null,
    impressions bigint not null,
    clicks bigint not null,
    conversions bigint not null,
    constraint pk_ad_counts primary key (ad_id)
);

create table ingest_positions (
    source varchar not null,
    partition integer not null,
    position bigint,
    constraint pk_ingest_positions primary key (source, partition)
);

create table writer_marks (
    writer varchar not null,
    is_test boolean,
    ranges int8multirange not null,
    through_ms bigint,
    updated_at timestamptz not null,
    constraint pk_writer_marks primary key (writer)
);

create table watermarks (
    writer varchar not null,
    sequence bigint not null,
    through_ms bigint not null,
    constraint pk_watermarks primary key (writer, sequence)
);

create table dead_letters (
    source varchar not null,
    partition integer not null,
    position bigint not null,
    digest bytea not null,
    raw bytea not null,
    reason varchar not null,
    at timestamptz not null,
    constraint pk_dead_letters primary key (source, partition, position, digest)
);

create table event_keys_default partition of event_keys default;
create table events_default partition of events default;
"""

# A day's table is filled before it is attached: the default partition may hold rows of that day already, and
# attaching locks the parent less than creating in place would.
_PARTITIONS = """
create function ensure_partition(parent text, day_column text, day date) returns void
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '5s' as $$
declare
    child text := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
begin
    if to_regclass(format('public.%I', child)) is not null then
        return;
    end if;
    execute format('create table %I (like %I including all)', child, parent);
    execute format(
        'with moved as (delete from %I where %I = %L returning *) insert into %I select * from moved',
        parent || '_default', day_column, day, child
    );
    execute format(
        'alter table %I attach partition %I for values from (%L) to (%L)', parent, child, day, day + 1
    );
    execute format('alter table %I enable row level security', child);
    execute format('alter table %I force row level security', child);
end $$;

create function drop_partitions(parent text, before date) returns void
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '5s' as $$
declare
    child text;
begin
    for child in
        select c.relname from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        where i.inhparent = format('public.%I', parent)::regclass
          and c.relname ~ (parent || '_[0-9]{8}$')
          and to_date(right(c.relname, 8), 'YYYYMMDD') < before
    loop
        execute format('drop table %I', child);
    end loop;
end $$;

create function ensure_partitions(today date, kept_days integer) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtext('placard/partitions'));
    perform ensure_partition('event_keys', 'token_day', today + ahead) from generate_series(-40, 2) ahead;
    perform ensure_partition('events', 'stored_day', today + ahead) from generate_series(-1, 7) ahead;
    perform drop_partitions('event_keys', today - 40);
    perform drop_partitions('events', today - kept_days);
    delete from writer_marks where updated_at < today - 40;
    delete from watermarks w where not exists (select from writer_marks m where m.writer = w.writer);
end $$;

revoke all on function ensure_partition(text, text, date) from public;
revoke all on function drop_partitions(text, date) from public;
revoke all on function ensure_partitions(date, integer) from public;
"""

# A tenant may know how far events and the snapshot are, not which machines there are. Writers that fell a minute behind the
# newest are gone; what they still held comes with their successor.
_THROUGH = """
create function events_through_ms(test boolean) returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
    select min(through_ms) from writer_marks
    where is_test = test and through_ms > (
        select max(through_ms) - 60000 from writer_marks where is_test = test
    )
$$;
"""

_SNAPSHOT_AT = """
create function snapshot_made_at() returns timestamptz
language sql stable security definer set search_path = public, pg_temp as $$
    select o.at from snapshot_head h join outbox o on o.version = h.version
$$;
"""


def upgrade() -> None:
    _run(_TABLES)
    for table in ("events", "event_hourly", "serve_hourly", "ad_counts"):
        protect(table, tenant_may=_READ)
    protect("conversion_keys", tenant_may=_READ, service_may=_APPEND)
    for table in ("event_keys", "ingest_positions", "writer_marks", "watermarks", "dead_letters"):
        service_only(table)
    _run(_PARTITIONS)
    op.execute(f"grant execute on function ensure_partitions(date, integer) to {SERVICE}")
    for default in ("event_keys_default", "events_default"):
        op.execute(f"alter table {default} enable row level security")
        op.execute(f"alter table {default} force row level security")
        # Rows that came before their day's partition are moved into it by the owner's function.
        op.execute(f"create policy {default}_owner on {default} to placard_owner using (true) with check (true)")
    for table in ("writer_marks", "watermarks"):
        op.execute(f"create policy {table}_owner on {table} to placard_owner using (true)")
    op.execute(_THROUGH)
    security_definer("events_through_ms(boolean)")
    _run(_SNAPSHOT_AT)
    security_definer("snapshot_made_at()")
    op.execute("select ensure_partitions(current_date, 90)")


def downgrade() -> None:
    for function in (
        "snapshot_made_at()",
        "events_through_ms(boolean)",
        "ensure_partitions(date, integer)",
        "drop_partitions(text, date)",
        "ensure_partition(text, text, date)",
    ):
        op.execute(f"drop function {function}")
    for table in (
        *("dead_letters", "watermarks", "writer_marks", "ingest_positions", "ad_counts"),
        *("serve_hourly", "event_hourly", "events", "conversion_keys", "event_keys"),
    ):
        op.execute(f"drop table {table}")


def _run(script: str) -> None:
    """Statements one by one: asyncpg prepares each."""
    statement: list[str] = []
    quoted = False
    for line in script.splitlines():
        statement.append(line)
        quoted ^= line.count("$$") % 2 == 1
        if line.rstrip().endswith(";") and not quoted:
            op.execute("\n".join(statement))
            statement = []
