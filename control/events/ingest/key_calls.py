"""How often each key was used, by the minute."""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms
from control.events.ingest.column_arrays import ColumnInsert
from control.events.ingest.parsed_records import Counter

_MINUTE_MS = 60_000
_CALLS = ColumnInsert(
    "key_minutes",
    "key_id varchar, minute timestamptz, account_id varchar, count bigint",
    "order by key_id, minute on conflict (key_id, minute) "
    "do update set count = key_minutes.count + excluded.count",
)


async def add_key_calls(
    session: AsyncSession, counters: Iterable[Counter], accounts: dict[str, str]
) -> None:
    """Rows of unknown properties are left out. Every consumer locks the rows in the same order."""
    sums: dict[tuple[str, int, str], int] = {}
    for one in counters:
        minute_ms = one.body.at_ms // _MINUTE_MS * _MINUTE_MS
        for property_id, key_id, count in one.body.keys:
            account_id = accounts.get(property_id)
            if account_id is not None:
                key = (key_id, minute_ms, account_id)
                sums[key] = sums.get(key, 0) + count
    rows = [
        (key_id, from_ms(minute_ms), account_id, count)
        for (key_id, minute_ms, account_id), count in sums.items()
    ]
    await _CALLS.put(session, rows)
