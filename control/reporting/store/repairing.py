"""
Makes the report store agree with PostgreSQL again, where one of them was restored from a backup, or hours were lost.

The difference of each day takes the place of what waits in the queue, and shipping goes on after what the store has
received. Hours of events that the store lacked then have neither slot nor ad, format, source, surface, country and
device, as in `event_hourly`. Decisions have all.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from control.api.operator_action import ActionRefused
from control.events.ingest.report_queue import DECISION, QUEUED
from control.ports.report_store import NO_ID, ReportStore
from control.reporting.store.opening import HOURS, while_ingest_waits
from control.reporting.store.shipping import KEY, as_json

_STATE = text("select 1 from report_store for update")
_BOUNDS = (
    "select cast(extract(epoch from min(hour)) as bigint), cast(extract(epoch from max(hour)) as bigint) from {0} "
    "having count(*) > 0"
)
_STORED_BOUNDS = (
    "select toUInt32(min(hour)), toUInt32(max(hour)) from {hours} where account_id <> '' "
    "having count() > 0"
)
_OF_DAY = text(
    f"select {KEY}, q.count, q.charged_micros, q.value_cents from ({HOURS}) q "  # noqa: S608 - constants only
    "where q.hour >= :since and q.hour < :until"
)
_COARSE = {
    **dict.fromkeys(("slot_id", "ad_id"), f"toUUID('{NO_ID}')"),
    **dict.fromkeys(("country", "device", "format", "source", "surface"), "''"),
}
_COLUMNS = QUEUED.split(", ")
_KEYS, _SUMS = _COLUMNS[:-3], _COLUMNS[-3:]
_STORED_KEY = ", ".join(
    f"if(h.kind = '{DECISION}', h.{name}, {_COARSE[name]})" if name in _COARSE else f"h.{name}"
    for name in _KEYS
).replace("h.hour", "toUInt32(h.hour)")
_STORED_OF_DAY = (
    f"select {_STORED_KEY}, {', '.join(f'sum(h.{name})' for name in _SUMS)} from {{hours}} h "  # noqa: S608 - constants only
    "where h.hour >= toDateTime({since:UInt32}, 'UTC') and h.hour < toDateTime({until:UInt32}, 'UTC') group by all"
)
_PUT = text(
    f"insert into report_store_queue ({QUEUED}) "  # noqa: S608 - constants only
    f"values ({', '.join(f':{name}' for name in _COLUMNS).replace(':hour', 'to_timestamp(:hour)')})"
)
_TABLES = ("event_hourly", "serve_hourly")
_CLEAR = text("delete from report_store_queue")
_ADOPT = text(
    "update report_store set sent = :sent, sent_tokens = :tokens, next_xid = null, next_id = null, next_token = null, "
    "as_of = '{}', next_as_of = null, next_as_of_xid = null"
)
_DAY = timedelta(days=1)
_Row = Sequence[Any]


async def repair_report_store(url: str, store: ReportStore) -> int:
    """
    Returns how many hours were queued; reports are unavailable until they are sent. Ingest waits meanwhile.

    *url*: of PostgreSQL itself, not of a pooler.

    Raises `ActionRefused`, and `ReportStoreUnavailable` where the store does not respond; nothing was changed then.
    """
    await store.prepare()

    async def repair(connection: AsyncConnection) -> int:
        if await connection.scalar(_STATE) is None:
            raise ActionRefused("The report store of this database is not open.")
        received = await store.received()
        await connection.execute(_CLEAR)
        queued = 0
        async for rows in _differences(connection, store):
            await connection.execute(_PUT, rows)
            queued += len(rows)
        await connection.execute(_ADOPT, {"sent": received.shipments, "tokens": received.tokens})
        if await store.received() != received:
            raise ActionRefused("A shipment arrived meanwhile. Try again.")
        return queued

    return await while_ingest_waits(url, repair)


async def _differences(
    connection: AsyncConnection, store: ReportStore
) -> AsyncIterator[list[dict[str, Any]]]:
    """What the store lacks of each day on which it differs; less than nothing where it has too much."""
    bounds = [
        *[(await connection.execute(text(_BOUNDS.format(table)))).all() for table in _TABLES],
        await store.select(_STORED_BOUNDS, {}),
    ]
    seconds = [second for rows in bounds for row in rows for second in row]
    if not seconds:
        return
    since = datetime.fromtimestamp(min(seconds), UTC).replace(hour=0)
    while since.timestamp() <= max(seconds):
        until = since + _DAY
        names = {"since": since, "until": until}
        wanted = [as_json(row) for row in await connection.execute(_OF_DAY, names)]
        parameters = {name: str(int(at.timestamp())) for name, at in names.items()}
        rows = _subtract(wanted, await store.select(_STORED_OF_DAY, parameters))
        if rows:
            yield rows
        since = until


def _subtract(wanted: Iterable[_Row], stored: Iterable[_Row]) -> list[dict[str, Any]]:
    sums: dict[tuple[Any, ...], list[int]] = {}
    for sign, rows in ((1, wanted), (-1, stored)):
        for row in rows:
            added = sums.setdefault(tuple(row[: len(_KEYS)]), [0] * len(_SUMS))
            for place, value in enumerate(row[len(_KEYS) :]):
                added[place] += sign * value
    return [
        dict(zip(_COLUMNS, (*key, *added), strict=True))
        for key, added in sums.items()
        if any(added)
    ]
