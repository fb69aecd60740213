"""`control migrate`: the roles, the owner's rights and the newest schema. Running it again is harmless."""

import asyncio
import sys
from functools import cache
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from control.foundation.settings import DatabaseSettings
from control.storage.database import DatabaseRole, open_engine, sql_state

_LOCK = 0x706C6163  # any number that no other advisory lock of this database uses
_ROLE_ATTEMPTS = 20
LOCK_TIMEOUT_MS = 5_000
"""
Longest wait for the lock of a table, behind which every other statement on that table waits. It is half of the limit of
the other processes' statements.
"""
LOCK_ATTEMPTS = 12
LOCK_PAUSE_S = 5.0
"""Between two attempts, in which the others go on. All attempts take two minutes."""
_LOCKED = frozenset({"55P03", "40P01"})
"""Lock not available; deadlock, which PostgreSQL finds sooner and may end by undoing the migration."""
_LONGEST = (
    "select pid, xact_start, query from pg_stat_activity "
    "where datname = current_database() order by xact_start"
)
_ROLES = (DatabaseRole.OWNER, DatabaseRole.TENANT, DatabaseRole.SERVICE)


class DatabaseNotThere(Exception):
    """PostgreSQL is unreachable or refuses the login; the message names its address and what to do."""


class SchemaLocked(DatabaseNotThere):
    """Another transaction held a lock that a migration needs; nothing was changed. The message says what to do."""


async def migrate(url: str) -> str:
    """
    Migrates the database at *url* to the newest schema; returns its revision. The login needs CREATEROLE and must own
    the database. The schema of a newer release stays as it is, because this one runs on it (`is_new_enough`).

    Several processes may run it at once, on one database or on several of one server. Inside a process, only one may
    run at a time, because alembic keeps its context in a global. Where another transaction holds a lock, all migrations
    are undone and tried again later, so that they do not keep others from the table. Raises `DatabaseNotThere`, and
    `SchemaLocked` after `LOCK_ATTEMPTS`.
    """
    login = open_engine(url, None, is_hurried=False)
    owner = open_engine(url, DatabaseRole.OWNER, is_hurried=False)
    try:
        async with login.connect() as waiting:
            await waiting.execute(text("select pg_advisory_lock(:lock)"), {"lock": _LOCK})
            await _make_roles(login)
            async with login.begin() as connection:
                await _hand_over(connection)
            return await _upgrade_between_locks(owner, url)
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        raise DatabaseNotThere(_missing(url, error)) from error
    except DBAPIError as error:
        raise DatabaseNotThere(_missing(url, error.orig or error)) from error
    finally:
        await login.dispose()
        await owner.dispose()


async def run(settings: DatabaseSettings, *, is_waiting: bool) -> None:
    """Migrates once and prints the revision; or waits until another process has. Raises `DatabaseNotThere`."""
    if is_waiting:
        await wait_for_schema(settings.direct_database_url)
        return
    found = await migrate(settings.direct_database_url)
    made_by = "" if is_known_revision(found) else " by a newer release, and was not changed"
    sys.stdout.write(
        f"The schema at {_place(settings.direct_database_url)} is at {found}{made_by}.\n"
    )


async def wait_for_schema(url: str, *, interval_s: float = 1.0) -> None:
    """
    Returns once the database at *url* has this code's schema, or that of a newer release. Changes nothing.

    Writes each new reason to wait to standard error.
    """
    engine = open_engine(url, None)
    last = ""
    try:
        while True:
            reason = await _find_missing(engine, url)
            if not reason:
                return
            if reason != last:
                sys.stderr.write(f"{reason}\n")
                last = reason
            await asyncio.sleep(interval_s)
    finally:
        await engine.dispose()


@cache
def head_revision() -> str:
    """The newest revision in this code."""
    return ScriptDirectory.from_config(alembic_config()).get_current_head() or ""


def is_known_revision(revision: str) -> bool:
    """Whether this code has *revision*; False: a newer release made it."""
    return revision in _known_revisions()


def is_new_enough(revision: str | None) -> bool:
    """
    Whether this code runs on a database at *revision*: its own newest, or that of a newer release, whose migrations
    leave to older processes what they need.
    """
    return revision == head_revision() or bool(revision and not is_known_revision(revision))


def read_revisions() -> None:
    """Reads those of this code, from files: later calls of the functions above find them in memory."""
    head_revision()
    _known_revisions()


@cache
def _known_revisions() -> frozenset[str]:
    scripts = ScriptDirectory.from_config(alembic_config())
    return frozenset(one.revision for one in scripts.walk_revisions())


