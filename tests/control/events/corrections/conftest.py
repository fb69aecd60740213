"""A publisher whose events are stored, and taken back."""

from collections.abc import AsyncIterator

import pytest

from control.storage.database import Database
from tests.control.events.corrections.desk import Desk
from tests.control.events.ingest.world import Edge
from tests.support.control_api import DatabaseTemplate


@pytest.fixture(scope="session")
async def traffic_database(migrated: DatabaseTemplate) -> AsyncIterator[Database]:
    database = Database(migrated.new_database(), pool_size=10)
    yield database
    await database.close()


@pytest.fixture
async def desk(traffic_database: Database) -> Desk:
    made = Desk(traffic_database)
    await made.open()
    return made


@pytest.fixture
def edge(desk: Desk) -> Edge:
    return Edge(desk)
