"""A copy of the migrated database and an API on it, for each module."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.control_api import ControlApi, DatabaseTemplate, Person, running_control


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
