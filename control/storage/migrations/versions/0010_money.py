"""
The ledger, the subscription, invoices and payouts.

Entries and postings can be added and never changed, by no role. That an entry's postings sum to zero is checked at
commit; a pot's balance is moved by the trigger that sees the posting. What was charged before is queued for posting.
"""

from alembic import op

from control.storage.migrations.security import (SERVICE, protect, security_definer)

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_OWNER = "placard_owner"
_APPEND = "select, insert"
_TABLES = (
    "payouts",
    "invoice_lines",
    "invoices",
    "top_ups",
    "flat_rate_days",
    "spend_months",
    "charges",
    "ledger_postings",
    "ledger_entries",
    "ledger_accounts",
    "ledgers",
)
_FUNCTIONS = ("check_ledger_entry()", "move_ledger_balance()")


def upgrade() -> None:
    for statement in (*_ACCOUNTS, *_LEDGER, *_SPEND, *_PAPERS, *_GUARDS):
        op.execute(statement)
    for signature in _FUNCTIONS:
        security_definer(signature)
    _protect()
    _queue_old_charges()


def downgrade() -> None:
    for table in _TABLES:
        op.execute(f"drop table {table}")
    for signature in _FUNCTIONS:
        op.execute(f"drop function {signature}")
    op.execute(
        "alter table accounts drop column credit_limit_cents, drop column funded, drop column plan, "
        "drop column subscription_started_at, drop column subscription_ended_at"
    )


def _queue_old_charges() -> None:
    """As the service: forced row-level security shows the owner nothing."""
    op.execute(f"set local role {SERVICE}")
    op.execute(_OLD_CHARGES)
    op.execute(f"set local role {_OWNER}")


def _protect() -> None:
    pots = "insert (id, account_id, kind, property_id)"
    protect(
        "ledgers",
        tenant_may="select, insert, update (last_at)",
        service_may="select, insert, update (last_at)",
    )
    protect(
        "ledger_accounts",
        tenant_may=f"select, {pots}",
        service_may=f"select, {pots}, update (balance_micros, share_remainder)",
    )
    for table in ("ledger_entries", "ledger_postings"):
        protect(table, tenant_may=_APPEND, service_may=_APPEND)
    protect("charges", tenant_may="select", service_may="select, insert, delete")
    protect("spend_months", tenant_may="select", service_may="select, insert, update")
    protect("flat_rate_days", tenant_may="select", service_may=_APPEND)
    protect("top_ups", tenant_may=_APPEND, service_may="select, insert, update")
    protect("invoices", tenant_may="select", service_may="select, insert, update")
    protect("invoice_lines", tenant_may="select", service_may=_APPEND)
    protect("payouts", tenant_may=_APPEND, service_may="select, insert, update")


_ACCOUNTS = (
    """
    alter table accounts
        add column credit_limit_cents bigint,
        add column funded boolean not null default true,
        add column plan varchar not null default 'standard',
        add column subscription_started_at timestamptz,
        add column subscription_ended_at timestamptz,
        add constraint ck_accounts_credit_limit check (credit_limit_cents >= 0)
    """,
)

