"""The edges that the tests of the serve cache share."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.support.edge_pair import EdgePair, edge_pair


@pytest_asyncio.fixture(scope="module")
async def pair(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgePair]:
    async with edge_pair(tmp_path_factory.mktemp("geo")) as made:
        yield made
