"""An answer reports both errors of a body, whatever the operation: clients need not mend one field at a time."""

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
import pytest_asyncio

from common.contract.operation import Auth, Operation
from control.processes.app import OPERATIONS
from tests.control.matrix_people import LIVE
from tests.control.matrix_world import World, make_world
from tests.support.control_api import ControlApi
from tests.support.resources import params_of

TAKING_JSON = [
    operation
    for operation in OPERATIONS
    if operation.body is not None and "application/json" in operation.body_media_types
]
IN_AN_ENVIRONMENT = [
    operation
    for operation in TAKING_JSON
    if operation.query is not None
    and "environment" in operation.query.model_fields
    and operation.id != "createAsset"
]
"""Without the upload, whose body is read after the query was accepted."""
UNKNOWN = "no_such_field"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(api: ControlApi) -> AsyncIterator[World]:
    yield await make_world(api)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def key(world: World) -> str:
    site = world.objects["properties"]
    made = await world.api.add_key(world.owner, environment=LIVE, property_id=site)
    return made.text.text


@pytest.mark.parametrize("operation", TAKING_JSON, ids=lambda operation: operation.id)
async def test_both_faults_are_named(world: World, key: str, operation: Operation) -> None:
    field, wrong = _wrong_field(operation)
    body = orjson.loads(world.body_of(operation)) | {field: wrong, UNKNOWN: 1}
    token = world.owner.access_token if Auth.ACCESS_TOKEN in operation.auth else key

    answer = await world.send(operation, token if operation.auth else None, body)

    assert answer.status_code == 422, answer.text
    error = answer.json()["error"]
    params = {detail["param"].partition(".")[0] for detail in error["details"]}
    assert {field, UNKNOWN} <= params
    assert all(detail["message"] for detail in error["details"])


async def test_a_body_that_is_no_json_comes_before_faults_of_the_query(world: World) -> None:
    headers = {**world.owner.headers, "Content-Type": "application/json"}
    answer = await world.api.http.post("/v1/campaigns", content="{", headers=headers)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_json")


@pytest.mark.parametrize("query", ["", "?environment=neither"])
@pytest.mark.parametrize("operation", IN_AN_ENVIRONMENT, ids=lambda operation: operation.id)
async def test_faults_of_the_query_and_of_the_body_are_named_together(
    world: World, operation: Operation, query: str
) -> None:
    body = orjson.loads(world.body_of(operation)) | {UNKNOWN: 1}
    answer = await world.api.http.post(
        f"{operation.path}{query}", json=body, headers=world.owner.headers
    )

    assert {"environment", UNKNOWN} <= set(params_of(answer))


def _wrong_field(operation: Operation) -> tuple[str, Any]:
    """A field of the body's example, and a value that its type does not take."""
    field, value = next(iter(operation.body_example.items()))
    if field in (
        "grant_type",
        "kind",
    ):  # tells which form the body has: another one is another body
        field, value = list(operation.body_example.items())[1]
    return field, (7 if isinstance(value, str) else "wrong")
