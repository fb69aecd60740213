"""Checks of the report store: it responds, agrees with PostgreSQL, and receives hours."""

from sqlalchemy import Row, text
from sqlalchemy.exc import DBAPIError

from common.values.errors import Unavailable
from control.foundation.settings import ControlSettings
from control.operations.doctor.finding import Finding, error, note, ok, warning
from control.ports.report_store import ReportStore, ReportStoreUnavailable, ReportStoreUrlInvalid
from control.storage.database import Database
from control.wiring import open_report_store

_CHECK, _VARIABLE = "stores.reports", "PLACARD_REPORT_STORE_URL"
_CALL_S = 5.0
_BEHIND_S = 60.0
_STATE = text(
    "select sent, sent_tokens, coalesce(next_token, 0) as next_token, "
    "cast(extract(epoch from now() - sent_at) as float8) as behind_s, max_behind_s from report_store"
)
_State = Row[tuple[int, int, int, float, int]]


async def check_report_store(settings: ControlSettings) -> list[Finding]:
    """Nothing where the store is neither open nor configured, or PostgreSQL fails, which other checks name."""
    try:
        state = await _read_state(settings)
    except (Unavailable, DBAPIError):
        return []
    if not settings.report_store_url:
        text_of_open = (
            "The report store is open, but its address is not set: reports are unavailable."
        )
        remedy = f"Set {_VARIABLE} for api and work."
        return [] if state is None else [error(_CHECK, text_of_open, remedy)]
    store: ReportStore | None = None
    try:
        store = open_report_store(settings)
        return [await _compare(store, state)]
    except (ReportStoreUrlInvalid, ReportStoreUnavailable) as failure:
        reason = failure.reason if isinstance(failure, ReportStoreUnavailable) else str(failure)
        found = f"The report store cannot be used: {reason}"
        return [error(_CHECK, found, f"Start ClickHouse, or correct {_VARIABLE}.")]
    finally:
        if store is not None:
            await store.close()


async def _read_state(settings: ControlSettings) -> _State | None:
    database = Database(settings.direct_database_url, pool_size=1, timeout_s=_CALL_S)
    try:
        async with database.service() as session:
            return (await session.execute(_STATE)).one_or_none()
    finally:
        await database.close()


async def _compare(store: ReportStore, state: _State | None) -> Finding:
    """Raises `ReportStoreUnavailable`."""
    if state is None:
        await store.select("select 1", {})
        found = "ClickHouse responds, but the report store is not open."
        return note(_CHECK, found, "Run `python -m control admin reports open-store`.")
    received = await store.received()
    sent = (state.sent, state.sent_tokens)
    if received not in (sent, (state.sent + 1, state.sent_tokens + state.next_token)):
        found = (
            f"ClickHouse has {received.shipments} shipments, and PostgreSQL sent {state.sent}, or others: one of them "
            "was restored from an older backup."
        )
        return error(_CHECK, found, "See Report store in docs/operations.md.")
    if state.behind_s > _BEHIND_S:
        found = (
            f"ClickHouse received nothing for {state.behind_s:.0f} s. "
            f"Ingest stops after {state.max_behind_s} s."
        )
        return warning(_CHECK, found, "Look for `ship_report_hours` in the log of control work.")
    return ok(_CHECK, "ClickHouse has the hours of reports.")
