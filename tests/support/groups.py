"""
How a run of the suite is divided among processes. A group of tests runs in one process, in order, so that what its
tests share is started once. A file is a group, and so are the tests that share a broker or a running stack.
"""

from collections.abc import Iterator

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.support.servers import end_the_group

_SERVERS = {"postgres_server", "redis_server", "redis_cluster", "kafka", "chromium", "linters"}
"""Fixtures that start a server, a browser or Node."""
_STARTERS = (
    "tests/clients/",
    "tests/deploy/",
    "tests/docs/",
    "tests/e2e/",
    "tests/faults/",
    "tests/fleet/",
)
"""Folders whose tests start programs themselves."""
_CLASSES = {"PostgresServer", "RedisServer", "KafkaServer", "S3Server"}
"""Of the servers that a test file may start by itself, or by a fixture that it asks for by name."""
_CONTRACTS = "tests/contracts/"
"""Suites that every adapter of a port passes."""
_ON_THE_STACK = (
    "tests/e2e/",
    "tests/docs/test_readme.py",
    *(
        f"tests/clients/test_{name}.py"
        for name in ("python", "node", "go", "php", "command_line", "server_readmes")
    ),
)
"""All tests of the stack that a session shares. They are one group: the stack stops after it."""
_ON_THEIR_OWN_STACK = "tests/faults/streams/"
"""Tests of one stack that they break and mend."""
_STARTED_FIRST = (
    "tests/e2e",
    "tests/faults",
    "tests/docs",
    "tests/deploy",
    "tests/control/dashboard",
)
"""
The groups that take longest, and those that wait rather than compute. They come first, so that the processes end at
about the same time.
"""


def group_of(nodeid: str) -> str:
    """One process starts the broker, one the stack on Redis Streams."""
    file = nodeid.split("::", 1)[0]
    if "kafka" in nodeid:
        return "kafka"
    if file.startswith(_ON_THEIR_OWN_STACK):
        return _ON_THEIR_OWN_STACK
    if file.startswith(_ON_THE_STACK):
        return "e2e"
    return file


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc] # xdist has no types
    """Gives each process a group at a time, in the order of the collection."""

    def __init__(self, config: pytest.Config, log: object) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> GroupScheduling:
    return GroupScheduling(config, log)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """
    Marks each test that needs a server as `servers`, each that needs ClickHouse as `report_store`, and each of a port
    as `contracts`, before `-m` chooses among them.
    Raises `pytest.UsageError` if a test uses the shared stack or broker and is in no group of those that do.
    """
    for item in items:
        if _shares_the_stack(item) and not item.nodeid.startswith(_ON_THE_STACK):
            raise pytest.UsageError(f"{item.nodeid} uses the shared stack: add its file to groups")
        if "kafka" in getattr(item, "fixturenames", ()) and "kafka" not in item.nodeid:
            raise pytest.UsageError(f"{item.nodeid} uses the broker: name it so, for its group")
        if _needs_servers(item):
            item.add_marker("servers")
        if "clickhouse" in getattr(item, "fixturenames", ()):
            item.add_marker("report_store")
        if item.nodeid.startswith(_CONTRACTS):
            item.add_marker("contracts")
    yield
    if hasattr(config, "workerinput") and config.getoption("--stop-after") is None:
        items.sort(key=lambda item: not item.nodeid.startswith(_STARTED_FIRST))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """
    Stops the stacks and brokers of a group after its last test, where groups run as a whole. A stack that nobody uses
    would take a fifth of a core until the process ends.
    """
    if hasattr(item.config, "workerinput") and (
        nextitem is None or group_of(nextitem.nodeid) != group_of(item.nodeid)
    ):
        end_the_group()


def _needs_servers(item: pytest.Item) -> bool:
    return bool(
        _SERVERS.intersection(getattr(item, "fixturenames", ()))
        or _CLASSES.intersection(vars(getattr(item, "module", None) or object))
        or item.nodeid.startswith(_STARTERS)
    )


def _shares_the_stack(item: pytest.Item) -> bool:
    fixtures = item._fixtureinfo.name2fixturedefs if isinstance(item, pytest.Function) else {}
    return "stack" in fixtures and not fixtures["stack"][-1].baseid
