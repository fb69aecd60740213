"""Country and device of events and decisions, surface and format of decisions, and whose serve an event is of."""

from alembic import op

from control.storage.migrations.security import SERVICE

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_HOUR_KEY = "hour, property_id, slot_id, campaign_id, ad_id, kind, format, source, surface, is_test, reason"
_SERVE_KEY = "hour, property_id, slot_id, campaign_id, ad_id, is_test, outcome"
_SERVE_ADDED = "country, device, surface, format"


def upgrade() -> None:
    op.execute("alter table events add country varchar, add device varchar, add person bytea")
    # For who asks to be forgotten: the event stays, for it counts and was paid for.
    op.execute(f"grant update (person) on events to {SERVICE}")
    _add_empty("event_hourly", "country", "device")
    _rekey_hours(f"{_HOUR_KEY}, country, device")
    _add_empty("serve_hourly", "country", "device", "surface", "format")
    _rekey_serves(f"{_SERVE_KEY}, {_SERVE_ADDED}")


def downgrade() -> None:
    _merge(
        "serve_hourly",
        f"account_id, {_SERVE_KEY}",
        {"count": "sum", "country": "min", "device": "min", "surface": "min", "format": "min"},
    )
    _rekey_serves(_SERVE_KEY)
    _drop("serve_hourly", "country", "device", "surface", "format")
    _merge(
        "event_hourly",
        f"account_id, {_HOUR_KEY}",
        {
            **dict.fromkeys(("count", "charged_micros", "value_cents"), "sum"),
            **dict.fromkeys(("last_at", "country", "device"), "max"),
        },
    )
    _rekey_hours(_HOUR_KEY)
    _drop("event_hourly", "country", "device")
    op.execute(f"revoke update (person) on events from {SERVICE}")
    _drop("events", "country", "device", "person")


def _add_empty(table: str, *columns: str) -> None:
    for column in columns:
        op.execute(f"alter table {table} add {column} varchar not null default ''")


def _drop(table: str, *columns: str) -> None:
    op.execute(f"alter table {table} " + ", ".join(f"drop {column}" for column in columns))


def _rekey_hours(key: str) -> None:
    op.execute("alter table event_hourly drop constraint pk_event_hourly")
    op.execute(f"alter table event_hourly add constraint pk_event_hourly primary key ({key})")


def _rekey_serves(key: str) -> None:
    op.execute("alter table serve_hourly drop constraint uq_serve_hourly_group")
    op.execute(
        "alter table serve_hourly add constraint uq_serve_hourly_group "
        f"unique nulls not distinct ({key})"
    )


def _merge(table: str, key: str, rest: dict[str, str]) -> None:
    """One row a *key*; *rest*: how the other columns come together."""
    merged = ", ".join(f"{how}({column}) as {column}" for column, how in rest.items())
    names = f"{key}, {', '.join(rest)}"
    # Forced row-level security would show the owner nothing.
    op.execute(f"alter table {table} no force row level security")
    op.execute(
        f"create temporary table merged on commit drop as select {key}, {merged} from {table} group by {key}"  # noqa: S608 - constants only
    )
    op.execute(f"delete from {table}")  # noqa: S608 - constants only
    op.execute(f"insert into {table} ({names}) select {names} from merged")  # noqa: S608 - constants only
    op.execute("drop table merged")
    op.execute(f"alter table {table} force row level security")
