"""What callers get where the server refuses for a while: `Unavailable`, as where it is gone."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from common.values.errors import Unavailable
from control.storage.database import Database, DatabaseUnavailable, TransactionsClashed
from tests.support.servers import PostgresServer, started

_PLACES = 5
_RAISE = "do $$ begin raise exception 'as the server would' using errcode = '{state}'; end $$"


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    made = Database(database_url)
    yield made
    await made.close()


@pytest.fixture
def crowded(servers_folder: Path) -> Iterator[PostgresServer]:
    with started(PostgresServer(servers_folder / "crowded", max_connections=_PLACES)) as server:
        yield server


@pytest.mark.parametrize("state", ["53100", "53200", "53300", "57P03", "58030", "25006"])
async def test_a_server_without_resources_is_unavailable(database: Database, state: str) -> None:
    with pytest.raises(DatabaseUnavailable):
        await _fail(database, state)


@pytest.mark.parametrize("state", ["40001", "40P01"])
async def test_transactions_that_clash_may_be_run_again(database: Database, state: str) -> None:
    with pytest.raises(TransactionsClashed):
        await _fail(database, state)


async def test_a_statement_that_waited_too_long_is_unavailable(database: Database) -> None:
    with pytest.raises(Unavailable) as caught:
        await _fail(database, "57014")
    assert not isinstance(caught.value, DatabaseUnavailable | TransactionsClashed)


async def test_a_refused_value_is_an_error(database: Database) -> None:
    with pytest.raises(DBAPIError):
        await _fail(database, "23505")


async def test_a_server_with_too_many_connections_is_unavailable(crowded: PostgresServer) -> None:
    others = [await asyncpg.connect(crowded.url) for _ in range(_PLACES)]
    database = Database(crowded.url)
    try:
        with pytest.raises(DatabaseUnavailable):
            await _fail(database, "00000")
    finally:
        for one in others:
            await one.close()
        await database.close()


async def _fail(database: Database, state: str) -> None:
    async with database.service() as session:
        await session.execute(text(_RAISE.format(state=state)))
