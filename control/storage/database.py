"""
Opens all transactions. Each request or batch has one transaction, committed when it ends.

Roles: `owner` owns the tables (migrations only); `tenant` sees one account's rows through forced row-level security;
`service` is for publish, ingest, work and whatever runs before the account is known. Each engine sets its role when it
connects, so no statement runs as the login itself.
Where PostgreSQL is unavailable: `Unavailable` (503 with Retry-After). A transaction that did not commit changed
nothing.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from enum import StrEnum
from functools import partial
from typing import Any

import asyncpg
import orjson
from sqlalchemy import event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from common.values.errors import Unavailable
from common.values.messages import Message
from control.storage.lost_connections import READ_ONLY, watch_connections
from control.storage.postgres_connector import PostgresConnector
from control.storage.read_replica import ReadReplica
from control.storage.tenant_session import (
    ACCOUNT,
    STEADY,
    PooledConnection,
    TenantConnection,
    TenantSession,
)

STATEMENT_TIMEOUT_MS = 10_000
IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000
TIMEOUT_S = 12.0
"""Slightly more than the server's own statement timeout, whose error has more detail."""
READING_TIMEOUT_MS = 300_000
"""Limit of one statement, or of one idle period, of `Database.snapshot`."""
_NAMED: Mapping[str, Any] = {"prepared_statement_cache_size": 500}
"""Prepared statements a connection: more than the API has, as otherwise they would be prepared again and again."""
_UNNAMED: Mapping[str, Any] = {
    "prepared_statement_cache_size": 0,
    "prepared_statement_name_func": str,
}
"""Each statement is unnamed, and used at once in the transaction that prepared it."""
_BEGIN_READING = (
    "select set_config('app.account', :account, true), "
    "set_config('statement_timeout', :timeout, true), "
    "set_config('idle_in_transaction_session_timeout', :timeout, true)"
)

_CLASHES = frozenset({"40001", "40P01"})
"""Serialization failure, deadlock."""
_WAITED_TOO_LONG = frozenset({"55P03", "57014"})
"""Lock not available, statement timeout."""
_LOST = ("08", "57P")
"""Classes of the connection, and of a server that stops or starts."""
_OUT_OF_RESOURCES = ("53", "58")
"""Classes of a full disk, too many connections, no memory; and of files that the server cannot read or write."""


class DatabaseRole(StrEnum):
    OWNER = "placard_owner"
    TENANT = "placard_tenant"
    SERVICE = "placard_service"


