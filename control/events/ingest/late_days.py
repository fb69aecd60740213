"""
Marks days for which something was stored long after they ended, so that their rollups are built again.

The mark is written in the transaction of the rows: a reader that sees the rows also sees the mark.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms, to_ms
from control.events.ingest.column_arrays import ColumnInsert
from control.events.ingest.parsed_records import DAY_MS, Counter, Event

UNMARKED = timedelta(hours=2)
"""Within this time after its end, a UTC day may be written to without a mark."""
_MARKS = ColumnInsert(
    "report_late_days", "account_id varchar, day date", "order by day, account_id"
)


async def mark_late_days(
    session: AsyncSession,
    events: Sequence[Event],
    counters: Iterable[Counter],
    accounts: Mapping[str, str],
    now: datetime,
) -> None:
    """*events*: those whose hours are written. Sends no statement unless one is of a day long over, which is rare."""
    before_ms = to_ms(now - UNMARKED) // DAY_MS * DAY_MS
    marks = {
        (accounts[one.shared_fields.property_id], one.at_ms // DAY_MS)
        for one in events
        if one.at_ms < before_ms
    }
    marks |= {
        (accounts[str(row[0])], one.body.at_ms // DAY_MS)
        for one in counters
        if one.body.at_ms < before_ms
        for row in (*one.body.rows, *one.body.exceeded)
        if str(row[0]) in accounts
    }
    await _MARKS.put(
        session, [(account_id, from_ms(day * DAY_MS).date()) for account_id, day in sorted(marks)]
    )
