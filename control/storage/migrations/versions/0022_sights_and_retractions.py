"""What judging an event again needs, which events were taken back, and how far a partition's events reach."""

from alembic import op

from control.storage.migrations.security import protect

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_RETRACTIONS = """
create table retractions (
    event_id uuid not null,
    correction_id uuid not null,
    account_id varchar not null,
    made_at timestamptz not null,
    cause varchar not null,
    constraint pk_retractions primary key (event_id)
)
"""
_CHARGE = "charged_micros between 0 and price_micros"
_UNBILLED = "charged_micros = 0 or (valid and not is_test)"
_TAKEN_BACK = "corrects is not null and not valid and not is_test and charged_micros between -price_micros and 0"


def upgrade() -> None:
    op.execute("alter table events add signs smallint, add network cidr, add client bytea, add lists_version varchar")
    op.execute("create index ix_events_at on events using brin (at) with (autosummarize = on)")
    _check("charge", f"({_CHARGE}) or ({_TAKEN_BACK})")
    _check("unbilled", f"{_UNBILLED} or ({_TAKEN_BACK})")
    op.execute("alter table ingest_positions add at_ms bigint")
    op.execute(_RETRACTIONS)
    op.execute("create index ix_retractions_made_at on retractions (made_at)")
    protect("retractions", tenant_may="select")


def downgrade() -> None:
    op.execute("drop table retractions")
    op.execute("alter table ingest_positions drop at_ms")
    _check("unbilled", _UNBILLED)
    _check("charge", _CHARGE)
    op.execute("drop index ix_events_at")
    op.execute("alter table events drop signs, drop network, drop client, drop lists_version")


def _check(name: str, rule: str) -> None:
    op.execute(f"alter table events drop constraint ck_events_{name}")
    op.execute(f"alter table events add constraint ck_events_{name} check ({rule})")
