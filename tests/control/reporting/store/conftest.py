"""A publisher whose hours are in the report store, in databases of their own."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import pytest

from common.values.clock import FixedClock, SystemClock
from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.storage.database import Database
from tests.control.events.corrections.mailbox import Mailbox
from tests.control.events.ingest.world import Edge
from tests.support.clickhouse import ClickHouseServer
from tests.support.control_api import DatabaseTemplate


@dataclass(frozen=True, slots=True)
class Urls:
    postgresql: str
    clickhouse: str

    @property
    def hours(self) -> str:
        """ClickHouse's table."""
        return self.clickhouse.rpartition("/")[2] + ".hours"


@pytest.fixture
def urls(migrated: DatabaseTemplate, clickhouse: ClickHouseServer) -> Iterator[Urls]:
    """Empty: the store is not open."""
    url = migrated.new_database()
    yield Urls(url, clickhouse.new_database())
    migrated.drop(url)


@pytest.fixture
async def store(urls: Urls) -> AsyncIterator[ClickHouseReportStore]:
    store = ClickHouseReportStore(urls.clickhouse)
    yield store
    await store.close()


@pytest.fixture
async def world(urls: Urls) -> AsyncIterator[Mailbox]:
    database = Database(urls.postgresql, pool_size=5)
    found = Mailbox(database, FixedClock(SystemClock().now_ms()))
    await found.open()
    yield found
    await database.close()


@pytest.fixture
def edge(world: Mailbox) -> Edge:
    return Edge(world)
