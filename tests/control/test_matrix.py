"""
Every operation × everybody who must not come in, from the registry itself: a new route is in here the moment it is
declared.
"""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from common.contract.operation import Auth, Operation
from common.contract.permissions import Permission
from common.errors import STATUS, ErrorCode
from control.app import OPERATIONS
from tests.control.matrix_world import NAME, World, absent, door_code, make_world, names_ids
from tests.support.control_api import ControlApi, code_of

DOORS = [operation for operation in OPERATIONS if operation.auth]
MANY = [operation for operation in DOORS if operation.id == "bulkCampaigns"]
"""They name objects, and answer for each of them by itself."""
NAMING = [o for o in DOORS if names_ids(o) and o not in MANY]
LISTING = [o for o in DOORS if o.method == "GET" and o not in NAMING]
every_door = pytest.mark.parametrize("operation", DOORS, ids=lambda operation: operation.id)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(api: ControlApi) -> AsyncIterator[World]:
    yield await make_world(api)


def test_the_public_operations_are_those_few() -> None:
    public = {operation.id for operation in OPERATIONS if not operation.auth}

    assert public == {"createAccount", "getToken", "getDescription"}


@every_door
async def test_without_a_key_it_is_missing(world: World, operation: Operation) -> None:
    _refused(operation, await world.knock(operation, None), "missing_key")
    _refused(operation, await world.knock(operation, ""), "missing_key")


@every_door
async def test_a_wrong_credential_hears_what_is_wrong_with_it(
    world: World, operation: Operation
) -> None:
    for credential, token in world.tokens.items():
        code = door_code(operation, credential)
        if code is None:
            continue
        answer = await world.knock(operation, token)
        _refused(operation, answer, code, credential)
        assert token not in answer.text, credential


@every_door
async def test_a_key_of_the_wrong_kind_hears_the_right_ones(
    world: World, operation: Operation
) -> None:
    message = (await world.knock(operation, world.tokens["publishable key"])).json()["error"][
        "message"
    ]
    signs = {
        Auth.SECRET_KEY: "(sk_…)",
        Auth.INTEGRATION_KEY: "(ak_…)",
        Auth.ACCESS_TOKEN: "(at_…)",
    }

    assert {auth for auth, sign in signs.items() if sign in message} == set(operation.auth)


@every_door
async def test_a_key_naming_the_other_environment_is_refused(
    world: World, operation: Operation
) -> None:
    for credential in ("integration key", "revoked integration key"):
        answer = await world.knock(operation, world.tokens[credential], "environment=test")
        _refused(operation, answer, "wrong_environment", credential)


@every_door
async def test_a_key_needs_the_scope_and_its_maker_the_permission(
    world: World, operation: Operation
) -> None:
    needed = operation.needs.get(Auth.INTEGRATION_KEY)
    if needed is None:
        assert operation.id == "getMe" or Auth.INTEGRATION_KEY not in operation.auth
        return

    answer = await world.knock(operation, await world.key_without(needed))
    _refused(operation, answer, "insufficient_scope")
    assert f"`{needed}`" in answer.json()["error"]["message"]
    if needed is not Permission.REPORTS_READ:  # which every role has
        lost = await world.knock(operation, world.financiers_key)
        _refused(operation, lost, "permission_lost")


@every_door
async def test_a_member_needs_the_permission(world: World, operation: Operation) -> None:
    needed = operation.needs.get(Auth.ACCESS_TOKEN)
    if needed is None:
        assert operation.id == "getMe"
        return

    answer = await world.knock(operation, world.financier)
    _refused(operation, answer, "permission_denied")
    assert f"`{needed}`" in answer.json()["error"]["message"]


@pytest.mark.parametrize("operation", NAMING, ids=lambda operation: operation.id)
async def test_what_is_not_the_callers_is_as_absent(world: World, operation: Operation) -> None:
    for who, token in world.strangers(operation).items():
        foreign = await world.call(operation, token, world.objects)
        nowhere = await world.call(operation, token, absent(world.objects))

        _refused(operation, foreign, "not_found", who)
        assert _without_request_id(foreign) == _without_request_id(nowhere), who


@pytest.mark.parametrize("operation", MANY, ids=lambda operation: operation.id)
async def test_what_is_not_the_callers_is_as_absent_among_many(
    world: World, operation: Operation
) -> None:
    for who, token in world.strangers(operation).items():
        foreign, nowhere = [
            (await world.call(operation, token, ids)).json()["data"]
            for ids in (world.objects, absent(world.objects))
        ]

        assert [result["ok"] for result in foreign] == [False], who
        assert [result["error"]["code"] for result in foreign] == ["not_found"], who
        assert [result["error"] for result in nowhere] == [result["error"] for result in foreign]


@pytest.mark.parametrize("operation", LISTING, ids=lambda operation: operation.id)
async def test_what_names_nothing_shows_a_stranger_nothing(
    world: World, operation: Operation
) -> None:
    for who, token in world.strangers(operation).items():
        answer = await world.call(operation, token, world.objects)
        assert answer.is_success, who
        for shown in (NAME, *world.objects.values()):
            assert shown not in answer.text, who


def _refused(operation: Operation, answer: httpx.Response, code: str, about: str = "") -> None:
    """Exactly this code with its status, one that the description names, and nothing of the account."""
    assert code_of(answer) == code, (about, answer.text)
    assert answer.status_code == STATUS[ErrorCode(code)]
    assert ErrorCode(code) in operation.all_errors
    assert (answer.status_code == 401) == ("www-authenticate" in answer.headers)


def _without_request_id(answer: httpx.Response) -> object:
    error = answer.json()["error"]
    return answer.status_code, {name: error[name] for name in error if name != "request_id"}
