"""
PostgreSQL is killed, or frozen, under management load: 503 in the envelope, then well again in the same process, and
nothing half done. A server of its own, for it dies.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from sqlalchemy import text

from tests.support.control_api import ControlApi, DatabaseTemplate, Person, code_of, running_control
from tests.support.servers import PostgresServer
from tests.support.waiting import until

_CALLERS = 8
_ENOUGH = 8
"""Answers of a kind that are waited for before the next act."""


@pytest.fixture(scope="module")
def own_postgres(servers_folder: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(servers_folder / "proof-postgres")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def template(own_postgres: PostgresServer) -> DatabaseTemplate:
    return DatabaseTemplate(own_postgres)


@pytest_asyncio.fixture(loop_scope="session")
async def own_api(template: DatabaseTemplate, servers_folder: Path) -> AsyncIterator[ControlApi]:
    async with running_control(
        template.new_database(), servers_folder, database_timeout_s=0.5
    ) as running:
        yield running


@dataclass(slots=True)
class Load:
    """Callers who make properties and read them, and recorded the result of each."""

    api: ControlApi
    person: Person
    sent: set[str] = field(default_factory=set)
    acknowledged: set[str] = field(default_factory=set)
    statuses: Counter[int] = field(default_factory=Counter)
    strange: list[str] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    async def until_more(self, *statuses: int) -> None:
        """Some dozens of answers with one of these statuses from now on."""
        before = self._count(*statuses)

        async def came() -> bool:
            return self._count(*statuses) >= before + _ENOUGH

        await until(came)

    async def run(self) -> None:
        while True:
            name = f"Property {next(self._numbers)}"
            self.sent.add(name)
            body = {"name": name, "kind": "web", "domain": "site.example.com"}
            made = await self.api.http.post(
                "/v1/properties", json=body, headers=self.person.headers
            )
            self._note(made)
            if made.status_code == httpx.codes.CREATED:
                self.acknowledged.add(name)
            self._note(await self.api.http.get("/v1/properties", headers=self.person.headers))

    def _note(self, answer: httpx.Response) -> None:
        self.statuses[answer.status_code] += 1
        if answer.is_success:
            return
        reported = "retry-after" in answer.headers and code_of(answer) == "unavailable"
        if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or not reported:
            self.strange.append(f"{answer.status_code} {answer.text}")

    def _count(self, *statuses: int) -> int:
        return sum(self.statuses[status] for status in statuses)


@asynccontextmanager
async def _under_load(api: ControlApi) -> AsyncIterator[Load]:
    load = Load(api, await api.sign_up())
    callers = [asyncio.create_task(load.run()) for _ in range(_CALLERS)]
    try:
        await load.until_more(201)
        yield load
        assert not any(caller.done() for caller in callers)
    finally:
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)


async def _properties(load: Load) -> set[str]:
    async with load.api.control.database.tenant(load.person.account_id) as session:
        return set(await session.scalars(text("select name from properties")))


async def _differs(load: Load) -> list[str]:
    """Properties without their line in the audit log, and lines without their property."""
    async with load.api.control.database.tenant(load.person.account_id) as session:
        found = await session.scalars(
            text(
                "select coalesce(p.id, a.object_id) from properties p full join"
                " (select object_id from audit_log where action = 'createProperty') a"
                " on a.object_id = p.id where p.id is null or a.object_id is null"
            )
        )
        return list(found)


async def _whole(load: Load) -> None:
    stored = await _properties(load)
    assert load.strange == []
    assert load.acknowledged <= stored <= load.sent
    assert await _differs(load) == []


async def test_control_recovers_after_postgres_is_killed(
    own_postgres: PostgresServer, own_api: ControlApi
) -> None:
    async with _under_load(own_api) as load:
        await asyncio.to_thread(own_postgres.kill)
        await load.until_more(503)
        own_postgres.start()
        await load.until_more(201)

    await _whole(load)


async def test_no_request_fails_after_a_restart_of_postgres(
    own_postgres: PostgresServer, own_api: ControlApi
) -> None:
    """Connections that were idle when the server died: nobody asked while it was away."""
    person = await own_api.sign_up()

    async def ask_together() -> Counter[int]:
        answers = await asyncio.gather(
            *(own_api.http.get("/v1/properties", headers=person.headers) for _ in range(_CALLERS))
        )
        return Counter(answer.status_code for answer in answers)

    assert await ask_together() == {200: _CALLERS}
    await asyncio.to_thread(own_postgres.kill)
    await asyncio.to_thread(own_postgres.start)
    assert await ask_together() == {200: _CALLERS}


async def test_control_recovers_after_postgres_is_frozen(
    own_postgres: PostgresServer, own_api: ControlApi
) -> None:
    """Nobody waits longer than the settings say, though a frozen server keeps every connection open."""
    async with _under_load(own_api) as load:
        own_postgres.freeze()
        try:
            await load.until_more(503)
        finally:
            own_postgres.thaw()
        await load.until_more(201)

    await _whole(load)
