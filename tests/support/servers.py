"""Real servers for tests, started by the same code as `make run`, in a folder of their own."""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from itertools import count
from pathlib import Path
from typing import TypeVar

from deploy.standalone import server
from deploy.standalone.kafka import Kafka
from deploy.standalone.kafka_jars import fetch
from deploy.standalone.postgres import Postgres
from deploy.standalone.redis import Redis
from tests.support.one_at_a_time import one_at_a_time

T = TypeVar("T")

started = server.started

_MEMORY = Path("/dev/shm")  # noqa: S108 - mkdtemp makes private folders in it
_MEMORY_NEEDED = 6 * 1024**3
"""Bytes: the databases of a whole session, and Kafka's log."""

# A killed process loses nothing that was written, synced or not; only a power cut would.
_FAST_POSTGRES = {"fsync": "off", "full_page_writes": "off"}


def server_folders() -> Path:
    """Where servers keep their data: in memory where there is room. A disk is slow to remove a hundred databases."""
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _MEMORY_NEEDED:
        return _MEMORY
    return Path("/tmp")  # noqa: S108 - as above


_RUNNING: list[ExitStack] = []


def until_the_group_ends(manager: AbstractContextManager[T]) -> Iterator[T]:
    """The body of a fixture that lasts as long as its group of tests, or else as its scope."""
    with ExitStack() as stack:
        _RUNNING.append(stack)
        yield stack.enter_context(manager)


def end_the_group() -> None:
    """Stops what runs, newest first. A later test of the same process would find it gone."""
    while _RUNNING:
        _RUNNING.pop().close()


class PostgresServer(Postgres):
    """Its `url` is the administrator's. `stop`, `kill`, `freeze`, `thaw`, `start` make faults."""

    def __init__(self, folder: Path, *, durable: bool = False, max_connections: int = 200) -> None:
        settings = {} if durable else _FAST_POSTGRES
        super().__init__(folder, {**settings, "max_connections": str(max_connections)})
        self._numbers = count(1)

    def new_database(self) -> str:
        """The URL of a fresh, empty database."""
        name = f"test_{next(self._numbers)}"
        self.query(f"CREATE DATABASE {name} STRATEGY file_copy")
        return self.database_url(name)


class RedisServer(Redis):
    """`kill`, then `wipe`, then `start` gives a Redis that came back empty."""


class KafkaServer(Kafka):
    """Clients find it at `bootstrap`, the same after `kill` and `start`. It makes no topics."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, report=print)

    def start(self) -> None:
        with one_at_a_time("kafka"):
            fetch(print)
        super().start()
