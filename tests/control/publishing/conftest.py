"""A migrated database for each test: a copy of one that was migrated once."""

from collections.abc import AsyncIterator
from itertools import count

import pytest
import pytest_asyncio
from sqlalchemy.engine import make_url

from control.database import Database
from control.migrate import migrate
from tests.support.servers import PostgresServer

_numbers = count(1)


@pytest_asyncio.fixture(scope="session")
async def migrated(postgres_server: PostgresServer) -> str:
    """The name of a database nobody is connected to."""
    url = postgres_server.new_database()
    await migrate(url)
    return make_url(url).database or ""


@pytest.fixture
def database_url(postgres_server: PostgresServer, migrated: str) -> str:
    name = f"publishing_{next(_numbers)}"
    postgres_server.query(f"CREATE DATABASE {name} TEMPLATE {migrated} STRATEGY file_copy")
    return postgres_server.database_url(name)


@pytest_asyncio.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    found = Database(database_url, pool_size=5)
    yield found
    await found.close()
