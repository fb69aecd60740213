"""Servers that a module may kill, freeze and empty, a stack on them, and a customer of it."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from deploy.standalone.background import Background, running_stack
from tests.e2e.customer import Customer
from tests.support.servers import PostgresServer, RedisServer, server_folders

NAMESPACE = "faults"
SPOOL_MAX_BYTES = 300_000
"""So little that a test can fill it, and enough for all that the other tests spool."""


@pytest.fixture(scope="module")
def own_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="pl-", dir=server_folders()))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def postgres(own_folder: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(own_folder / "postgres")
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def redis(own_folder: Path) -> Iterator[RedisServer]:
    server = RedisServer(own_folder / "redis")
    try:
        server.start()
        yield server
    finally:
        server.thaw()
        server.stop()


@pytest.fixture(scope="module")
def kafka_bootstrap() -> str:
    """None: a module that wants the event log on Kafka has a fixture of this name."""
    return ""


@pytest.fixture(scope="module")
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
        "PLACARD_RECONCILE_EVERY_S": "1",
        "PLACARD_RECONCILE_POLL_S": "0.5",
    }
    with running_stack(settings) as running:
        yield running


@pytest_asyncio.fixture(scope="module")
async def customer(stack: Background) -> AsyncIterator[Customer]:
    """Signed up, set up, and verified by the operator's hand."""
    async with httpx.AsyncClient(timeout=20) as http:
        customer = await Customer.sign_up(stack.demo, http)
        await customer.set_up()
        assert stack.admin("verify-address", "--email", customer.email) == 0
        assert stack.admin("verify-property", "--property", customer.property_id) == 0
        yield customer
