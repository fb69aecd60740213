"""
Elects one leader among processes with an advisory lock, held as long as a PostgreSQL session lives.

The session is checked every second. A leader that lost its session stops at once. A leader that hangs loses its session
after four seconds of silence, by the server's clock. So another process leads within five seconds.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from enum import Enum, IntEnum
from typing import Any

import asyncpg
import structlog
from sqlalchemy.engine import make_url

from control.storage.database import DatabaseRole
from control.storage.postgres_connector import PostgresConnector

_PROBE_S = 1.0
_TRY_S = 0.5
_CALL_S = 2.0
_SILENCE_MS = 4000

_AWAY = (
    *(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError),
    asyncpg.InternalClientError,  # a query may get this where its server died
)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("leader")


class Leadership(IntEnum):
    """Advisory locks by purpose; no other advisory lock of the database uses these numbers."""

    PUBLISH = 0x504C_5055
    WORK = 0x504C_574F
    PACE = 0x504C_5041


class LeaderState(Enum):
    DISCONNECTED = 0
    """The database cannot be reached."""
    STANDBY = 1
    """Another process leads; this one takes over when it ends."""
    LEADER = 2


async def lead(
    url: str,
    leadership: Leadership,
    body: Callable[[], Coroutine[Any, Any, None]],
    *,
    on_change: Callable[[LeaderState], None],
    listen: tuple[str, asyncio.Event] | None = None,
) -> None:
    """
    Loops forever: waits for *leadership*, runs *body* while it is held, and cancels *body* when it is lost.

    *on_change* is called with each new state of this process. *listen*: a NOTIFY channel and the event that it sets.
    An exception of *body* ends the loop. *url* must lead to PostgreSQL itself, because a pooler would share the
    session.
    """
    reporter, connector = _StateReporter(leadership, on_change), PostgresConnector(url)
    while True:
        try:
            async with _session(connector) as connection:
                reporter.report(LeaderState.STANDBY)
                await _acquire(connection, leadership)
                if listen is not None:
                    await _listen(connection, *listen)
                reporter.report(LeaderState.LEADER)
                await _while_alive(connection, body)
        except _AWAY as error:
            where = make_url(url).render_as_string(hide_password=True)
            reason = f"PostgreSQL at {where} (PLACARD_DATABASE_URL): {error!r}"
            reporter.report(LeaderState.DISCONNECTED, reason=reason)
            await asyncio.sleep(_TRY_S)
        finally:
            reporter.report(LeaderState.DISCONNECTED)


class _StateReporter:
    """Reports only changes: a database that stays unavailable is one line in the log."""

    def __init__(self, leadership: Leadership, on_change: Callable[[LeaderState], None]) -> None:
        self._log = _log.bind(leadership=leadership.name)
        self._on_change = on_change
        self._last: LeaderState | None = None

    def report(self, state: LeaderState, **why: str) -> None:
        if state is not self._last:
            self._last = state
            log = self._log.warning if why else self._log.info
            log("leader_state_changed", state=state.name, **why)
            self._on_change(state)


@asynccontextmanager
async def _session(connector: PostgresConnector) -> AsyncIterator[asyncpg.Connection]:
    connection = await _connect(connector)
    try:
        yield connection
    finally:
        connection.terminate()


async def _connect(connector: PostgresConnector) -> asyncpg.Connection:
    return await connector.connect(
        command_timeout=_CALL_S,
        server_settings={
            "role": DatabaseRole.SERVICE.value,
            "application_name": "placard leader",
            "idle_session_timeout": str(_SILENCE_MS),
            "tcp_user_timeout": str(_SILENCE_MS),
        },
    )


async def _acquire(connection: asyncpg.Connection, leadership: Leadership) -> None:
    query = "select pg_try_advisory_lock($1)"
    while not await connection.fetchval(query, int(leadership)):  # noqa: ASYNC110 - PostgreSQL holds it
        await asyncio.sleep(_TRY_S)


async def _listen(connection: asyncpg.Connection, channel: str, wakeup: asyncio.Event) -> None:
    await connection.add_listener(channel, lambda *_: wakeup.set())


async def _while_alive(connection: asyncpg.Connection, body: Callable[[], Awaitable[None]]) -> None:
    both = {asyncio.ensure_future(body()), asyncio.ensure_future(_ping(connection))}
    try:
        done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in both:
            task.cancel()
        await asyncio.wait(both)
    for task in done:
        task.result()


async def _ping(connection: asyncpg.Connection) -> None:
    """Runs until the session is lost, then raises."""
    while True:
        await connection.execute("select 1")
        await asyncio.sleep(_PROBE_S)
