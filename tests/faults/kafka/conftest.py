"""One stack with its event log on a Kafka that tests may kill and freeze, for all tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.stack import customer, own_folder, postgres, redis, stack, traffic
from tests.support.servers import KafkaServer, started, until_the_group_ends

__all__ = ["customer", "own_folder", "postgres", "redis", "stack", "traffic"]


@pytest.fixture(scope="session")
def own_kafka(own_folder: Path) -> Iterator[KafkaServer]:
    yield from until_the_group_ends(started(KafkaServer(own_folder / "kafka")))


@pytest.fixture(scope="session")
def kafka_bootstrap(own_kafka: KafkaServer) -> str:
    return own_kafka.bootstrap
