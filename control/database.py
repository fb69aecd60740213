"""
The one place that opens transactions. One request or batch, one transaction, committed at its boundary.

Roles: `owner` owns the tables (migrations only); `tenant` sees one account's rows through forced row-level
security; `service` serves publish, ingest, work and what must happen before the account is known. Each engine
takes its role at connection start, so no statement runs as the login itself.

PostgreSQL away: `Unavailable` (503 with Retry-After); nothing half done, for a transaction that did not commit
left nothing.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import StrEnum

import asyncpg
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from common.errors import Unavailable

STATEMENT_TIMEOUT_MS = 10_000
IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000


_LOST_A_RACE = frozenset({"40001", "40P01", "55P03", "57014"})
"""Serialization failure, deadlock, lock not available, statement timeout: nothing was changed."""


class DatabaseRole(StrEnum):
    OWNER = "placard_owner"
    TENANT = "placard_tenant"
    SERVICE = "placard_service"


class DatabaseAway(Unavailable):
    """The database cannot be reached; ``where`` it was looked for is for operators, never in the message."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__("The database does not answer. Nothing was changed; try again shortly.")
        self.where = engine.url.set(drivername="postgresql").render_as_string(hide_password=True)


class Database:
    """Two pools on one database, one a role."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self._tenant = open_engine(url, DatabaseRole.TENANT, pool_size=pool_size)
        self._service = open_engine(url, DatabaseRole.SERVICE, pool_size=pool_size)

    @asynccontextmanager
    async def tenant(self, account_id: str) -> AsyncIterator[AsyncSession]:
        """A transaction that sees the rows of *account_id* and no others; commits when the block ends well."""
        async with self._transaction(self._tenant) as session:
            await session.execute(
                text("select set_config('app.account', :account, true)"), {"account": account_id}
            )
            yield session

    @asynccontextmanager
    async def nobody(self) -> AsyncIterator[AsyncSession]:
        """A transaction that sees no row: it may call the look-ups of migration 0001b, at the door."""
        async with self._transaction(self._tenant) as session:
            yield session

    @asynccontextmanager
    async def service(self) -> AsyncIterator[AsyncSession]:
        """A transaction over all accounts; commits when the block ends well."""
        async with self._transaction(self._service) as session:
            yield session

    async def close(self) -> None:
        await self._tenant.dispose()
        await self._service.dispose()

    @asynccontextmanager
    async def _transaction(self, engine: AsyncEngine) -> AsyncIterator[AsyncSession]:
        try:
            async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
                yield session
        except PoolTimeout as error:
            raise Unavailable("Too many calls wait for the database. Try again shortly.") from error
        except (OperationalError, InterfaceError, OSError, TimeoutError) as error:
            raise DatabaseAway(engine) from error
        except DBAPIError as error:
            if error.connection_invalidated or _is_connection_loss(error):
                raise DatabaseAway(engine) from error
            if sql_state(error) in _LOST_A_RACE:
                raise Unavailable(
                    "The database was busy with a conflicting call. Try again."
                ) from error
            raise
        except (asyncpg.PostgresConnectionError, asyncpg.InternalClientError) as error:
            # The second is what a query may get whose server died under it.
            raise DatabaseAway(engine) from error


def open_engine(
    url: str,
    role: DatabaseRole | None,
    *,
    pool_size: int = 1,
    statement_timeout_ms: int = STATEMENT_TIMEOUT_MS,
) -> AsyncEngine:
    """Connects at first use, acting as *role* from the first statement; None: as the login itself."""
    return create_async_engine(
        make_url(url).set(drivername="postgresql+asyncpg"),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=5,
        pool_pre_ping=False,
        connect_args={
            "timeout": 5,
            "server_settings": {
                **({"role": role.value} if role else {}),
                "application_name": "placard",
                "statement_timeout": str(statement_timeout_ms),
                "idle_in_transaction_session_timeout": str(IDLE_IN_TRANSACTION_TIMEOUT_MS),
            },
        },
    )


def describe_trouble(error: Exception) -> str:
    """For operators: which server was looked for where, and what it said. Callers are told `Unavailable` alone."""
    if isinstance(error, DatabaseAway):
        return f"PostgreSQL at {error.where} (PLACARD_DATABASE_URL): {_first_line(error.__cause__)}"
    if isinstance(error, DBAPIError):
        said = _first_line(error.orig)
        return f"PostgreSQL (was `python -m control migrate` run?): {said}"
    return str(error)


def sql_state(error: DBAPIError) -> str:
    """PostgreSQL's five characters for what went wrong (``23505`` unique violation), or nothing."""
    return getattr(error.orig, "sqlstate", None) or ""


def _is_connection_loss(error: DBAPIError) -> bool:
    """Class 08 (connection) and 57P (the server is stopping) say that the server went away."""
    return sql_state(error).startswith(("08", "57P")) or isinstance(
        error.orig, asyncio.TimeoutError
    )


def _first_line(error: BaseException | None) -> str:
    if isinstance(error, DBAPIError):
        error = error.orig
    return (str(error) or repr(error)).splitlines()[0]
