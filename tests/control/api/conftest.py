"""The little app of these tests, on the module's database."""

from collections.abc import AsyncIterator

import pytest_asyncio

from tests.control.api.little_app import LittleApi, little_app
from tests.support.control_api import ControlApi
from tests.support.http_client import http_client
from tests.support.raw_http import listening


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def little(api: ControlApi) -> AsyncIterator[LittleApi]:
    async with listening(little_app(api.control)) as listener:
        url = f"http://127.0.0.1:{listener.port}"
        async with http_client(base_url=url) as http:
            yield LittleApi(http, listener.port)
