"""A migrated database a session, a copy of it and an API on it a module."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.control_api import ControlApi, DatabaseTemplate, Person, running_control
from tests.support.servers import PostgresServer


@pytest.fixture(scope="session")
def migrated(postgres_server: PostgresServer) -> DatabaseTemplate:
    return DatabaseTemplate(postgres_server)


@pytest.fixture(scope="module")
def database_url(migrated: DatabaseTemplate) -> str:
    """A fresh database at the newest schema."""
    return migrated.new_database()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def api(database_url: str, servers_folder: Path) -> AsyncIterator[ControlApi]:
    async with running_control(database_url, servers_folder) as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def owner(api: ControlApi) -> Person:
    """Somebody with an account, signed in."""
    return await api.sign_up()
