"""One migrated database for these tests; each makes a world of its own in it."""

from collections.abc import AsyncIterator

import pytest

from control.storage.database import Database
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import DatabaseTemplate


@pytest.fixture(scope="session")
async def ingest_database(migrated: DatabaseTemplate) -> AsyncIterator[Database]:
    database = Database(migrated.new_database())
    yield database
    await database.close()


@pytest.fixture
async def world(ingest_database: Database) -> World:
    return await World(ingest_database).open()


@pytest.fixture
def edge(world: World) -> Edge:
    return Edge(world)
