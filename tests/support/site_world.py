"""Fixtures: a signed-in person with a property that the API made, whose events the tests make, and their dashboard."""

from collections.abc import AsyncIterator

import pytest

from common.values.clock import FixedClock
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import ControlApi, Person
from tests.support.moved_clock import MovedClock
from tests.support.visitor import Visitor, visiting

__all__ = ["edge", "person", "visitor", "world"]


@pytest.fixture
async def person(api: ControlApi) -> Person:
    return await api.sign_up()


@pytest.fixture
async def world(api: ControlApi, person: Person, stopped_clock: MovedClock) -> World:
    """The person's account, with a property that has events now. Time stands, so that no page is of another day."""
    world = World(api.control.database, FixedClock(stopped_clock.now_ms()))
    world.account_id = person.account_id
    world.property_id = await api.add_property(person)
    return world


@pytest.fixture
def edge(world: World) -> Edge:
    return Edge(world)


@pytest.fixture
async def visitor(api: ControlApi, person: Person) -> AsyncIterator[Visitor]:
    """*person* at the dashboard, with a browser that runs no scripts."""
    async with visiting(api, person) as visitor:
        yield visitor
