"""A world a test, on the module's API."""

import pytest_asyncio

from tests.control.reporting.decision_log.world import World
from tests.support.control_api import ControlApi


@pytest_asyncio.fixture(loop_scope="session")
async def world(api: ControlApi) -> World:
    return await World.open(api)
