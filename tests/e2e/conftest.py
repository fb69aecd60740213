"""A whole stack for the end-to-end tests: once on Redis Streams, once on Kafka, on the session's servers."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from deploy.standalone.background import Background, running_stack
from tests.support.servers import KafkaServer, PostgresServer, RedisServer


@pytest.fixture(scope="session", params=["redis-streams", "kafka"])
def stack(
    request: pytest.FixtureRequest, postgres_server: PostgresServer, redis_server: RedisServer
) -> Iterator[Background]:
    settings = {
        "PLACARD_DATABASE_URL": postgres_server.new_database(),
        "PLACARD_REDIS_URL": redis_server.url,
        "PLACARD_NAMESPACE": f"e2e{uuid4().hex[:8]}",
        "PLACARD_MANAGEMENT_PER_KEY_S": "200",
    }
    if request.param == "kafka":
        broker: KafkaServer = request.getfixturevalue("kafka")
        settings["PLACARD_KAFKA"] = broker.bootstrap
    with running_stack(settings) as running:
        yield running
