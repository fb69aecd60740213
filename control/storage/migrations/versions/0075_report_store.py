"""The state of the report store, and the queue of hours on their way to it."""

from alembic import op

from control.storage.migrations.security import SERVICE, TENANT, allow, force, service_only

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None

_STORE = """
create table report_store (
    id smallint not null default 1,
    opened_at timestamptz not null,
    sent_at timestamptz not null,
    max_behind_s integer not null,
    sent bigint not null,
    sent_tokens bigint not null,
    next_xid xid8,
    next_id bigint,
    next_token bigint,
    as_of jsonb not null,
    next_as_of jsonb,
    next_as_of_xid xid8,
    constraint pk_report_store primary key (id),
    constraint ck_report_store_id check (id = 1),
    constraint ck_report_store_max_behind_s check (max_behind_s > 0),
    constraint ck_report_store_sent check (sent >= 0)
)
"""
_QUEUE = """
create table report_store_queue (
    id bigint generated always as identity,
    xid xid8 not null default pg_current_xact_id(),
    account_id varchar not null,
    is_test boolean not null,
    kind varchar not null,
    hour timestamptz not null,
    property_id uuid not null,
    slot_id uuid not null,
    campaign_id uuid,
    ad_id uuid,
    reason varchar not null,
    country varchar not null,
    device varchar not null,
    format varchar not null,
    source varchar not null,
    surface varchar not null,
    attribution varchar not null,
    count bigint not null,
    charged_micros bigint not null,
    value_cents bigint not null,
    constraint pk_report_store_queue primary key (xid, id)
)
"""
# Called once a statement. The error's class is that of a server without resources: ingest waits and tries again.
_OPEN = """
create function report_store_is_open() returns boolean
language plpgsql stable set search_path = public, pg_temp as $$
declare is_behind boolean;
begin
    select sent_at < now() - make_interval(secs => max_behind_s) into is_behind from report_store;
    if not found then return false; end if;
    if is_behind then
        raise exception 'The report store received nothing for too long.' using errcode = '53400';
    end if;
    return true;
end
$$
"""


def upgrade() -> None:
    op.execute(_STORE)
    force("report_store")
    allow("report_store", role=TENANT, using="true", may="select")
    allow("report_store", role=SERVICE, using="true")
    op.execute(_QUEUE)
    service_only("report_store_queue")
    op.execute(_OPEN)
    op.execute("revoke all on function report_store_is_open() from public")
    op.execute(f"grant execute on function report_store_is_open() to {SERVICE}")


def downgrade() -> None:
    op.execute("drop function report_store_is_open()")
    op.execute("drop table report_store_queue")
    op.execute("drop table report_store")
