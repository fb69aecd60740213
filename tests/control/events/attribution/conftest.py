"""A database of its own for each test: the job takes whatever is due, whosever it is."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from control.adapters.local_assets import LocalAssets
from control.api.context import ControlContext
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import UploadLinks
from control.storage.database import Database
from tests.control.events.attribution.scene import Scene
from tests.control.events.ingest.world import Edge, World
from tests.support.builders import KEY_RING
from tests.support.control_api import DatabaseTemplate


@pytest.fixture
async def scene(migrated: DatabaseTemplate, tmp_path: Path) -> AsyncIterator[Scene]:
    database = Database(migrated.new_database(), pool_size=5)
    world = await World(database).open()
    settings = ControlSettings(
        database_url="postgresql://unused",
        redis_url="redis://unused",
        key_file=Path("unused"),
        control_url="http://unused",
        edge_live_url="http://unused",
        edge_test_url="http://unused",
    )
    control = ControlContext(
        settings=settings,
        clock=world.clock,
        database=database,
        keys=KEY_RING,
        assets=LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://unused")),
    )
    yield Scene(control, world, Edge(world))
    await database.close()
