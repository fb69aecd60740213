"""A database with the ledger's tables, and a publisher whose campaigns are charged in it."""

from collections.abc import AsyncIterator

import pytest

from control.storage.database import Database
from tests.control.billing.ledger.world import Money
from tests.control.events.ingest.world import Edge
from tests.support.control_api import DatabaseTemplate


@pytest.fixture(scope="session")
async def money_database(migrated: DatabaseTemplate) -> AsyncIterator[Database]:
    database = Database(migrated.new_database(), pool_size=30)
    yield database
    await database.close()


@pytest.fixture
async def money(money_database: Database) -> Money:
    """An account of its own."""
    made = Money(money_database)
    await made.open()
    return made


@pytest.fixture
def edge(money: Money) -> Edge:
    return Edge(money)
