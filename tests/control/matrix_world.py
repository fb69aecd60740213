"""One account with an object of every kind, live, and who may knock for them: the rows and columns of the matrix."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import orjson

from common.contract.operation import Operation
from common.contract.permissions import SCOPES, Permission, Role
from common.values.environment import Environment
from tests.control.matrix_people import (
    LIVE,
    Outsider,
    key_of_demoted,
    key_of_removed,
    members,
    outsiders,
    refused_tokens,
)
from tests.control.matrix_registry import Maker, places_of, query_of, things, things_named
from tests.support.control_api import ControlApi, Person, bearer

_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class World:
    api: ControlApi
    owner: Person
    objects: dict[str, str]
    """Place (see `Thing`) to an id."""
    tokens: dict[str, str]
    """Credentials by name, none of which may come in everywhere."""
    outsiders: dict[str, Outsider]
    members: dict[Role, str]
    """An access token of each role but the owner's."""
    demoted_key: str
    removed_key: str

    async def call(
        self,
        operation: Operation,
        token: str,
        ids: dict[str, str],
        *,
        environment: Environment = LIVE,
    ) -> httpx.Response:
        """A good call, but for what *token* and *ids* make of it."""
        body = body_naming(operation, ids)
        return await self._send(operation, token, ids, body, environment)

    async def send(self, operation: Operation, token: str | None, body: Any) -> httpx.Response:
        """The owner's own objects, with this body."""
        return await self._send(operation, token, self.objects, orjson.dumps(body), LIVE)

    def body_of(self, operation: Operation) -> bytes:
        """The example's body, naming the owner's objects."""
        return body_naming(operation, self.objects) or b"{}"

    async def _send(
        self,
        operation: Operation,
        token: str | None,
        ids: dict[str, str],
        body: bytes | None,
        environment: Environment,
    ) -> httpx.Response:
        query = query_of(operation)
        if operation.query and "environment" in operation.query.model_fields:
            query["environment"] = environment
        path = operation.path.format(
            **{name: ids[place] for name, place in places_of(operation).items()}
        )
        headers = bearer(token) if token is not None else {}
        return await self.api.http.request(
            operation.method,
            path,
            headers={"If-Match": "1", **headers, **(_JSON if body else {})},
            params=query,
            content=body,
        )

    async def call_as(
        self, outsider: Outsider, operation: Operation, ids: dict[str, str]
    ) -> httpx.Response:
        """`call`, in the other account's own environment."""
        return await self.call(operation, outsider.token, ids, environment=outsider.environment)

    async def request_as(
        self, operation: Operation, token: str | None, query: str = ""
    ) -> httpx.Response:
        """A request that is wrong in everything after admission, so that admission must refuse it first."""
        headers = {"Authorization": f"Bearer {token}".strip()} if token is not None else {}
        path = operation.path.format(**dict.fromkeys(operation.path_params, "nothing"))
        return await self.api.http.request(
            operation.method, path, headers=headers, params=query or "no_such=1", content=b"{"
        )

    async def key_without(self, permission: Permission) -> str:
        """An integration key with every scope but this one."""
        scopes = tuple(scope for scope in SCOPES if scope != permission)
        site = self.objects["properties"]
        made = await self.api.add_key(self.owner, environment=LIVE, property_id=site, scopes=scopes)
        return made.text.text

    def outsiders_of(self, operation: Operation) -> dict[str, Outsider]:
        """Who comes in, and must not see what the operation names."""
        named = things_named(operation)
        hides_all = not named or any(thing.has_environment for thing in named)
        return {
            who: outsider
            for who, outsider in self.outsiders.items()
            if outsider.auth in operation.auth and (hides_all or not outsider.sees_shared)
        }

    def hidden_from(self, outsider: Outsider) -> list[str]:
        """Ids that no answer to *outsider* may hold."""
        return [
            object_id
            for place, object_id in self.objects.items()
            if things()[place].has_environment or not outsider.sees_shared
        ]


def absent(objects: dict[str, str]) -> dict[str, str]:
    """Ids of the same shape that stand for nothing."""
    return {kind: str(uuid4()) for kind in objects}


def without_ids(shown: str, ids: dict[str, str]) -> str:
    """*shown* with the same word for every id that was asked for."""
    for object_id in ids.values():
        shown = shown.replace(object_id, "an id")
    return shown


async def make_world(api: ControlApi) -> World:
    owner = await api.sign_up()
    maker = Maker(api, owner)
    for place in things():
        await maker.id_of(place)
    site = maker.ids["properties"]
    return World(
        api,
        owner,
        maker.ids,
        await refused_tokens(api, owner),
        await outsiders(api, owner, site),
        members=await members(api),
        demoted_key=(await key_of_demoted(api, owner, site)).text.text,
        removed_key=(await key_of_removed(api, owner, site)).text.text,
    )


def body_naming(operation: Operation, ids: dict[str, str]) -> bytes | None:
    """The example's body with real ids."""
    if operation.body_example is None:
        return None
    example = orjson.dumps(operation.body_example).decode()
    for place, thing in things().items():
        if thing.example is not None:
            example = example.replace(thing.example, ids[place])
    return example.encode()
