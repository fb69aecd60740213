"""A copy of the migrated database and an API on it, for each module."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.control_api import ControlApi, DatabaseTemplate, Person, running_control
from tests.support.moved_clock import MovedClock


@pytest.fixture(scope="module")
def database_url(migrated: DatabaseTemplate) -> Iterator[str]:
    """A fresh database at the newest schema."""
    url = migrated.new_database()
    yield url
    migrated.drop(url)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def api(database_url: str, servers_folder: Path) -> AsyncIterator[ControlApi]:
    async with running_control(database_url, servers_folder) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def owner(api: ControlApi) -> Person:
    """Somebody with an account, signed in."""
    return await api.sign_up()


@pytest.fixture
def clock(api: ControlApi) -> Iterator[MovedClock]:
    """The API's clock during the test: the machine's, which the test may move."""
    yield from _replaced(api, MovedClock())


@pytest.fixture
def stopped_clock(api: ControlApi) -> Iterator[MovedClock]:
    """The API's clock during the test, stopped, so that no hour or day ends before the test does."""
    yield from _replaced(api, MovedClock(stands=True))


def _replaced(api: ControlApi, clock: MovedClock) -> Iterator[MovedClock]:
    before, api.control.clock = api.control.clock, clock
    yield clock
    api.control.clock = before
