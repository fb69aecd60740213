"""
One leader among processes, by an advisory lock that lives as long as a session of PostgreSQL.

The session is asked every second whether it lives. A leader whose session is gone stops at once; one that hangs
loses its session after four seconds of silence, by the server's own clock. So another leads within five.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from enum import Enum, IntEnum
from typing import Any

import asyncpg
import structlog
from sqlalchemy.engine import make_url

from control.database import DatabaseRole

_ASK_S = 1.0
_TRY_S = 0.5
_CALL_S = 2.0
_SILENCE_MS = 4000

_AWAY = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("leader")


class Leadership(IntEnum):
    """The locks there are; numbers no other advisory lock of the database uses."""

    PUBLISH = 0x504C_5055
    WORK = 0x504C_574F


class Standing(Enum):
    AWAY = 0
    """The database cannot be reached."""
    BY = 1
    """Another process leads; this one is there should it end."""
    LEADING = 2


async def lead(
    url: str,
    leadership: Leadership,
    body: Callable[[], Coroutine[Any, Any, None]],
    *,
    on_change: Callable[[Standing], None],
    listen: tuple[str, asyncio.Event] | None = None,
) -> None:
    """
    For ever: wait for *leadership*, run *body* while it is held, cancel it when it is lost.

    *on_change* hears how this process stands, whenever that changes. *listen*: a NOTIFY channel and the event it
    sets. An exception of *body* ends all of it. *url* must lead to PostgreSQL itself: a pooler would share the session.
    """
    while True:
        try:
            connection = await _connect(url)
        except _AWAY as error:
            on_change(Standing.AWAY)
            _log.warning("database_away", leadership=leadership.name, reason=repr(error))
            await asyncio.sleep(_ASK_S)
            continue
        try:
            on_change(Standing.BY)
            await _acquire(connection, leadership)
            if listen is not None:
                await _listen(connection, *listen)
            on_change(Standing.LEADING)
            _log.info("leading", leadership=leadership.name)
            await _while_alive(connection, body)
        except _AWAY as error:
            _log.warning("leadership_lost", leadership=leadership.name, reason=repr(error))
        finally:
            on_change(Standing.AWAY)
            connection.terminate()


async def _connect(url: str) -> asyncpg.Connection:
    dsn = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return await asyncpg.connect(
        dsn,
        timeout=_CALL_S,
        command_timeout=_CALL_S,
        server_settings={
            "role": DatabaseRole.SERVICE.value,
            "application_name": "placard leader",
            "idle_session_timeout": str(_SILENCE_MS),
            "tcp_user_timeout": str(_SILENCE_MS),
        },
    )


async def _acquire(connection: asyncpg.Connection, leadership: Leadership) -> None:
    ask = "select pg_try_advisory_lock($1)"
    while not await connection.fetchval(ask, int(leadership)):  # noqa: ASYNC110 - PostgreSQL holds it
        await asyncio.sleep(_TRY_S)


async def _listen(connection: asyncpg.Connection, channel: str, bell: asyncio.Event) -> None:
    await connection.add_listener(channel, lambda *_: bell.set())


async def _while_alive(connection: asyncpg.Connection, body: Callable[[], Awaitable[None]]) -> None:
    working = asyncio.ensure_future(body())
    asking = asyncio.ensure_future(_ask(connection))
    try:
        done, _ = await asyncio.wait({working, asking}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in (working, asking):
            task.cancel()
            with suppress(asyncio.CancelledError, *_AWAY):
                await task


async def _ask(connection: asyncpg.Connection) -> None:
    """Until the session is lost, which raises."""
    while True:
        await connection.execute("select 1")
        await asyncio.sleep(_ASK_S)