class DatabaseUnavailable(Unavailable):
    """The database cannot be reached; ``where`` holds its address for operators and is never part of the message."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(
            Message("The database is unavailable. Nothing was changed. Try again shortly.")
        )
        self.where = engine.url.set(drivername="postgresql").render_as_string(hide_password=True)


class TransactionsClashed(Unavailable):
    """Another transaction was in the way: nothing was changed, and the same transaction may be run again at once."""

    def __init__(self) -> None:
        super().__init__(
            Message("The request conflicted with another one in the database. Try again.")
        )


class PlainSession(AsyncSession):
    """
    SQLAlchemy's session closes in a shielded task of its own; after the transaction, this one
    closes without waiting.
    """

    async def __aexit__(self, *raised: object) -> None:
        if self.in_transaction():
            await super().__aexit__(*raised)
        else:
            self.sync_session.close()


class Database:
    """Connection pools of one database: one for each role, and one for long reads."""

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        timeout_s: float = TIMEOUT_S,
        statement_s: float = STATEMENT_TIMEOUT_MS / 1000,
        is_pooled: bool = False,
        read_url: str = "",
        read_max_lag_s: float = 10.0,
    ) -> None:
        """
        *timeout_s*: longest wait for one response; a frozen server sends neither a response nor its own timeout.
        *statement_s*: the server's own limit of a statement. *is_pooled*: as in `open_engine`.

        *read_url*: a replica for steady and long reads, used while it is at most *read_max_lag_s* behind its primary.
        """
        self._is_pooled = is_pooled
        short = partial(
            open_engine, pool_size=pool_size, timeout_s=timeout_s, statement_s=statement_s
        )
        tenant = partial(short, role=DatabaseRole.TENANT, connection_class=TenantConnection)
        reading = partial(
            open_engine,
            role=DatabaseRole.TENANT,
            pool_size=2,
            is_hurried=False,
            timeout_s=READING_TIMEOUT_MS / 1000,
        )
        self._tenant = tenant(url, is_pooled=is_pooled)
        self._service = short(url, DatabaseRole.SERVICE, is_pooled=is_pooled)
        self._reading = reading(url, is_pooled=is_pooled)
        self._replica = (
            ReadReplica(tenant(read_url), reading(read_url), max_lag_s=read_max_lag_s)
            if read_url
            else None
        )

    @asynccontextmanager
    async def tenant(
        self, account_id: str, *, is_steady: bool = False
    ) -> AsyncIterator[AsyncSession]:
        """
        A transaction that sees only the rows of *account_id*; commits when the block ends without an exception.

        *is_steady*: read only, with all rows as of one instant; of the replica, where it can be used.
        """
        has_replica = is_steady and self._replica and await self._replica.is_usable()
        engine = self._replica.short if has_replica and self._replica else self._tenant
        async with (
            _translated(engine, is_read_only=is_steady),
            _tenant_session(engine, {ACCOUNT: account_id, STEADY: is_steady}) as session,
            session.begin(),
        ):
            yield session

    @asynccontextmanager
    async def snapshot(self, account_id: str) -> AsyncIterator[AsyncSession]:
        """
        A read-only transaction with the rows of *account_id* as of one instant; it may take minutes.

        It delays no feed, because a transaction that writes nothing takes no transaction number. Read from the replica,
        where it can be used.
        """
        has_replica = self._replica and await self._replica.is_usable()
        engine = self._replica.long if has_replica and self._replica else self._reading
        async with (
            _translated(engine, is_read_only=True),
            PlainSession(engine, expire_on_commit=False) as session,
            session.begin(),
        ):
            options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
            await session.connection(execution_options=options)
            timeout = str(READING_TIMEOUT_MS)
            values = {"account": account_id, "timeout": timeout}
            await session.execute(text(_BEGIN_READING), values)
            yield session

    @asynccontextmanager
    async def nobody(self) -> AsyncIterator[AsyncSession]:
        """A transaction that sees no rows; it may call the look-up functions of migration 0001b."""
        async with (
            _translated(self._tenant),
            _tenant_session(self._tenant, {}) as session,
            session.begin(),
        ):
            yield session

    @asynccontextmanager
    async def service(self) -> AsyncIterator[AsyncSession]:
        """A transaction over all accounts; commits when the block ends without an exception."""
        async with (
            _translated(self._service),
            PlainSession(self._service, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield session

    async def find(self, statement: str, *values: Any) -> Mapping[str, Any] | None:
        """
        Returns the one row of *statement*, run without an account: for the authentication look-ups of every request.

        Placeholders are ``$1``, ``$2``, …. It opens no transaction, so it takes one round trip; a pooler needs one.
        """
        async with _translated(self._tenant), self._tenant.connect() as connection:
            raw = await connection.get_raw_connection()
            driver: Any = raw.driver_connection
            try:
                async with driver.transaction() if self._is_pooled else nullcontext():
                    found: Mapping[str, Any] | None = await driver.fetchrow(statement, *values)
            except BaseException:
                await connection.invalidate()
                raise
            return found

    async def close(self) -> None:
        await self._tenant.dispose()
        await self._service.dispose()
        await self._reading.dispose()
        if self._replica is not None:
            await self._replica.close()


def _tenant_session(engine: AsyncEngine, info: dict[Any, Any]) -> AsyncSession:
    return PlainSession(engine, expire_on_commit=False, sync_session_class=TenantSession, info=info)


@asynccontextmanager
async def _translated(engine: AsyncEngine, *, is_read_only: bool = False) -> AsyncIterator[None]:
    """
    Translates database errors that mean unavailable, a clash or a long wait into `Unavailable`. *is_read_only*: the
    transaction refuses writes itself, so that a refused one does not mean a lost primary.
    """
    try:
        yield
    except PoolTimeout as error:
        raise Unavailable(
            Message("Too many requests are waiting for the database. Try again shortly.")
        ) from error
    except (OperationalError, InterfaceError, OSError, TimeoutError) as error:
        raise DatabaseUnavailable(engine) from error
    except DBAPIError as error:
        is_own_refusal = is_read_only and sql_state(error) == READ_ONLY
        if not is_own_refusal and (error.connection_invalidated or _is_outage(error)):
            raise DatabaseUnavailable(engine) from error
        if sql_state(error) in _CLASHES:
            raise TransactionsClashed from error
        if sql_state(error) in _WAITED_TOO_LONG:
            raise Unavailable(
                Message("The request conflicted with another one in the database. Try again.")
            ) from error
        raise
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        # Straight from the driver; a query may get the last one where its server died.
        if _is_drivers_outage(error):
            raise DatabaseUnavailable(engine) from error
        if getattr(error, "sqlstate", None) in _CLASHES:
            raise TransactionsClashed from error
        raise


def open_engine(
    url: str,
    role: DatabaseRole | None,
    *,
    pool_size: int = 1,
    is_hurried: bool = True,
    timeout_s: float | None = None,
    statement_s: float = STATEMENT_TIMEOUT_MS / 1000,
    connection_class: type[asyncpg.Connection] = asyncpg.Connection,
    is_pooled: bool = False,
) -> AsyncEngine:
    """
    Connects at first use, as *role* from the first statement; None: as the login itself.

    *is_hurried* False: statements and transactions have no timeout, as migrations need. *is_pooled*: *url* leads to a
    pooler in transaction mode, so nothing outlives a transaction: neither a prepared statement nor a setting.
    """
    settings = {
        **({"role": role.value} if role else {}),
        "statement_timeout": str(int(statement_s * 1000) if is_hurried else 0),
        "idle_in_transaction_session_timeout": str(
            IDLE_IN_TRANSACTION_TIMEOUT_MS if is_hurried else 0
        ),
    }
    connector = PostgresConnector(url)

    async def connect(**_: Any) -> asyncpg.Connection:
        """Called with SQLAlchemy's own reading of the URL, which has fewer parameters than the connector's."""
        if not is_pooled:
            return await connector.connect(
                command_timeout=timeout_s,
                connection_class=connection_class,
                server_settings={"application_name": "placard", **settings},
            )
        connection: PooledConnection = await connector.connect(
            command_timeout=timeout_s,
            connection_class=PooledConnection,
            server_settings={"application_name": "placard"},
            statement_cache_size=0,
        )
        connection.settings = settings
        return connection

    address = make_url(url).set(drivername="postgresql+asyncpg")
    engine = create_async_engine(
        address.set(query={}),
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=5,
        pool_pre_ping=False,
        pool_use_lifo=True,  # the last used is warm and needs no check; the others stay small
        hide_parameters=True,  # errors are logged, and parameters may be personal data
        connect_args={"async_creator_fn": connect, **(_UNNAMED if is_pooled else _NAMED)},
    )
    engine.sync_engine.url = address  # for messages, which name all hosts
    watch_connections(engine, wants_primary=connector.wants_primary)
    event.listen(engine.sync_engine, "connect", _read_json_plainly)
    return engine


def describe_error(error: Exception) -> str:
    """Describes for operators which server was addressed and its error. Clients get `Unavailable` alone."""
    if isinstance(error, DatabaseUnavailable):
        return f"PostgreSQL at {error.where} (PLACARD_DATABASE_URL): {_first_line(error.__cause__)}"
    if isinstance(error, DBAPIError):
        text = _first_line(error.orig)
        return f"PostgreSQL (was `python -m control migrate` run?): {text}"
    return str(error)


def sql_state(error: DBAPIError) -> str:
    """PostgreSQL's five-character error code (``23505`` unique violation), or an empty string."""
    return getattr(error.orig, "sqlstate", None) or ""


def _is_outage(error: DBAPIError) -> bool:
    """25006: the server is no primary any more."""
    return sql_state(error).startswith((*_LOST, *_OUT_OF_RESOURCES, READ_ONLY)) or isinstance(
        error.orig, asyncio.TimeoutError
    )


def _read_json_plainly(connection: Any, _: object) -> None:
    """Decodes JSONB with orjson in the driver; SQLAlchemy's own codec passes each value through two functions."""
    connection.run_async(
        lambda driver: driver.set_type_codec(
            "jsonb", schema="pg_catalog", encoder=str, decoder=orjson.loads, format="text"
        )
    )


def _is_drivers_outage(error: Exception) -> bool:
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "").startswith((*_LOST, *_OUT_OF_RESOURCES))
    return True


def _first_line(error: BaseException | None) -> str:
    if isinstance(error, DBAPIError):
        error = error.orig
    return (str(error) or repr(error)).splitlines()[0]
