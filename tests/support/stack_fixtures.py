"""
A whole stack and a customer of it: once on Redis Streams, once on Kafka, on the session's servers. Browsers walk
through the one on Redis Streams alone, because what they see is the same.
"""

from collections.abc import AsyncIterator, Iterator
from uuid import uuid4

import pytest
import pytest_asyncio

from deploy.standalone.background import Background, running_stack
from tests.e2e.customer import Customer
from tests.support.control_api import DatabaseTemplate
from tests.support.http_client import http_client
from tests.support.servers import KafkaServer, RedisServer, until_the_group_ends
from tests.support.stack_admin import verify


@pytest.fixture(scope="session")
def streams_stack(migrated: DatabaseTemplate, redis_server: RedisServer) -> Iterator[Background]:
    yield from until_the_group_ends(running_stack(_settings(migrated, redis_server)))


@pytest.fixture(scope="session", params=["redis-streams", "kafka"])
def stack(
    request: pytest.FixtureRequest, migrated: DatabaseTemplate, redis_server: RedisServer
) -> Iterator[Background]:
    if request.param == "redis-streams":
        yield request.getfixturevalue("streams_stack")
        return
    broker: KafkaServer = request.getfixturevalue("kafka")
    settings = _settings(migrated, redis_server)
    settings["PLACARD_KAFKA_BOOTSTRAP_SERVERS"] = broker.bootstrap
    yield from until_the_group_ends(running_stack(settings))


@pytest_asyncio.fixture(scope="session")
async def customer(stack: Background) -> AsyncIterator[Customer]:
    """Signed up, set up, and verified by the operator's hand, the address too."""
    async with http_client() as http:
        customer = await Customer.sign_up(stack.demo, http)
        await customer.set_up()
        verify(stack, email=customer.email, property_id=customer.property_id)
        yield customer


def _settings(migrated: DatabaseTemplate, redis_server: RedisServer) -> dict[str, str]:
    return {
        "PLACARD_DATABASE_URL": migrated.new_database(),
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": f"e2e{uuid4().hex[:8]}",
        "PLACARD_MANAGEMENT_PER_KEY_S": "200",
        "PLACARD_PROXIES_COUNT": "1",
    }
