"""`control publish` while Redis and PostgreSQL are killed under it; servers of its own, for they die."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from common.service.channels import Channels
from common.snapshot.digest import state_digest, to_text
from common.snapshot.messages import FullState
from common.values.environment import Environment
from common.values.errors import Unavailable
from control.storage.database import Database
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.ports import SnapshotSourceUnavailable
from tests.control.delivery.snapshot_publishing.processes import Running, running
from tests.control.delivery.snapshot_publishing.waiting import until_async
from tests.control.delivery.snapshot_publishing.world import World
from tests.support.control_api import DatabaseTemplate
from tests.support.servers import PostgresServer, RedisServer

Question = Callable[[], Awaitable[bool]]


@dataclass(frozen=True)
class Scene:
    postgres: PostgresServer
    redis: RedisServer
    world: World
    publish: Running
    edge: RedisSnapshotSource

    async def until_edges_can_load(self, version: int) -> FullState:
        """The head is *version*, and the full state with its deltas leads there."""
        found: list[FullState] = []

        async def can_load() -> bool:
            try:
                head, full = await self.edge.head(), await self.edge.full()
                if head is None or full is None or head.version != version:
                    return False
                found[:] = [full]
                return await self.edge.deltas(full.version, version) is not None
            except SnapshotSourceUnavailable:
                return False

        await until_async(can_load)
        assert to_text(state_digest(found[0].entries)) == found[0].digest
        return found[0]


@pytest.fixture(scope="module")
def own_postgres(servers_folder: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(servers_folder / "publish-postgres")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def template(own_postgres: PostgresServer) -> DatabaseTemplate:
    return DatabaseTemplate(own_postgres)


@pytest.fixture
def own_redis(servers_folder: Path) -> Iterator[RedisServer]:
    server = RedisServer(servers_folder / "publish-redis")
    server.start()
    yield server
    server.stop()


@pytest_asyncio.fixture
async def scene(
    own_postgres: PostgresServer,
    template: DatabaseTemplate,
    own_redis: RedisServer,
    settings: dict[str, str],
    namespace: str,
) -> AsyncIterator[Scene]:
    url = template.new_database()
    database = Database(url, pool_size=2)
    edge = RedisSnapshotSource(own_redis.url, Channels(namespace), Environment.TEST)
    servers = {"PLACARD_DATABASE_URL": url, "PLACARD_REDIS_URL": own_redis.url}
    world = await World.make(database)
    async with running("publish", settings | servers) as publish:
        scene = Scene(own_postgres, own_redis, world, publish, edge)
        await scene.until_edges_can_load(1)
        yield scene
    await edge.close()
    await database.close()


async def test_a_redis_that_came_back_empty_is_filled(scene: Scene) -> None:
    scene.world.slot.floor_cents = 71
    await scene.world.save(scene.world.slot)
    await scene.until_edges_can_load(2)
    scene.redis.kill()
    scene.redis.wipe()
    scene.redis.start()
    full = await scene.until_edges_can_load(2)
    assert full.version == 2


async def test_changes_committed_while_redis_was_frozen_arrive(scene: Scene) -> None:
    scene.redis.freeze()
    for floor in (72, 73, 74):
        scene.world.slot.floor_cents = floor
        await scene.world.save(scene.world.slot)
    scene.redis.thaw()
    await scene.until_edges_can_load(4)


async def test_publish_leads_again_when_postgres_comes_back(scene: Scene) -> None:
    scene.postgres.kill()
    await until_async(_not_ready(scene.publish))
    scene.postgres.start()
    await scene.publish.until_leading()
    scene.world.slot.floor_cents = 75
    await until_async(_saved(scene.world))
    await scene.until_edges_can_load(2)


def _not_ready(publish: Running) -> Question:
    async def ask() -> bool:
        return (await publish.says("/readyz"))[0] == 503

    return ask


def _saved(world: World) -> Question:
    async def ask() -> bool:
        try:
            return await world.save(world.slot) is not None
        except Unavailable:  # the test's own connections died, too
            return False

    return ask
