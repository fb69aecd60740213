"""A database of its own for each test: a pass looks at every writer there is."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from common.tracking.reconcile import ReplayRequest, Retained
from common.values.errors import Unavailable
from common.values.messages import Message
from control.adapters.local_assets import LocalAssets
from control.api.context import ControlContext
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import UploadLinks
from control.storage.database import Database
from tests.control.events.ingest.world import Edge, World
from tests.support.builders import KEY_RING
from tests.support.control_api import DatabaseTemplate


@dataclass
class FakeMailbox:
    """What was asked for last, and what machines say."""

    asked: dict[str, ReplayRequest] = field(default_factory=dict)
    on_disk: dict[str, Retained] = field(default_factory=dict)
    away: bool = False

    async def request_replay(self, wanted: Mapping[str, ReplayRequest]) -> None:
        self._check()
        self.asked = dict(wanted)

    async def retained(self) -> Mapping[str, Retained]:
        self._check()
        return self.on_disk

    async def close(self) -> None:
        self.away = True

    def _check(self) -> None:
        if self.away:
            raise Unavailable(Message("Redis is away."))


@pytest.fixture
async def database(migrated: DatabaseTemplate) -> AsyncIterator[Database]:
    found = Database(migrated.new_database(), pool_size=5)
    yield found
    await found.close()


@pytest.fixture
async def world(database: Database) -> World:
    return await World(database).open()


@pytest.fixture
def edge(world: World) -> Edge:
    return Edge(world)


@pytest.fixture
def mailbox() -> FakeMailbox:
    return FakeMailbox()


@pytest.fixture
def control(world: World, mailbox: FakeMailbox, tmp_path: Path) -> ControlContext:
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
        clock=world.clock,
        database=world.database,
        keys=KEY_RING,
        assets=LocalAssets(tmp_path, UploadLinks(KEY_RING, "http://unused")),
        replay_mailbox=mailbox,
    )