_LEDGER = (
    """
    create table ledgers (
        account_id varchar not null,
        last_at timestamptz not null,
        constraint pk_ledgers primary key (account_id),
        constraint fk_ledgers_account_id_accounts foreign key (account_id) references accounts (id)
    )
    """,
    """
    create table ledger_accounts (
        id varchar not null,
        account_id varchar not null,
        kind varchar not null,
        property_id varchar,
        balance_micros bigint not null default 0,
        share_remainder smallint not null default 0,
        constraint pk_ledger_accounts primary key (id),
        constraint uq_ledger_accounts_pot unique nulls not distinct (account_id, kind, property_id),
        constraint uq_ledger_accounts_account_id_id unique (account_id, id),
        constraint fk_ledger_accounts_account_id_accounts
            foreign key (account_id) references accounts (id),
        constraint fk_ledger_accounts_account_id_property_id_properties
            foreign key (account_id, property_id) references properties (account_id, id),
        constraint ck_ledger_accounts_kind check (kind in (
            'wallet', 'receivable', 'revenue', 'payable', 'payout', 'adjustments', 'cash'
        )),
        constraint ck_ledger_accounts_property check ((kind = 'payable') = (property_id is not null)),
        constraint ck_ledger_accounts_share_remainder check (share_remainder between 0 and 99)
    )
    """,
    """
    create table ledger_entries (
        id varchar not null,
        account_id varchar not null,
        at timestamptz not null,
        kind varchar not null,
        reference varchar not null,
        memo varchar,
        actor varchar not null,
        constraint pk_ledger_entries primary key (id),
        constraint uq_ledger_entries_account_id_reference unique (account_id, reference),
        constraint uq_ledger_entries_account_id_id unique (account_id, id),
        constraint fk_ledger_entries_account_id_accounts
            foreign key (account_id) references accounts (id),
        constraint ck_ledger_entries_kind check (kind in (
            'top_up', 'refund', 'spend', 'flat_rate', 'adjustment', 'invoice', 'void', 'payment',
            'payout', 'payout_paid', 'payout_failed'
        )),
        constraint ck_ledger_entries_reference check (length(reference) between 1 and 200)
    )
    """,
    "create index ix_ledger_entries_at on ledger_entries (account_id, at)",
    """
    create table ledger_postings (
        entry_id varchar not null,
        ledger_account_id varchar not null,
        account_id varchar not null,
        micros bigint not null,
        constraint pk_ledger_postings primary key (entry_id, ledger_account_id),
        constraint fk_ledger_postings_account_id_entry_id_ledger_entries
            foreign key (account_id, entry_id) references ledger_entries (account_id, id),
        constraint fk_ledger_postings_account_id_ledger_account_id_ledger_accounts
            foreign key (account_id, ledger_account_id) references ledger_accounts (account_id, id),
        constraint ck_ledger_postings_micros check (micros <> 0)
    )
    """,
    "create index ix_ledger_postings_pot on ledger_postings (ledger_account_id, entry_id)",
)

_SPEND = (
    """
    create table charges (
        id bigint generated always as identity,
        account_id varchar not null,
        campaign_id varchar not null,
        property_id varchar not null,
        kind varchar not null,
        units bigint not null,
        micros bigint not null,
        constraint pk_charges primary key (id),
        constraint ck_charges_kind check (kind in ('impression', 'click', 'conversion', 'day'))
    )
    """,
    """
    create table spend_months (
        account_id varchar not null,
        month date not null,
        campaign_id varchar not null,
        property_id varchar not null,
        kind varchar not null,
        units bigint not null,
        micros bigint not null,
        constraint pk_spend_months primary key (account_id, month, campaign_id, property_id, kind),
        constraint fk_spend_months_account_id_campaign_id_campaigns
            foreign key (account_id, campaign_id) references campaigns (account_id, id),
        constraint ck_spend_months_month check (extract(day from month) = 1)
    )
    """,
    """
    create table flat_rate_days (
        campaign_id varchar not null,
        day date not null,
        account_id varchar not null,
        micros bigint not null,
        charged_at timestamptz not null,
        constraint pk_flat_rate_days primary key (campaign_id, day),
        constraint fk_flat_rate_days_account_id_campaign_id_campaigns
            foreign key (account_id, campaign_id) references campaigns (account_id, id),
        constraint ck_flat_rate_days_micros check (micros >= 0)
    )
    """,
)

