"""Fixtures: a signed-in person with a property whose events the tests make."""

import pytest

from common.values.clock import FixedClock
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import ControlApi, Person
from tests.support.moved_clock import MovedClock


@pytest.fixture
async def person(api: ControlApi) -> Person:
    return await api.sign_up()


@pytest.fixture
async def world(api: ControlApi, person: Person) -> World:
    """The person's account, with a property that has events now, in the present hour."""
    world = World(api.control.database, FixedClock(MovedClock(stands=True).now_ms()))
    world.account_id = person.account_id
    await world.add_property(world.property_id)
    return world


@pytest.fixture
def edge(world: World) -> Edge:
    return Edge(world)
