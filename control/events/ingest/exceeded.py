"""Events beyond the rate limit of their address, summed by the edges: counted as invalid in the hours, never listed."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.values.clock import from_ms
from common.values.enums import Reason
from control.events.ingest.column_arrays import ColumnInsert
from control.events.ingest.parsed_records import HOUR_MS, Counter
from control.events.ingest.report_queue import ADD_HOURS, HOUR_KEY, IS_OPEN, to_store

_QUEUED, _COARSE = to_store("given")
_HOURS = ColumnInsert(
    "event_hourly",
    "hour timestamptz, property_id uuid, slot_id uuid, campaign_id uuid, ad_id uuid, kind varchar, "
    "format varchar, source varchar, surface varchar, is_test boolean, reason varchar, country varchar, "
    "device varchar, attribution varchar, account_id varchar, count bigint, charged_micros bigint, "
    "value_cents bigint, last_at timestamptz",
    f"where not {IS_OPEN} order by {HOUR_KEY} {ADD_HOURS}",
    beside={"queued": _QUEUED, "coarse": _COARSE},
)
_Sum = tuple[datetime, tuple[str, ...], bool, str]
"""(hour, the row without its count, is_test, account)."""


async def add_exceeded(
    session: AsyncSession, counters: Iterable[Counter], accounts: dict[str, str]
) -> None:
    """Rows of unknown properties are left out. Every consumer locks the rows in the same order."""
    sums: dict[_Sum, int] = {}
    last: dict[_Sum, datetime] = {}
    for one in counters:
        hour, at = from_ms(one.body.at_ms // HOUR_MS * HOUR_MS), from_ms(one.body.at_ms)
        for *row, count in one.body.exceeded:
            account_id = accounts.get(str(row[0]))
            if account_id is not None:
                key = (hour, tuple(map(str, row)), one.is_test, account_id)
                sums[key] = sums.get(key, 0) + int(count)
                last[key] = max(at, last.get(key, at))
    rows = [
        (
            hour,
            *row,
            is_test,
            Reason.RATE_EXCEEDED.value,
            "",
            "",
            "",
            account_id,
            count,
            0,
            0,
            last[key],
        )
        for key, count in sums.items()
        for hour, row, is_test, account_id in [key]
    ]
    await _HOURS.put(session, rows)
