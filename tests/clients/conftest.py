"""A page of a publisher in a real browser, before a real edge."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from tests.clients.publisher import Publisher, publishing


@pytest.fixture
async def publisher(chromium: Browser) -> AsyncIterator[Publisher]:
    async with publishing(chromium) as made:
        yield made
