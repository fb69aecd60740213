"""The way to the newest schema."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from alembic import command
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncConnection

from control.foundation.settings import DatabaseSettings
from control.storage import migrate as migrations
from control.storage.database import DatabaseRole, open_engine
from control.storage.migrate import (
    DatabaseNotThere,
    SchemaLocked,
    alembic_config,
    migrate,
    run,
    wait_for_schema,
)
from tests.support.control_api import DatabaseTemplate
from tests.support.servers import PostgresServer
from tests.support.waiting import PATIENCE_S, until

_PROGRAM = "import asyncio, sys; from control.storage.migrate import migrate; asyncio.run(migrate(sys.argv[1]))"


async def _as_owner(url: str, step: str) -> None:
    def run(connection: Connection) -> None:
        config = alembic_config(connection)
        match step:
            case "check":
                command.check(config)
            case "down":
                command.downgrade(config, "base")
            case _:
                command.upgrade(config, "head")

    engine = open_engine(url, DatabaseRole.OWNER)
    async with engine.begin() as connection:
        await connection.run_sync(run)
    await engine.dispose()


async def _mark(url: str, revision: str) -> None:
    """The database says that it is at *revision*; nothing else changes."""
    engine = open_engine(url, DatabaseRole.OWNER)
    async with engine.begin() as connection:
        statement = text("update alembic_version set version_num = :revision")
        await connection.execute(statement, {"revision": revision})
    await engine.dispose()


async def test_migrations_make_what_the_tables_describe(database_url: str) -> None:
    await _as_owner(database_url, "check")


async def test_migrating_again_changes_nothing(database_url: str) -> None:
    await migrate(database_url)
    await _as_owner(database_url, "check")


async def test_the_schema_of_a_newer_release_is_left_as_it_is(
    migrated: DatabaseTemplate, capsys: pytest.CaptureFixture[str]
) -> None:
    url = migrated.new_database()
    await _mark(url, "newer")

    await run(DatabaseSettings(database_url=url), is_waiting=False)

    assert "is at newer by a newer release, and was not changed" in capsys.readouterr().out


async def test_migrations_go_down_and_up_again(postgres_server: PostgresServer) -> None:
    url = postgres_server.new_database()
    await migrate(url)
    await _as_owner(url, "down")
    await _as_owner(url, "up")
    await _as_owner(url, "check")


async def test_processes_may_migrate_at_once(postgres_server: PostgresServer) -> None:
    one, other = postgres_server.new_database(), postgres_server.new_database()
    children = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", _PROGRAM, url)
        for url in (one, one, other)
    ]

    assert [await child.wait() for child in children] == [0, 0, 0]


async def test_waiting_for_the_schema_ends_when_another_process_has_migrated(
    postgres_server: PostgresServer, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres_server.new_database()
    waiting = asyncio.create_task(wait_for_schema(url, interval_s=0.02))

    async def waits() -> bool:
        assert not waiting.done()
        return "Waiting" in capsys.readouterr().err

    await until(waits)
    await migrate(url)

    async with asyncio.timeout(PATIENCE_S):
        await waiting


async def test_waiting_for_the_schema_ends_at_that_of_a_newer_release(
    migrated: DatabaseTemplate,
) -> None:
    url = migrated.new_database()
    await _mark(url, "newer")

    async with asyncio.timeout(PATIENCE_S):
        await wait_for_schema(url)


async def test_an_older_schema_is_waited_for(
    migrated: DatabaseTemplate, capsys: pytest.CaptureFixture[str]
) -> None:
    url = migrated.new_database()
    await _mark(url, "0001")

    waiting = asyncio.create_task(wait_for_schema(url, interval_s=0.02))

    async def waits() -> bool:
        assert not waiting.done()
        return "is at 0001" in capsys.readouterr().err

    await until(waits)
    waiting.cancel()


@asynccontextmanager
async def _long_report(url: str) -> AsyncIterator[AsyncConnection]:
    """Reads the accounts of a database that lacks the migrations from 0067 on, which changes their table."""
    engine = open_engine(url, DatabaseRole.OWNER)
    async with engine.begin() as connection:
        await connection.run_sync(lambda plain: command.downgrade(alembic_config(plain), "0065"))
    async with engine.connect() as reading:
        await reading.execute(text("select count(*) from accounts"))
        yield reading
    await engine.dispose()


async def test_a_migration_behind_a_lock_lets_others_write_and_is_tried_again(
    migrated: DatabaseTemplate,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = migrated.new_database()
    monkeypatch.setattr(migrations, "LOCK_TIMEOUT_MS", 200)
    monkeypatch.setattr(migrations, "LOCK_PAUSE_S", 0.5)
    async with _long_report(url) as reading:
        running = asyncio.create_task(migrate(url))

        async def was_undone() -> bool:
            return "Attempt 1 of 12" in capsys.readouterr().err

        await until(was_undone)
        async with _writing(url) as writer:
            await writer.execute(text("set local statement_timeout = 1000"))
            await writer.execute(text("update accounts set name = name"))
        assert not running.done()
        await reading.rollback()
        await running
    await _as_owner(url, "check")


async def test_a_migration_behind_a_lock_that_stays_names_what_to_do(
    migrated: DatabaseTemplate, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = migrated.new_database()
    monkeypatch.setattr(migrations, "LOCK_TIMEOUT_MS", 200)
    monkeypatch.setattr(migrations, "LOCK_ATTEMPTS", 2)
    monkeypatch.setattr(migrations, "LOCK_PAUSE_S", 0.01)
    async with _long_report(url):
        with pytest.raises(SchemaLocked, match="pg_terminate_backend"):
            await migrate(url)
    await migrate(url)


async def test_a_migration_that_a_deadlock_undid_is_tried_again(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade, attempts = migrations._upgrade, list[Connection]()

    def clashing(connection: Connection) -> None:
        attempts.append(connection)
        upgrade(connection)
        if len(attempts) == 1:
            connection.execute(text("do $$ begin raise exception sqlstate '40P01'; end $$"))

    monkeypatch.setattr(migrations, "_upgrade", clashing)
    monkeypatch.setattr(migrations, "LOCK_PAUSE_S", 0.01)
    url = postgres_server.new_database()
    await migrate(url)
    assert len(attempts) == 2
    await _as_owner(url, "check")


@asynccontextmanager
async def _writing(url: str) -> AsyncIterator[AsyncConnection]:
    engine = open_engine(url, DatabaseRole.OWNER)
    async with engine.begin() as connection:
        yield connection
    await engine.dispose()


async def test_missing_server_is_named_without_its_password() -> None:
    with pytest.raises(DatabaseNotThere) as missing:
        await migrate("postgresql://placard:hunter2@/placard?host=/nowhere")

    assert "nowhere" in str(missing.value)
    assert "PLACARD_DATABASE_URL" in str(missing.value)
    assert "hunter2" not in str(missing.value)
