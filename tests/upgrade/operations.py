"""
Every operation of the management API, on two builds at once: what one made, the other is asked about. Requests are
those that the older build describes.
"""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import httpx

from common.contract.operation import Operation
from common.values.environment import Environment
from control.foundation.settings import ControlSettings
from control.processes.app import OPERATIONS
from control.wiring import open_control
from tests.control.matrix_registry import Maker, exceptions, places_of, query_of, things
from tests.control.matrix_world import World, body_naming
from tests.e2e.customer import Customer
from tests.fleet.fleet import Fleet
from tests.support.control_api import ControlApi

_LAST = (
    "revokeIntegrationKey",
    "stopAccount",
    "resumeAccount",
    "removeMember",
    "leaveAccount",
    "revokeOtherSessions",
    "revokeSession",
    "changePassword",
    "closeAccount",
    "deleteMe",
    "signOut",
)
"""They may end the caller's access, so they are called after all others, in this order."""
_ENDING = ("archive", "reject", "revoke", "cancel")
_FAULT = 500


@dataclass(frozen=True, slots=True)
class Compared:
    """``statuses``: how often each was answered. ``faults``: 5xx, and calls that two builds answer differently."""

    operations: int
    statuses: Counter[int]
    faults: list[str]


async def compare(fleet: Fleet, older: str, newer: str) -> Compared:
    """*older*, *newer*: URLs of an API process of each build."""
    async with _api(fleet, older) as old, _api(fleet, newer) as new:
        document = (await old.http.get("/v1/openapi.json")).json()
        of_old, of_new = await _make_world(old), await _make_world(new)
        by_new = await _call_all(replace(of_old, api=new), _list_operations(document))
        by_old = await _call_all(replace(of_new, api=old), _list_operations(document))
    faults = [
        f"{name}: {by_old[name].status_code} by the older build, {answer.status_code} by this one:"
        f" {by_old[name].text[:300]} | {answer.text[:300]}"
        for name, answer in by_new.items()
        if not _agree(by_old[name].status_code, answer.status_code)
    ]
    statuses = Counter(one.status_code for one in (*by_old.values(), *by_new.values()))
    return Compared(len(by_new), statuses, faults)


async def read_all(customer: Customer) -> list[str]:
    """Every list and every other object without an id, as *customer*: a sentence for each 5xx."""
    found = []
    for one in OPERATIONS:
        if one.method == "GET" and not one.path_params and one.id not in exceptions("endless"):
            answer = await customer.ask("GET", f"{one.path}?{urlencode(_query(one))}")
            if answer.status_code >= _FAULT:
                found.append(f"{one.id}: {answer.status_code} {answer.text[:300]}")
    return found


def _agree(first: int, second: int) -> bool:
    return first == second < _FAULT


def _list_operations(document: dict[str, Any]) -> list[Operation]:
    """Those that the older build has, with its examples."""
    described = {
        item["operationId"]: item
        for methods in document["paths"].values()
        for item in methods.values()
    }
    found = [
        replace(one, body_example=_example(described[one.id]))
        for one in OPERATIONS
        if one.id in described and one.id not in exceptions("endless")
    ]
    return sorted(found, key=_call_order)


def _call_order(operation: Operation) -> tuple[int, int]:
    """Reads first, then changes by PATCH, then actions: those that end an object after those that need it."""
    if operation.id in _LAST:
        return 4, _LAST.index(operation.id)
    if operation.method == "POST" and not operation.id.startswith(_ENDING):
        return 2, 0
    return {"GET": 0, "PATCH": 1}.get(operation.method, 3), 0


def _example(item: dict[str, Any]) -> Any:
    content = item.get("requestBody", {}).get("content", {})
    example = content.get("application/json", {}).get("example")
    if (
        example and "email" in example
    ):  # only one account has an address, which gets few mails a day
        return {**example, "email": f"{uuid4().hex}@people.example"}
    return example


@asynccontextmanager
async def _api(fleet: Fleet, url: str) -> AsyncIterator[ControlApi]:
    async with (
        open_control(_settings(fleet)) as control,
        httpx.AsyncClient(base_url=url, timeout=30) as http,
    ):
        yield ControlApi(control, http, 0)


def _settings(fleet: Fleet) -> ControlSettings:
    given: dict[str, Any] = {
        name.removeprefix("PLACARD_").lower(): value for name, value in fleet.environment.items()
    }
    fields = ControlSettings.model_fields
    known: dict[str, Any] = {name: value for name, value in given.items() if name in fields}
    return ControlSettings(**known)


async def _make_world(api: ControlApi) -> World:
    owner = await api.sign_up()
    maker = Maker(api, owner)
    for place in things():
        await maker.id_of(place)
    return World(api, owner, {**maker.ids, "propagation": "1"}, {}, {}, {}, "", "")


async def _call_all(world: World, operations: Sequence[Operation]) -> dict[str, httpx.Response]:
    """Each as the owner."""
    return {one.id: await _call(world, one) for one in operations}


async def _call(world: World, operation: Operation) -> httpx.Response:
    """A good call, with the version that its object has now."""
    http, headers = world.api.http, world.owner.headers
    places = places_of(operation).items()
    path = operation.path.format(**{name: world.objects[place] for name, place in places})
    if operation.needs_version:
        found = await http.get(path, headers=headers)
        headers = {**headers, "If-Match": str(found.json()["version"])}
    body = body_naming(operation, world.objects)
    if body is not None:
        headers = {**headers, "Content-Type": "application/json"}
    query = _query(operation)
    return await http.request(operation.method, path, headers=headers, params=query, content=body)


def _query(operation: Operation) -> dict[str, str]:
    found = query_of(operation)
    if operation.query and "environment" in operation.query.model_fields:
        found["environment"] = Environment.LIVE
    return found