_PAPERS = (
    """
    create table top_ups (
        id varchar not null,
        account_id varchar not null,
        amount_cents bigint not null,
        status varchar not null,
        provider varchar not null,
        provider_reference varchar not null,
        instructions varchar not null,
        requested_by varchar,
        created_at timestamptz not null,
        settled_at timestamptz,
        failure_reason varchar,
        constraint pk_top_ups primary key (id),
        constraint fk_top_ups_account_id_accounts foreign key (account_id) references accounts (id),
        constraint ck_top_ups_status check (status in ('pending', 'confirmed', 'failed')),
        constraint ck_top_ups_amount check (amount_cents > 0)
    )
    """,
    "create index ix_top_ups_list on top_ups (account_id, id)",
    """
    create table invoices (
        id varchar not null,
        account_id varchar not null,
        month date not null,
        status varchar not null,
        currency varchar not null,
        total_micros bigint not null,
        amount_cents bigint not null,
        closing_micros bigint not null,
        issued_at timestamptz not null,
        due_at timestamptz not null,
        paid_at timestamptz,
        voided_at timestamptz,
        constraint pk_invoices primary key (id),
        constraint uq_invoices_account_id_month unique (account_id, month),
        constraint uq_invoices_account_id_id unique (account_id, id),
        constraint fk_invoices_account_id_accounts foreign key (account_id) references accounts (id),
        constraint ck_invoices_status check (status in ('open', 'paid', 'past_due', 'void')),
        constraint ck_invoices_amount check (amount_cents >= 0)
    )
    """,
    "create index ix_invoices_list on invoices (account_id, id)",
    "create index ix_invoices_due on invoices (status, due_at)",
    """
    create table invoice_lines (
        invoice_id varchar not null,
        position integer not null,
        account_id varchar not null,
        kind varchar not null,
        description varchar not null,
        campaign_id varchar,
        unit varchar,
        units bigint,
        micros bigint not null,
        constraint pk_invoice_lines primary key (invoice_id, position),
        constraint fk_invoice_lines_account_id_invoice_id_invoices
            foreign key (account_id, invoice_id) references invoices (account_id, id)
    )
    """,
    """
    create table payouts (
        id varchar not null,
        account_id varchar not null,
        property_id varchar not null,
        payee varchar not null,
        amount_cents bigint not null,
        status varchar not null,
        requested_by varchar,
        created_at timestamptz not null,
        approved_at timestamptz,
        paid_at timestamptz,
        failed_at timestamptz,
        failure_reason varchar,
        constraint pk_payouts primary key (id),
        constraint fk_payouts_account_id_accounts foreign key (account_id) references accounts (id),
        constraint fk_payouts_account_id_property_id_properties
            foreign key (account_id, property_id) references properties (account_id, id),
        constraint ck_payouts_status check (status in ('requested', 'approved', 'paid', 'failed')),
        constraint ck_payouts_amount check (amount_cents > 0)
    )
    """,
    "create index ix_payouts_list on payouts (account_id, id)",
)

# Both run as the service, for the tenant that posts sees its own rows only and may write no balance.
_GUARDS = (
    """
    create function check_ledger_entry() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
        entry varchar := case when tg_table_name = 'ledger_entries' then to_jsonb(new) ->> 'id'
                         else to_jsonb(new) ->> 'entry_id' end;
        found bigint;
        total numeric;
    begin
        select count(*), coalesce(sum(micros), 0) into found, total
        from ledger_postings where entry_id = entry;
        if found < 2 or total <> 0 then
            raise exception 'ledger entry % has % postings that sum to %', entry, found, total
                using errcode = 'check_violation', constraint = 'ck_ledger_entries_balanced';
        end if;
        return null;
    end $$
    """,
    """
    create function move_ledger_balance() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    begin
        update ledger_accounts set balance_micros = balance_micros + new.micros
        where id = new.ledger_account_id;
        return null;
    end $$
    """,
    """
    create constraint trigger ledger_entries_balanced after insert on ledger_entries
    deferrable initially deferred for each row execute function check_ledger_entry()
    """,
    """
    create constraint trigger ledger_postings_balanced after insert on ledger_postings
    deferrable initially deferred for each row execute function check_ledger_entry()
    """,
    """
    create trigger ledger_postings_move after insert on ledger_postings
    for each row execute function move_ledger_balance()
    """,
)

_OLD_CHARGES = """
insert into charges (account_id, campaign_id, property_id, kind, units, micros)
select c.account_id, c.id, h.property_id::text, h.kind, sum(h.count), sum(h.charged_micros)
from event_hourly h join campaigns c on c.id = h.campaign_id::text
where not h.is_test and h.charged_micros <> 0
group by c.account_id, c.id, h.property_id, h.kind
"""
