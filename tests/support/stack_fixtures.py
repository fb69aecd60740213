"""
A whole stack and a customer of it: once on Redis Streams, once on Kafka, on the session's servers. Browsers walk
through one that is on Redis Streams alone, for what they see is the same.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from deploy.standalone.background import Background, running_stack
from tests.e2e.customer import Customer
from tests.support.control_api import DatabaseTemplate
from tests.support.servers import KafkaServer, RedisServer

_RUNNING: list[ExitStack] = []


@pytest.fixture(scope="session", params=["redis-streams", "kafka"])
def stack(
    request: pytest.FixtureRequest, migrated: DatabaseTemplate, redis_server: RedisServer
) -> Iterator[Background]:
    settings = _settings(migrated, redis_server)
    settings["PLACARD_PROXIES_COUNT"] = "1"
    if request.param == "kafka":
        broker: KafkaServer = request.getfixturevalue("kafka")
        settings["PLACARD_KAFKA_BOOTSTRAP_SERVERS"] = broker.bootstrap
    yield from _running(settings)


@pytest.fixture(scope="session")
def journey_stack(migrated: DatabaseTemplate, redis_server: RedisServer) -> Iterator[Background]:
    yield from _running(_settings(migrated, redis_server))


@pytest_asyncio.fixture(scope="session")
async def customer(stack: Background) -> AsyncIterator[Customer]:
    """Signed up, set up, and verified by the operator's hand, the address too."""
    async with httpx.AsyncClient(timeout=10) as http:
        customer = await Customer.sign_up(stack.demo, http)
        await customer.set_up()
        assert stack.admin("verify-address", "--email", customer.email) == 0
        assert stack.admin("verify-property", "--property", customer.property_id) == 0
        yield customer


def stop_stacks() -> None:
    """Stops the stacks that run. A later test of the same process would find its stack gone."""
    while _RUNNING:
        _RUNNING.pop().close()


def _running(settings: dict[str, str]) -> Iterator[Background]:
    with ExitStack() as stack:
        _RUNNING.append(stack)
        yield stack.enter_context(running_stack(settings))


def _settings(migrated: DatabaseTemplate, redis_server: RedisServer) -> dict[str, str]:
    return {
        "PLACARD_DATABASE_URL": migrated.new_database(),
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": f"e2e{uuid4().hex[:8]}",
        "PLACARD_MANAGEMENT_PER_KEY_S": "200",
    }
