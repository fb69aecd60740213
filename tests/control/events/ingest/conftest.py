"""One migrated database for these tests; each makes a world of its own in it."""

from collections.abc import AsyncIterator

import pytest

from control.storage.database import Database
from control.storage.migrate import migrate
from tests.control.events.ingest.world import Edge, World
from tests.support.servers import PostgresServer


@pytest.fixture(scope="session")
async def ingest_database(postgres_server: PostgresServer) -> AsyncIterator[Database]:
    url = postgres_server.new_database()
    await migrate(url)
    database = Database(url)
    yield database
    await database.close()


@pytest.fixture
async def world(ingest_database: Database) -> World:
    return await World(ingest_database).open()


@pytest.fixture
def edge(world: World) -> Edge:
    return Edge(world)
