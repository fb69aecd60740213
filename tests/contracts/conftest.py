"""Servers of one test, which may freeze or kill them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import KafkaServer, RedisServer, started


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    with started(RedisServer(tmp_path / "redis")) as server:
        yield server


@pytest.fixture
def own_kafka(tmp_path: Path) -> Iterator[KafkaServer]:
    """A broker that was frozen for longer than its session is not listed for a moment, which other tests would see."""
    with started(KafkaServer(tmp_path / "kafka")) as server:
        yield server
