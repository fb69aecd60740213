"""A database of its own for each test: what ads meet anywhere is what others learn from."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from common.values.clock import FixedClock
from control.adapters.local_assets import LocalAssets
from control.api.context import ControlContext
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import UploadLinks
from control.storage.database import Database
from tests.control.delivery.rate_learning.world import Market
from tests.support.builders import KEY_RING, NOW_MS
from tests.support.control_api import DatabaseTemplate

HALF_LIFE_S = 3600.0


@pytest.fixture
async def database(migrated: DatabaseTemplate) -> AsyncIterator[Database]:
    found = Database(migrated.new_database(), pool_size=5)
    yield found
    await found.close()


@pytest.fixture
def control(database: Database, tmp_path: Path) -> ControlContext:
    settings = ControlSettings(
        database_url="postgresql://unused",
        redis_url="redis://unused",
        key_file=Path("unused"),
        control_url="http://unused",
        edge_live_url="http://unused",
        edge_test_url="http://unused",
        learning_half_life_s=HALF_LIFE_S,
    )
    return ControlContext(
        settings=settings,
        clock=FixedClock(NOW_MS),
        database=database,
        keys=KEY_RING,
        assets=LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://unused")),
    )


@pytest.fixture
async def market(control: ControlContext) -> Market:
    return await Market.make(control)
