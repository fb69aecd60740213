"""A publisher whose events are stored, and taken back."""

from collections.abc import AsyncIterator

import pytest

from control.storage.database import Database
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.ingest.world import Edge
from tests.support.control_api import DatabaseTemplate


@pytest.fixture(scope="session")
async def traffic_database(migrated: DatabaseTemplate) -> AsyncIterator[Database]:
    database = Database(migrated.new_database(), pool_size=10)
    yield database
    await database.close()


@pytest.fixture
async def mailbox(traffic_database: Database) -> Mailbox:
    made = Mailbox(traffic_database)
    await made.open()
    return made


@pytest.fixture
def edge(mailbox: Mailbox) -> Edge:
    return Edge(mailbox)
