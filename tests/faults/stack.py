"""
Fixtures of servers that tests may kill, freeze and empty, of a stack on them and a customer of it. A conftest imports
those that its folder uses: each folder has its own, and its tests share them.
"""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from deploy.standalone.background import Background, running_stack
from tests.e2e.customer import Customer
from tests.faults.oracle import Traffic
from tests.support.http_client import http_client
from tests.support.servers import (
    PostgresServer,
    RedisServer,
    server_folders,
    started,
    until_the_group_ends,
)
from tests.support.stack_admin import verify

NAMESPACE = "faults"
SPOOL_MAX_BYTES = 300_000
"""So little that a test can fill it, and enough for all that the other tests spool."""
RETENTION_SHARE = "1"
"""
A segment holds 64 KiB, some 65 records. What a log loses in these tests may span three segments of one worker and one
of the other, which a quarter of so small a spool would not retain.
"""


@pytest.fixture(scope="session")
def own_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pl-", dir=server_folders()))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(own_folder: Path) -> Iterator[PostgresServer]:
    yield from until_the_group_ends(started(PostgresServer(own_folder / "postgres")))


@pytest.fixture(scope="session")
def redis(own_folder: Path) -> Iterator[RedisServer]:
    yield from until_the_group_ends(started(RedisServer(own_folder / "redis")))


@pytest.fixture(scope="session")
def kafka_bootstrap() -> str:
    """Empty: a folder that wants the event log on Kafka has a fixture of this name."""
    return ""


@pytest.fixture(scope="session")
def stack(
    postgres: PostgresServer, redis: RedisServer, kafka_bootstrap: str
) -> Iterator[Background]:
    settings = {
        "PLACARD_DATABASE_URL": postgres.new_database(),
        "PLACARD_REDIS_URL": redis.url,
        "PLACARD_KAFKA_BOOTSTRAP_SERVERS": kafka_bootstrap,
        "PLACARD_NAMESPACE": NAMESPACE,
        "PLACARD_MANAGEMENT_PER_KEY_S": "200",
        "PLACARD_SPOOL_MAX_BYTES": str(SPOOL_MAX_BYTES),
        "PLACARD_SPOOL_RETENTION_SHARE": RETENTION_SHARE,
        "PLACARD_RECONCILE_EVERY_S": "1",
        "PLACARD_RECONCILE_POLL_S": "0.5",
    }
    yield from until_the_group_ends(running_stack(settings))


@pytest_asyncio.fixture(scope="session")
async def customer(stack: Background) -> AsyncIterator[Customer]:
    """Signed up, set up, and verified by the operator's hand."""
    async with http_client() as http:
        customer = await Customer.sign_up(stack.demo, http)
        await customer.set_up()
        verify(stack, email=customer.email, property_id=customer.property_id)
        yield customer


@pytest.fixture
async def traffic(stack: Background, customer: Customer) -> Traffic:
    return await Traffic.start(stack, customer)
