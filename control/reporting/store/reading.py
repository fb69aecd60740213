"""Reads the rows of a report from the report store."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.environment import Environment
from control.ports.report_store import NO_ID, ReportStore, ReportStoreUnavailable, check_readable
from control.reporting.reports.metrics import Sum
from control.reporting.reports.vocabulary import NAMED
from control.reporting.store.statement import Share, StoredQuery

_SHARES = text(
    "select property_id, since_hour, percent from payout_shares where account_id = :account "
    "order by property_id, since_hour"
)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("reports")


@contextmanager
def _logged() -> Iterator[None]:
    try:
        yield
    except ReportStoreUnavailable as error:
        _log.warning("report_store_unavailable", reason=error.reason)
        raise


async def find_as_of(
    store: ReportStore, sent: int, as_of: Mapping[str, Sequence[Any]], environment: Environment
) -> tuple[datetime | None, int | None]:
    """
    When the newest record was stored that is in the figures at least, and up to when they are complete (epoch ms).

    *sent* and *as_of*: of `report_store`. Raises `ReportStoreUnavailable` where *store* lacks hours of then.
    """
    with _logged():
        await check_readable(store, sent, as_of)
    stored_at, through_ms = as_of[environment.value]
    return None if stored_at is None else datetime.fromisoformat(stored_at), through_ms


async def read_stored(
    session: AsyncSession, store: ReportStore, query: StoredQuery
) -> list[list[Any]]:
    """
    Each row: the number of its period from 1, then values and sums; ids that are not known are empty.

    Raises `ReportStoreUnavailable`.
    """
    if not query.properties:
        return []
    if Sum.EARNED_PARTS in query.sums:
        rows = await session.execute(_SHARES, {"account": query.account_id})
        query = replace(query, shares=[Share(str(row[0]), row[1], row[2]) for row in rows])
    with _logged():
        found = await store.select(query.statement, query.parameters)
    number_of = {int(at.timestamp()): number for number, at in enumerate(query.periods, 1)}
    named = [place for place, each in enumerate(query.group_by, 1) if each in NAMED]
    for row in found:
        row[0] = number_of[row[0]]
        for place in named:
            if row[place] == NO_ID:
                row[place] = ""
    return found
