"""Whatever the body, no operation fails on our side; and a body that is wrong changes nothing in any table."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import orjson
import pytest
import pytest_asyncio

from common.contract.operation import Auth, Operation
from control.processes.app import OPERATIONS
from tests.control.matrix_registry import Maker, places_of, query_of, things
from tests.control.matrix_world import body_naming
from tests.control.proof.odd_bodies import odd_bodies
from tests.control.proof.rows import Rows
from tests.support.control_api import ControlApi

_BODIES = [operation for operation in OPERATIONS if operation.body_example is not None]
_FEW, _MANY = 40, 1000
every_body = pytest.mark.parametrize("operation", _BODIES, ids=lambda operation: operation.id)


@dataclass(frozen=True, slots=True)
class Sender:
    """An owner with an object of every kind, who sends any bytes as the body of a call that is good otherwise."""

    api: ControlApi
    maker: Maker
    rows: Rows

    async def send(self, operation: Operation, body: bytes) -> httpx.Response:
        places = places_of(operation)
        query = query_of(operation)
        if operation.query and "environment" in operation.query.model_fields:
            query["environment"] = "live"
        headers = self.maker.owner.headers if Auth.ACCESS_TOKEN in operation.auth else {}
        return await self.api.http.request(
            operation.method,
            operation.path.format(
                **{name: self.maker.ids[place] for name, place in places.items()}
            ),
            headers={"If-Match": "1", "Content-Type": "application/json", **headers},
            params=query,
            content=body,
        )

    async def check(self, operation: Operation, count: int) -> None:
        """The bodies that are wrong first, with all tables compared; then those that may do something."""
        good = orjson.loads(body_naming(operation, self.maker.ids) or b"{}")
        bodies = odd_bodies(good, count)
        wrong = [body for body in bodies if not _may_be_good(operation, body)]
        before = await self.rows.checksums()
        for body in wrong:
            answer = await self.send(operation, body)
            assert 400 <= answer.status_code < 500, (body[:500], answer.text)
        assert await self.rows.checksums() == before
        for body in bodies:
            if body not in wrong:
                answer = await self.send(operation, body)
                assert answer.status_code < 500, (body[:500], answer.text)


@pytest_asyncio.fixture(loop_scope="session")
async def sender(api: ControlApi, rows: Rows) -> AsyncIterator[Sender]:
    maker = Maker(api, await api.sign_up())
    for place in things():
        await maker.id_of(place)
    yield Sender(api, maker, rows)


@every_body
async def test_an_odd_body_is_no_fault_of_ours(sender: Sender, operation: Operation) -> None:
    await sender.check(operation, _FEW)


@pytest.mark.long
@every_body
async def test_a_thousand_odd_bodies_are_no_fault_of_ours(
    sender: Sender, operation: Operation
) -> None:
    await sender.check(operation, _MANY)


def _may_be_good(operation: Operation, body: bytes) -> bool:
    """Whether the operation's own model takes it; the call may still be refused."""
    if operation.body is None:
        return False
    try:
        operation.body.model_validate(orjson.loads(body))
    except ValueError:
        return False
    return True
