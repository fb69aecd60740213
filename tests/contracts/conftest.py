"""Servers that a test of a port may freeze or kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import KafkaServer, started


@pytest.fixture
def own_kafka(tmp_path: Path) -> Iterator[KafkaServer]:
    """For a test that freezes it: for a moment after `thaw`, a broker is not listed, which other tests would see."""
    with started(KafkaServer(tmp_path / "kafka")) as server:
        yield server
