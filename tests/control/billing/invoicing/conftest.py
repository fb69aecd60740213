"""A ledger of one's own with a clock that stands still, and the context that jobs run in."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from control.adapters.local_assets import LocalAssets
from control.api.context import ControlContext
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import UploadLinks
from control.storage.database import Database
from tests.control.billing.ledger.world import KEY_RING, Money
from tests.support.control_api import DatabaseTemplate


@pytest.fixture
async def money(migrated: DatabaseTemplate) -> AsyncIterator[Money]:
    """Alone in its database: jobs look at every account."""
    database = Database(migrated.new_database())
    made = Money(database)
    await made.open()
    yield made
    await database.close()


@pytest.fixture
def control(money: Money) -> ControlContext:
    settings = ControlSettings(
        database_url="postgresql://unused",
        redis_url="redis://unused",
        key_file=Path("unused"),
        control_url="http://unused",
        edge_live_url="http://unused",
        edge_test_url="http://unused",
    )
    return ControlContext(
        settings=settings,
        clock=money.clock,
        database=money.database,
        keys=KEY_RING,
        assets=LocalAssets(Path("unused"), UploadLinks(KEY_RING, "http://unused")),
    )
