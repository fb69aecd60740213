"""The servers of a test session: each is started once, when a test first asks for it."""

import asyncio
import gc
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import hypothesis
import pytest
import structlog
import uvloop

from tests.support.compiled_c import MODE  # isort: skip
from tests.support.clickhouse import ClickHouseServer
from tests.support.control_api import DatabaseTemplate
from tests.support.redis_servers import ClusterOfRedis, started_cluster
from tests.support.servers import (
    KafkaServer,
    PostgresServer,
    RedisServer,
    server_folders,
    started,
    until_the_group_ends,
)

# Where nothing configured it, structlog prints tracebacks with all local variables, which takes seconds.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        ),
    ]
)

# As the programs do.
asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())

assert MODE, "imported first: `common` reads PLACARD_COMPILED when it is imported"

# A machine may be busy: no example fails for the time that it takes.
hypothesis.settings.register_profile("placard", hypothesis.settings.default, deadline=None)
hypothesis.settings.load_profile("placard")
# For `make test-for`: a failure is reported as it was found, because to simplify it may take minutes.
hypothesis.settings.register_profile(
    "as_found",
    hypothesis.settings.default,
    phases=(hypothesis.Phase.explicit, hypothesis.Phase.reuse, hypothesis.Phase.generate),
)

pytest_plugins = [
    "tests.support.stack_fixtures",
    "tests.support.browser",
    "tests.support.failures",
    "tests.support.groups",
    "tests.support.budgets",
]


def pytest_configure() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    """What was imported and collected lives as long as the process: the garbage collector need not visit it at all."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)
    gc.enable()


@pytest.fixture(scope="session")
def servers_folder() -> Iterator[Path]:
    """A short folder, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="pl-", dir=server_folders()))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_server(servers_folder: Path) -> Iterator[PostgresServer]:
    with started(PostgresServer(servers_folder / "postgres")) as server:
        yield server


@pytest.fixture(scope="session")
def migrated(postgres_server: PostgresServer) -> DatabaseTemplate:
    return DatabaseTemplate(postgres_server)


@pytest.fixture(scope="session")
def redis_server(servers_folder: Path) -> Iterator[RedisServer]:
    with started(RedisServer(servers_folder / "redis")) as server:
        yield server


@pytest.fixture(scope="session")
def redis_cluster(servers_folder: Path) -> Iterator[ClusterOfRedis]:
    with started_cluster(servers_folder / "redis-cluster") as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kafka(servers_folder: Path) -> Iterator[KafkaServer]:
    yield from until_the_group_ends(started(KafkaServer(servers_folder / "kafka")))


@pytest.fixture(scope="session")
def clickhouse(servers_folder: Path) -> Iterator[ClickHouseServer]:
    server = ClickHouseServer(servers_folder / "clickhouse")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def namespace() -> str:
    """A prefix for keys and topics that no other test uses."""
    return f"t{uuid4().hex[:12]}"
