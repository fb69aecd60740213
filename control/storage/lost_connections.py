"""Drops connections from a pool whose server died, stopped responding, or is no primary any more."""

import asyncio
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DisconnectionError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine

_FRESH_S = 1.0
"""A connection used this recently is not checked again, so that a busy pool has no extra round trips."""
_PING_S = 2.0
"""With as long to connect to the next host, a failover is noticed within five seconds."""
READ_ONLY = "25006"
"""SQLSTATE of a write in a read-only transaction, or on a standby."""
_USED_AT = "placard_used_at_s"


def watch_connections(engine: AsyncEngine, *, wants_primary: bool) -> None:
    """
    Checks a connection that was idle before it is used. Where one is lost, all older ones of the pool are replaced.

    *wants_primary*: a refused write also means that the connection is lost.
    """

    def give_up(context: ExceptionContext) -> None:
        """Drops a connection that timed out: a rollback on it would wait as long again."""
        error = context.original_exception
        is_demoted = wants_primary and getattr(error, "sqlstate", None) == READ_ONLY
        if isinstance(error, TimeoutError) or is_demoted:
            context.is_disconnect = True

    pool = engine.sync_engine
    event.listen(pool, "handle_error", give_up)
    event.listen(pool, "connect", _note_use)
    event.listen(pool, "checkin", _note_use)
    event.listen(pool, "checkout", _refuse_lost)


def _note_use(_: Any, record: Any) -> None:
    record.info[_USED_AT] = _now_s()


def _refuse_lost(connection: Any, record: Any, _: Any) -> None:
    """The pool opens another connection instead, unnoticed by callers."""
    if connection.driver_connection.is_closed():
        raise DisconnectionError
    if _now_s() - record.info.get(_USED_AT, 0.0) > _FRESH_S:
        connection.run_async(_ping)


async def _ping(driver: Any) -> None:
    try:
        await driver.execute("select 1", timeout=_PING_S)
    except Exception as error:
        driver.terminate()  # closing it in good order would wait for the server again
        raise InvalidatePoolError from error


def _now_s() -> float:
    """Seconds of the loop's clock. A pool is disposed of outside a loop in some programs, which needs no time."""
    try:
        return asyncio.get_running_loop().time()
    except RuntimeError:
        return 0.0
