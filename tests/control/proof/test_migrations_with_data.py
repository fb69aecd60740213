"""From the release before to the newest schema and back, with a row in every table: nothing is lost on the way."""

from collections.abc import AsyncIterator, Callable

import pytest_asyncio
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from control.storage.database import DatabaseRole, open_engine
from control.storage.migrate import alembic_config, migrate
from tests.control.proof.filler import Filled, fill
from tests.support.servers import PostgresServer

_RELEASED = "0004"
"""The newest revision of the release before."""


@pytest_asyncio.fixture(loop_scope="session")
async def url(postgres_server: PostgresServer) -> str:
    """A database as the release before left it, with a row in every table."""
    found = postgres_server.new_database()
    await migrate(found)
    await _step(found, "base", down=True)
    await _step(found, _RELEASED)
    return found


@pytest_asyncio.fixture(loop_scope="session")
async def administrator(url: str) -> AsyncIterator[AsyncEngine]:
    engine = open_engine(url, None)
    async with engine.begin() as connection:
        await fill(connection)
    yield engine
    await engine.dispose()


def test_revisions_are_one_chain() -> None:
    script = ScriptDirectory.from_config(alembic_config())
    revisions = list(script.walk_revisions())

    assert len(script.get_heads()) == len(script.get_bases()) == 1
    assert all(isinstance(one.down_revision, str | None) for one in revisions)
    assert len({one.down_revision for one in revisions}) == len(revisions)


async def test_data_of_the_release_before_comes_up_and_goes_down(
    url: str, administrator: AsyncEngine
) -> None:
    before = await _read(administrator)
    assert all(before.rows.values()), "each table has a row"

    await _step(url, "head")
    up = await _read(administrator)
    await _check(url)
    await _step(url, _RELEASED, down=True)
    down = await _read(administrator)

    assert before.kept_in(up) == []
    assert down.rows == before.rows


async def test_going_down_to_nothing_leaves_nothing(url: str, administrator: AsyncEngine) -> None:
    await _step(url, "head")
    await _step(url, "base", down=True)

    async with administrator.connect() as connection:
        tables = await connection.scalars(
            text(
                "select relname from pg_class where relnamespace = 'public'::regnamespace"
                " and relkind in ('r', 'p', 'v', 'S') and relname <> 'alembic_version'"
            )
        )
        functions = await connection.scalars(
            text("select proname from pg_proc where pronamespace = 'public'::regnamespace")
        )
        assert (tables.all(), functions.all()) == ([], [])


async def _read(administrator: AsyncEngine) -> Filled:
    async with administrator.connect() as connection:
        return await Filled.read(connection)


async def _step(url: str, revision: str, *, down: bool = False) -> None:
    act = command.downgrade if down else command.upgrade
    await _as_owner(url, lambda connection: act(alembic_config(connection), revision))


async def _check(url: str) -> None:
    """Fails where the tables describe another schema."""
    await _as_owner(url, lambda connection: command.check(alembic_config(connection)))


async def _as_owner(url: str, act: Callable[[Connection], None]) -> None:
    engine = open_engine(url, DatabaseRole.OWNER, is_hurried=False)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(act)
    finally:
        await engine.dispose()
