"""The administrator's view of the module's database."""

from collections.abc import AsyncIterator

import pytest_asyncio

from control.storage.database import open_engine
from tests.control.proof.rows import Rows


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def rows(database_url: str) -> AsyncIterator[Rows]:
    engine = open_engine(database_url, None)
    yield Rows(engine)
    await engine.dispose()
