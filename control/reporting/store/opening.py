"""
Opens the report store: from then on reports read it, and PostgreSQL keeps coarse hours only (ADR 113).

Everything happens in one transaction. It locks the tables of hours, so that ingest waits and no row is left out. The
present hours go into the queue, from where they are shipped like new ones; reports are unavailable until they are sent.
It cannot be closed again.
"""

from collections.abc import Awaitable, Callable

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from control.api.operator_action import ActionRefused
from control.events.ingest.report_queue import (
    COARSE_GROUP,
    COARSE_HOURS,
    DECISION,
    HOUR_COLUMNS,
    QUEUED,
)
from control.ports.report_store import Received, ReportStore
from control.storage.database import DatabaseRole, open_engine, sql_state

_DEADLOCK = "40P01"
_ATTEMPTS = 10
"""Ingest may lock the two tables in the other order; PostgreSQL then undoes one of the two transactions."""
_IS_OPEN = text("select exists (select from report_store)")
_LOCK = text("lock table event_hourly, serve_hourly in share row exclusive mode")
_OPEN = text(
    "insert into report_store (opened_at, sent_at, max_behind_s, sent, sent_tokens, as_of) "
    "values (now(), now(), :max_behind_s, 0, 0, '{}')"
)
_LESS = "case when reason = 'retracted' then -abs({0}) else {0} end"
"""Retractions are negative; old ones were stored with either sign."""
HOURS = (
    "select account_id, is_test, kind, hour, property_id, slot_id, campaign_id, ad_id, reason, country, device, "  # noqa: S608 - constants only
    f"format, source, surface, attribution, {_LESS.format('count')} as count, charged_micros, "
    f"{_LESS.format('value_cents')} as value_cents from event_hourly union all "
    f"select account_id, is_test, '{DECISION}', hour, property_id, slot_id, campaign_id, ad_id, outcome, country, "
    "device, format, '', surface, '', count, 0, 0 from serve_hourly"
)
"""All hours of PostgreSQL, with the columns of the queue."""
_QUEUE = text(f"insert into report_store_queue ({QUEUED}) {HOURS}")
_COARSEN = text(
    f"with full_hours as (delete from event_hourly returning *) insert into event_hourly ({HOUR_COLUMNS}) "  # noqa: S608 - constants only
    f"{COARSE_HOURS} from full_hours {COARSE_GROUP}"
)
_CLEAR = tuple(
    text(f"delete from {table}")  # noqa: S608 - constants only
    for table in ("report_sums", "report_late_days", "report_head")
)


async def open_report_store(url: str, store: ReportStore, *, max_behind_s: int) -> int:
    """
    Returns how many hours are on their way to the store. *url*: of PostgreSQL itself, not of a pooler. *max_behind_s*:
    ingest stops where the store received nothing for so long, until it does.

    Raises `ActionRefused`, and `ReportStoreUnavailable` where the store does not respond.
    """
    await store.prepare()
    if await store.received() != Received():
        raise ActionRefused("The store holds hours of a database already. Name an empty database.")

    async def open_it(connection: AsyncConnection) -> int:
        if await connection.scalar(_IS_OPEN):
            raise ActionRefused("The report store of this database is open already.")
        await connection.execute(_OPEN, {"max_behind_s": max_behind_s})
        queued = await connection.execute(_QUEUE)
        for statement in (_COARSEN, *_CLEAR):
            await connection.execute(statement)
        return queued.rowcount

    return await while_ingest_waits(url, open_it)


async def while_ingest_waits(url: str, act: Callable[[AsyncConnection], Awaitable[int]]) -> int:
    """*act*: in a transaction that holds the tables of hours, again after each deadlock with ingest."""
    engine = open_engine(url, DatabaseRole.SERVICE, is_hurried=False)
    try:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with engine.begin() as connection:
                    await connection.execute(_LOCK)
                    return await act(connection)
            except DBAPIError as error:
                if sql_state(error) != _DEADLOCK or attempt == _ATTEMPTS:
                    raise
    finally:
        await engine.dispose()
    raise AssertionError("the last attempt returns or raises")
