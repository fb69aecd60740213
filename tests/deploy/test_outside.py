"""A missing external server gives one message: which, where, what to do."""

import pytest

from deploy.standalone.errors import StartError
from deploy.standalone.outside import check_database, check_kafka, check_redis
from deploy.standalone.sockets import find_free_ports
from tests.support.redis_servers import ClusterOfRedis
from tests.support.servers import KafkaServer, PostgresServer, RedisServer


def test_a_missing_database_is_named_without_its_password() -> None:
    (port,) = find_free_ports(1)
    with pytest.raises(StartError) as caught:
        check_database(f"postgresql://me:hush@127.0.0.1:{port}/placard")
    message = str(caught.value)
    assert f"127.0.0.1:{port}" in message
    assert "PLACARD_DATABASE_URL" in message
    assert "hush" not in message


@pytest.mark.parametrize("url", ["nonsense", "redis://127.0.0.1:1/0"])
def test_a_missing_redis_is_named(url: str) -> None:
    with pytest.raises(StartError, match=rf"(?s){url}.*PLACARD_REDIS_URL"):
        check_redis(url)


def test_a_missing_broker_is_named() -> None:
    (port,) = find_free_ports(1)
    with pytest.raises(
        StartError, match=rf"(?s)127\.0\.0\.1:{port}.*PLACARD_KAFKA_BOOTSTRAP_SERVERS"
    ):
        check_kafka(f"127.0.0.1:{port}")


def test_postgresql_redis_and_kafka_that_answer_are_accepted(
    postgres_server: PostgresServer,
    redis_server: RedisServer,
    redis_cluster: ClusterOfRedis,
    kafka: KafkaServer,
) -> None:
    check_database(postgres_server.url.replace("postgresql:", "postgresql+asyncpg:"))
    check_redis(redis_server.url)
    check_redis(redis_cluster.url)
    check_kafka(kafka.bootstrap)
