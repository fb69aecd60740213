"""Every write of every operation leaves exactly one line, from the registry: a new operation is in here at once."""

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import orjson
import pytest
import pytest_asyncio
from sqlalchemy import select
from sqlmodel import col

from common.contract.operation import Auth, Operation
from control.processes.app import OPERATIONS
from control.storage.tables.accounts import AuditRow
from tests.control.matrix_registry import Maker, places_of, query_of, things
from tests.support.control_api import ControlApi

WRITES = [
    o for o in OPERATIONS if o.method != "GET" and not o.reads and Auth.ACCESS_TOKEN in o.auth
]
ENOUGH = 0.6
"""Of the writes that really change something here; the others are refused by the state their object is in."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def outcomes() -> AsyncIterator[dict[str, bool]]:
    """Operation to whether it was answered with a success."""
    yield {}


async def _call(maker: Maker, operation: Operation, request_id: str) -> httpx.Response:
    ids = {place: await maker.id_of(place) for place in things()}
    example = orjson.dumps(operation.body_example).decode() if operation.body_example else ""
    for place, thing in things().items():
        example = example.replace(thing.example, ids[place]) if thing.example else example
    query = query_of(operation)
    if operation.query and "environment" in operation.query.model_fields:
        query["environment"] = "live"
    path = operation.path.format(
        **{name: ids[place] for name, place in places_of(operation).items()}
    )
    version = await _version(maker, operation, path)
    headers = {"X-Request-Id": request_id, "If-Match": version, **maker.owner.headers}
    if example:
        headers["Content-Type"] = "application/json"
    return await maker.api.http.request(
        operation.method, path, headers=headers, params=query, content=example
    )


async def _version(maker: Maker, operation: Operation, path: str) -> str:
    if not operation.needs_version:
        return "1"
    read = await maker.api.http.get(path, headers=maker.owner.headers)
    return str(read.headers.get("etag", "1"))


@pytest.mark.parametrize("operation", WRITES, ids=lambda operation: operation.id)
async def test_a_write_leaves_one_line_and_a_refusal_none(
    api: ControlApi, operation: Operation, outcomes: dict[str, bool]
) -> None:
    maker = Maker(api, await api.sign_up())
    request_id = str(uuid4())
    answer = await _call(maker, operation, request_id)
    async with api.control.database.service() as session:
        found = select(AuditRow).where(col(AuditRow.request_id) == request_id)
        lines = (await session.scalars(found)).all()

    outcomes[operation.id] = answer.is_success
    assert answer.status_code < 500, answer.text
    assert len(lines) == (1 if answer.is_success else 0), answer.text
    for line in lines:
        assert line.account_id == maker.owner.account_id
        assert line.actor == f"user:{maker.owner.user_id}"
        assert (line.action, line.object_type) == (operation.id, operation.object_type)
        assert line.origin == "127.0.0.1"
        assert line.object_id
        assert ("fields" in line.detail) == (operation.method == "PATCH")


@pytest.mark.servers  # counts what the other tests of this file did
def test_most_writes_were_really_made(outcomes: dict[str, bool]) -> None:
    refused = sorted(name for name, ended_well in outcomes.items() if not ended_well)

    assert sum(outcomes.values()) >= ENOUGH * len(WRITES), refused