def alembic_config(connection: Connection | None = None) -> Config:
    """Returns alembic's configuration, without an ini file; *connection* must act as the owner."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config


async def _upgrade_between_locks(owner: AsyncEngine, url: str) -> str:
    """Returns the revision. Raises `SchemaLocked`."""
    attempt = 0
    while True:
        attempt += 1
        try:
            async with owner.begin() as connection:
                await connection.execute(text(f"set local lock_timeout = {LOCK_TIMEOUT_MS}"))
                found = await connection.run_sync(_upgrade)
                await connection.execute(
                    text(f"grant select on alembic_version to {DatabaseRole.SERVICE}")
                )
        except DBAPIError as error:
            if sql_state(error) not in _LOCKED:
                raise
            if attempt == LOCK_ATTEMPTS:
                raise SchemaLocked(_locked(url, error)) from error
            sys.stderr.write(
                f"Another transaction holds a lock that a migration needs. Attempt {attempt} of {LOCK_ATTEMPTS} was "
                f"undone; the next follows in {LOCK_PAUSE_S:g} s.\n"
            )
            await asyncio.sleep(LOCK_PAUSE_S)
        else:
            return found


def _upgrade(connection: Connection) -> str:
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and is_new_enough(found):
        return found
    command.upgrade(alembic_config(connection), "head")
    return head_revision()


async def _find_missing(engine: AsyncEngine, url: str) -> str:
    """Why the schema is not this code's or newer; empty if it is."""
    try:
        async with engine.begin() as connection:
            await connection.execute(text(f"set local role {DatabaseRole.SERVICE}"))
            found = await connection.scalar(text("select version_num from alembic_version"))
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        return _waiting(url, error)
    except DBAPIError as error:
        return _waiting(url, error.orig or error)
    if is_new_enough(found):
        return ""
    needed = head_revision()
    return f"The schema is at {found or 'no revision'}, and this release needs {needed}. Run `control migrate`."


async def _make_roles(login: AsyncEngine) -> None:
    """
    Creates the roles. They belong to the whole server, so another database's migration may create them at the same
    time.

    Errors of such a race disappear when the statement is repeated.
    """
    for attempt in range(_ROLE_ATTEMPTS):
        try:
            async with login.begin() as connection:
                for role in _ROLES:
                    await _make_role(connection, role)
                # The owner role hands functions over to the service role. It inherits none of its rights, so it sees no
                # row.
                if not await _holds(connection, DatabaseRole.OWNER, DatabaseRole.SERVICE, "MEMBER"):
                    await connection.execute(
                        text(f"grant {DatabaseRole.SERVICE} to {DatabaseRole.OWNER}")
                    )
        except DBAPIError as error:
            if attempt + 1 == _ROLE_ATTEMPTS or not _is_clash(error):
                raise
            await asyncio.sleep(0.05)
        else:
            return


async def _make_role(connection: AsyncConnection, role: DatabaseRole) -> None:
    """Creates the role where it is missing, and lets the login act as it."""
    found = await connection.scalar(
        text("select true from pg_roles where rolname = :role"), {"role": role.value}
    )
    if not found:
        await connection.execute(text(f"create role {role} nologin noinherit"))
    login = await connection.scalar(text("select current_user"))
    if not await _holds(connection, login, role, "USAGE"):
        quoted = await connection.scalar(text("select quote_ident(current_user)"))
        await connection.execute(text(f"grant {role} to {quoted}"))


async def _holds(connection: AsyncConnection, member: str, role: str, right: str) -> bool:
    held = await connection.scalar(
        text("select pg_has_role(:member, :role, :right)"),
        {"member": str(member), "role": str(role), "right": right},
    )
    return bool(held)


def _is_clash(error: DBAPIError) -> bool:
    """Unique violation, duplicate object, or 'tuple concurrently updated', which has no code of its own."""
    state = getattr(error.orig, "sqlstate", None)
    return state in {"23505", "42710"} or "concurrently" in str(error.orig)


async def _hand_over(connection: AsyncConnection) -> None:
    """Makes the owner role own the schema; the other two roles may use it, and nobody else has any rights."""
    database = await connection.scalar(text("select quote_ident(current_database())"))
    owner, tenant, service = _ROLES
    for statement in (
        f"grant create, temporary on database {database} to {owner}",
        f"alter schema public owner to {owner}",
        "revoke all on schema public from public",
        f"grant usage on schema public to {tenant}, {service}",
        f"alter default privileges for role {owner} revoke execute on functions from public",
    ):
        await connection.execute(text(statement))


def _waiting(url: str, error: BaseException) -> str:
    return f"The schema's revision cannot be read at {_place(url)}: {_reason(error)}. Waiting for `control migrate`."


def _place(url: str) -> str:
    return make_url(url).render_as_string(hide_password=True)


def _reason(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _locked(url: str, error: DBAPIError) -> str:
    return (
        f"The schema at {_place(url)} was not migrated, and nothing was changed: in each of {LOCK_ATTEMPTS} attempts "
        f"another transaction held a lock ({_reason(error.orig or error)}). "
        f"Find it with `{_LONGEST}`, wait until it ends or end it with `select pg_terminate_backend(PID)`, "
        "and run `control migrate` again."
    )


def _missing(url: str, error: BaseException) -> str:
    return (
        f"PostgreSQL could not be migrated. Looked for it at {_place(url)}: {_reason(error)}. "
        "Start the server or correct PLACARD_DATABASE_URL; the login must own the database "
        "and be allowed to create roles."
    )
