"""A signed-in person with a property whose events and decisions the tests make, and a reader of reports."""

import pytest

from tests.control.events.events_api.reader import Reader
from tests.support.control_api import ControlApi, Person
from tests.support.person_world import edge, person, world

__all__ = ["edge", "person", "world"]


@pytest.fixture
def reader(api: ControlApi, person: Person) -> Reader:
    return Reader(api, person.headers)
