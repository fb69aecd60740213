"""A replica for reports and exports, used only while it is reachable and close enough to its primary."""

import asyncio

import asyncpg
import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

_GOOD_FOR_S = 1.0
_BAD_FOR_S = 5.0
"""How long one check holds: a replica that failed is left alone for longer."""
_AWAY = (
    *(OSError, TimeoutError, SQLAlchemyError, asyncpg.PostgresError),
    *(asyncpg.InterfaceError, asyncpg.InternalClientError),
)
LAG_S = """
select case
    when not pg_is_in_recovery() then 0
    when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
        and exists (select from pg_stat_wal_receiver) then 0
    else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
end
"""
"""Null where a replica is not connected and never replayed a commit. A quiet primary is not a lag."""

_log: structlog.stdlib.BoundLogger = structlog.get_logger("database")


class ReadReplica:
    """
    *short* and *long*: pools for reports and for reads of minutes.

    Callers read from the primary while `is_usable` is False. A replica that fails during a read is `Unavailable`, and
    the next read goes to the primary.
    """

    def __init__(self, short: AsyncEngine, long: AsyncEngine, *, max_lag_s: float) -> None:
        self.short, self.long = short, long
        self._max_lag_s = max_lag_s
        self._is_usable = True
        self._check_after_s = float("-inf")
        self._one_check = asyncio.Lock()

    async def is_usable(self) -> bool:
        """Whether it responds, and is at most so far behind. One check a second, and one in five after a failure."""
        async with self._one_check:
            now_s = asyncio.get_running_loop().time()
            if now_s >= self._check_after_s:
                reason = await self._find_problem()
                self._note(reason)
                wait_s = _BAD_FOR_S if reason else _GOOD_FOR_S
                self._check_after_s = asyncio.get_running_loop().time() + wait_s
            return self._is_usable

    async def close(self) -> None:
        await self.short.dispose()
        await self.long.dispose()

    async def _find_problem(self) -> str | None:
        try:
            async with self.short.connect() as connection:
                lag_s = await connection.scalar(text(LAG_S))
        except _AWAY as error:
            return repr(error)
        if lag_s is None:
            return "not connected to its primary"
        if lag_s > self._max_lag_s:
            return f"{lag_s:.1f} s behind; PLACARD_DATABASE_READ_MAX_LAG_S is {self._max_lag_s}"
        return None

    def _note(self, reason: str | None) -> None:
        """Logs changes only."""
        if reason and self._is_usable:
            _log.warning("read_replica_unusable", reason=reason, reads_from="primary")
        elif not reason and not self._is_usable:
            _log.info("read_replica_usable")
        self._is_usable = reason is None
