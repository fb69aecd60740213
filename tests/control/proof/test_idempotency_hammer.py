"""
A hundred creates at once on one Idempotency-Key, round after round, over two processes of which one is killed in the
middle: exactly one object a round, and everybody who hears of it hears the same bytes.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from sqlalchemy import text

from tests.control.proof.people import made, sign_up
from tests.control.proof.processes import ApiProcess, api_processes
from tests.control.proof.rows import Rows
from tests.support.control_api import bearer
from tests.support.http_client import http_client

_AT_ONCE = 100
_KILL_EVERY = 3


@dataclass(frozen=True, slots=True)
class Creation:
    """A creating call whose object is found by the name it was given."""

    path: str
    table: str
    body: dict[str, Any]


@dataclass(slots=True)
class Responses:
    """The responses to the callers of one round."""

    bodies: set[bytes] = field(default_factory=set)
    firsts: int = 0
    """Answers of 201 that are no replay."""
    refused: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    answered: int = 0

    def note(self, answer: httpx.Response) -> None:
        self.answered += 1
        if answer.status_code != httpx.codes.CREATED:
            self.refused[answer.json()["error"]["code"]] += 1
            return
        self.bodies.add(answer.content)
        self.firsts += "idempotent-replayed" not in answer.headers


@dataclass(frozen=True, slots=True)
class Hammer:
    processes: list[ApiProcess]
    clients: list[httpx.AsyncClient]
    creations: list[Creation]
    rows: Rows

    async def strike(self, number: int, chance: random.Random) -> None:
        """One round, with its killing where it is due; fails unless it made exactly one object."""
        creation, name = self.creations[number % len(self.creations)], f"Round {number} {uuid4()}"
        received, killing = Responses(), asyncio.Event()
        kills = number % _KILL_EVERY == 0
        answered_before = chance.randrange(_AT_ONCE // 2)

        async def ask(client: httpx.AsyncClient) -> None:
            try:
                received.note(await self._create(client, creation, name))
            except httpx.TransportError:
                received.lost += 1
            if received.answered >= answered_before:
                killing.set()

        callers = [asyncio.create_task(ask(self.clients[n % 2])) for n in range(_AT_ONCE)]
        if kills:
            await killing.wait()
            await self.processes[0].kill()
        await asyncio.gather(*callers)
        if kills:
            await self.processes[0].start()
        await self._settle(creation, name, received)

    async def _settle(self, creation: Creation, name: str, received: Responses) -> None:
        """Both processes are asked once more, as a client would that got no response."""
        for client in self.clients:
            received.note(await self._create(client, creation, name))
        assert await self._made(creation, name) == 1, (creation, received)
        assert len(received.bodies) == 1, (creation, received)
        assert received.firsts <= 1, (creation, received)
        assert received.firsts == 1 or received.lost, (creation, received)
        assert set(received.refused) <= {"idempotency_in_progress", "unavailable"}, (
            creation,
            received,
        )

    async def _create(
        self, client: httpx.AsyncClient, creation: Creation, name: str
    ) -> httpx.Response:
        headers = {"Idempotency-Key": name.replace(" ", "-")}
        return await client.post(
            creation.path, json=creation.body | {"name": name}, headers=headers
        )

    async def _made(self, creation: Creation, name: str) -> int:
        async with self.rows.engine.connect() as connection:
            found = await connection.scalar(
                text(f"select count(*) from {creation.table} where name = :name"),  # noqa: S608 - a table from below
                {"name": name},
            )
        return int(found or 0)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hammer(database_url: str, servers_folder: Path, rows: Rows) -> AsyncIterator[Hammer]:
    async with api_processes(database_url, servers_folder, 2) as processes:
        clients = [http_client(base_url=one.url, connections=_AT_ONCE) for one in processes]
        token = await sign_up(clients[0])
        for client in clients:
            client.headers.update(bearer(token))
        yield Hammer(processes, clients, await _creations(clients[0]), rows)
        for client in clients:
            await client.aclose()


async def test_a_few_rounds_make_one_object_each(hammer: Hammer) -> None:
    chance = random.Random(1)
    for number in range(5):
        await hammer.strike(number, chance)


@pytest.mark.long
async def test_two_hundred_rounds_make_two_hundred_objects(hammer: Hammer) -> None:
    chance = random.Random(2)
    for number in range(200):
        await hammer.strike(number, chance)


async def _creations(http: httpx.AsyncClient) -> list[Creation]:
    property_ = {"name": "Site", "kind": "web", "domain": "site.example.com"}
    site = (await made(http, "/v1/properties", property_))["id"]
    campaign = {
        "name": "First",
        "property_ids": [site],
        "objective": "traffic",
        "pricing_model": "cpm",
        "bid_cents": 200,
    }
    first = (await made(http, "/v1/campaigns?environment=live", campaign))["id"]
    key = {"property_id": site, "environment": "live"}
    content = {"image_url": "https://a.example/a.png", "width": 300, "height": 250, "alt": "A"}
    ad = {"campaign_id": first, "format": "banner", "content": content}
    return [
        Creation("/v1/campaigns?environment=live", "campaigns", campaign),
        Creation("/v1/sdk-keys", "keys", key | {"kind": "secret"}),
        Creation("/v1/ads?environment=live", "ads", ad | {"click_url": "https://shop.example/"}),
        Creation("/v1/properties", "properties", property_),
        Creation("/v1/integration-keys", "keys", key | {"scopes": ["campaign:read"]}),
        Creation("/v1/slots", "slots", {"property_id": site, "formats": ["banner"]}),
    ]
