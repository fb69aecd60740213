"""
What the matrix knows of each resource: a file a resource in `matrix_rooms`, found by itself.

A new resource adds its own file with ``ROOM`` and touches no other. An operation whose objects no room can make fails
the matrix with a message that says what to add.
"""

import importlib
import pkgutil
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson

from common.contract.operation import Operation
from control.processes.app import OPERATIONS
from tests.control import matrix_objects
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer

NAME = "A name that nobody else may read"
"""Give it to every object that has a name: no response to another account may contain it."""

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(slots=True)
class Maker:
    """The account's owner, making its objects: each once, when first asked for."""

    api: ControlApi
    owner: Person
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def customer(self) -> Customer:
        return Customer(self.api, self.owner)

    async def id_of(self, place: str) -> str:
        """The id of the object at *place*, as `Thing.place` names it."""
        if place not in self.ids:
            self.ids[place] = await things()[place].make(self)
        return self.ids[place]


@dataclass(frozen=True, slots=True)
class Thing:
    """
    An object that paths or bodies name. ``place``: the fixed segments before its path parameter, joined by ``/``:
    ``campaigns`` of ``/v1/campaigns/{id}/pause``, ``reports/exports`` of ``/v1/reports/exports/{id}``.

    ``example``: the id that stands for it in the description's examples, where bodies name it.
    """

    place: str
    make: Callable[[Maker], Awaitable[str]]
    """Its id, or whatever stands in the path; live, where it belongs to an environment."""
    example: str | None = None
    has_environment: bool = False
    """A key of the other environment, on the same property, does not find it."""


@dataclass(frozen=True, slots=True)
class Room:
    """One resource. The sets hold operation ids, and are the reviewed exceptions of the matrix."""

    things: tuple[Thing, ...] = ()
    public: frozenset[str] = frozenset()
    """Nobody is asked for a key."""
    for_everyone: frozenset[str] = frozenset()
    """Any credential that its door takes will do: no permission is asked."""
    unversioned: frozenset[str] = frozenset()
    """A PATCH without `If-Match`: what it changes has no version."""
    unshown: frozenset[str] = frozenset()
    """Its answer has no example of its own: it has no JSON body."""
    endless: frozenset[str] = frozenset()
    """Its answer does not end by itself."""
    per_item: frozenset[str] = frozenset()
    """Takes many ids, and answers 2xx with a verdict for each."""
    in_between: frozenset[str] = frozenset()
    """Names an id in its body, and says nothing of whether it exists."""
    shared: frozenset[str] = frozenset()
    """What its path names is no object, and the same for everybody."""
    for_operators: frozenset[str] = frozenset()
    """A list that no role sees without an operator's account."""
    queries: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Operation id to the query parameters that it cannot do without; ``environment`` is added by itself."""
    example_ids: frozenset[str] = frozenset()
    """Ids in body examples that are the caller's own words, and name no object of ours."""


@cache
def rooms() -> tuple[Room, ...]:
    found = pkgutil.iter_modules(matrix_objects.__path__, f"{matrix_objects.__name__}.")
    return tuple(importlib.import_module(module.name).ROOM for module in found)


@cache
def things() -> dict[str, Thing]:
    return {thing.place: thing for room in rooms() for thing in room.things}


def exceptions(kind: str) -> frozenset[str]:
    """The union of one of a room's sets, like ``public``, over all rooms."""
    return frozenset[str]().union(*(getattr(room, kind) for room in rooms()))


def query_of(operation: Operation) -> dict[str, str]:
    given = [room.queries[operation.id] for room in rooms() if operation.id in room.queries]
    return dict(given[0]) if given else {}


def places_of(operation: Operation) -> dict[str, str]:
    """Path parameter to place."""
    found: dict[str, str] = {}
    fixed: list[str] = []
    for segment in operation.path.split("/")[2:]:
        name = segment.partition("{")[2].partition("}")[0]
        if name:
            found[name] = "/".join(fixed)
        else:
            fixed.append(segment)
    return found


def things_named(operation: Operation) -> list[Thing]:
    """What its path and its body's example name; places that no room makes are left out."""
    sent = _ids_in(operation.body_example)
    named = [things()[place] for place in places_of(operation).values() if place in things()]
    return named + [thing for thing in things().values() if thing.example in sent]


def unknown_objects(operations: Iterable[Operation] = OPERATIONS) -> list[str]:
    """A sentence for each object that no room can make, and each exception that excepts nothing."""
    listed = list(operations)
    known = {thing.example for thing in things().values()} | exceptions("example_ids")
    text = []
    for operation in listed:
        text += [
            f"{operation.id}: nobody makes what stands at `{place}`; add a Thing to "
            f"tests/control/matrix_objects/{place.split('/')[0].replace('-', '_')}.py"
            for place in places_of(operation).values()
            if place not in things() and operation.id not in exceptions("shared")
        ]
        text += [
            f"{operation.id}: its body's example names {found}; give a Thing that example, "
            "or list it in `example_ids`"
            for found in sorted(_ids_in(operation.body_example) - known)
        ]
    ids = {operation.id for operation in listed}
    kinds = (
        "public",
        "for_everyone",
        "unversioned",
        "unshown",
        "endless",
        "per_item",
        "in_between",
        "shared",
        "for_operators",
    )
    excepted = {name for kind in kinds for name in exceptions(kind)}
    excepted |= {name for room in rooms() for name in room.queries}
    return text + [f"{name}: excepted, but no operation" for name in sorted(excepted - ids)]


def _ids_in(example: Any) -> set[str]:
    return set(_UUID.findall(orjson.dumps(example).decode()))
