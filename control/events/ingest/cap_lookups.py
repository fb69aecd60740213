"""Hourly counts of the edges' frequency cap look-ups for each property, and of those without an answer."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms
from control.events.ingest.column_arrays import ColumnInsert
from control.events.ingest.parsed_records import HOUR_MS, Counter

_LOOKUPS = ColumnInsert(
    "cap_lookups",
    "property_id uuid, is_test boolean, hour timestamptz, account_id varchar, lookups bigint, unknown bigint",
    "order by property_id, is_test, hour on conflict (property_id, is_test, hour) "
    "do update set lookups = cap_lookups.lookups + excluded.lookups, "
    "unknown = cap_lookups.unknown + excluded.unknown",
)
_Key = tuple[str, bool, datetime, str]
"""(property, is_test, hour, account)."""


async def add_cap_lookups(
    session: AsyncSession, counters: Iterable[Counter], accounts: dict[str, str]
) -> None:
    """Rows of unknown properties are left out. Every consumer locks the rows in the same order."""
    sums: dict[_Key, tuple[int, int]] = {}
    for one in counters:
        hour = from_ms(one.body.at_ms // HOUR_MS * HOUR_MS)
        for property_id, lookups, unknown in one.body.caps:
            account_id = accounts.get(property_id)
            if account_id is None:
                continue
            key = (property_id, one.body.is_test, hour, account_id)
            before = sums.get(key, (0, 0))
            sums[key] = (before[0] + lookups, before[1] + unknown)
    await _LOOKUPS.put(session, [(*key, *counts) for key, counts in sums.items()])
