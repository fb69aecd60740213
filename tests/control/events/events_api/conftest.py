"""A signed-in person with a property whose events the tests make, and a reader of the feed."""

import pytest

from common.values.environment import Environment
from common.values.keys import KeyKind
from tests.control.events.events_api.reader import Reader
from tests.control.events.ingest.world import World
from tests.support.control_api import ControlApi, MadeKey, Person
from tests.support.person_world import edge, person, world

__all__ = ["edge", "person", "world"]


@pytest.fixture
def reader(api: ControlApi, person: Person) -> Reader:
    return Reader(api, person.headers)


@pytest.fixture
async def key(api: ControlApi, person: Person, world: World) -> MadeKey:
    return await api.add_key(
        person, KeyKind.INTEGRATION, Environment.LIVE, property_id=world.property_id
    )
