"""
Everything that an account keeps after its setup: one JSON object a line, with the table's name in ``type``.

A stream of the database's rows, because an account may have more than one answer of the API can hold. Events are not
part of it: exports of events have them, by range of time. Hashes and sealed secrets are left out.
"""

from collections.abc import AsyncIterator, Mapping

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control.ports.report_store import ReportStore, check_readable
from control.storage.tables.events import EventHourRow

_ALL = "*"
_PARTS: Mapping[str, str] = {
    "accounts": _ALL,
    "memberships": _ALL,
    "users": "id, email, name, created_at",
    "invitations": "id, email, role, invited_by, created_at, expires_at",
    "properties": _ALL,
    "slots": _ALL,
    "campaigns": _ALL,
    "ads": _ALL,
    "assets": _ALL,
    "keys": "id, property_id, kind, environment, name, last4, scopes, created_by, created_at, expires_at, revoked_at",
    "invoices": _ALL,
    "invoice_lines": _ALL,
    "ledger_accounts": _ALL,
    "ledger_entries": _ALL,
    "ledger_postings": _ALL,
    "top_ups": _ALL,
    "payouts": _ALL,
    "spend_months": _ALL,
    "flat_rate_days": _ALL,
    "event_hourly": _ALL,
    "serve_hourly": _ALL,
    "report_views": _ALL,
    "audit_log": _ALL,
}
"""Columns by table. Row security limits each table to the account, and users to its members."""
_ONLY: Mapping[str, str] = {"report_views": "owner_id is null"}
"""Conditions by table. A view that only one member sees is in that member's own export."""
_LINES_A_BATCH = 500
_STATE = text("select sent, as_of from report_store")
_ACCOUNT = text("select current_setting('app.account')")
_OF_ACCOUNT = "from {hours} where account_id = {account:String} and kind <> 'decision'"
_DAYS = f"select distinct toYYYYMMDD(hour) as day {_OF_ACCOUNT} order by day"
_HOUR_SUMS = ("count", "charged_micros", "value_cents")
_HOUR_FIELDS = [name for name in EventHourRow.model_fields if name not in (*_HOUR_SUMS, "last_at")]
_HOURS = (
    "select formatDateTime(hour, '%Y-%m-%dT%H:%i:%S+00:00') as hour, "
    f"{', '.join(_HOUR_FIELDS[1:])}, {', '.join(f'sum({name})' for name in _HOUR_SUMS)} {_OF_ACCOUNT} "
    f"and toYYYYMMDD(hours.hour) = {{day:UInt32}} group by {', '.join(_HOUR_FIELDS)} order by {', '.join(_HOUR_FIELDS)}"
)


async def check_account_export(session: AsyncSession, store: ReportStore) -> None:
    """Raises `ReportStoreUnavailable` where the account's hours cannot be read from the open store."""
    state = (await session.execute(_STATE)).one_or_none()
    if state is not None:
        await check_readable(store, state.sent, state.as_of)


async def stream_account(session: AsyncSession, store: ReportStore) -> AsyncIterator[bytes]:
    """
    Batches of lines. *session*: of the account, and as of one instant (`Database.snapshot`).

    Hours of events are read from *store* where it is open. Raises `ReportStoreUnavailable`.
    """
    is_stored = (await session.execute(_STATE)).one_or_none() is not None
    for table, columns in _PARTS.items():
        if is_stored and table == "event_hourly":
            account_id = await session.scalar(_ACCOUNT)
            async for lines in _stored_hours(store, {"account": str(account_id)}):
                yield lines
            continue
        statement = text(
            f"select json_build_object('type', '{table}', 'row', row_to_json(t))::text"  # noqa: S608 - constants
            f" from (select {columns} from {table} where {_ONLY.get(table, 'true')}) t"
        )
        rows = await session.stream_scalars(statement)
        async for batch in rows.partitions(_LINES_A_BATCH):
            yield "".join(f"{line}\n" for line in batch).encode()


async def _stored_hours(store: ReportStore, account: Mapping[str, str]) -> AsyncIterator[bytes]:
    """As the rows of `event_hourly`, without ``last_at``: a batch for each day."""
    for (day,) in await store.select(_DAYS, account):
        rows = await store.select(_HOURS, {**account, "day": str(day)})
        lines = [
            orjson.dumps(
                {
                    "type": "event_hourly",
                    "row": dict(zip((*_HOUR_FIELDS, *_HOUR_SUMS), row, strict=True)),
                }
            )
            for row in rows
        ]
        yield b"".join(line + b"\n" for line in lines)
