"""
Every operation × everybody who must not come in, from the registry itself: a new route is in here the moment it is
declared.
"""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from common.contract.operation import Auth, Operation
from common.contract.permissions import ROLE_PERMISSIONS, Permission
from common.values.errors import STATUS, ErrorCode
from control.processes.app import OPERATIONS
from tests.control.matrix_people import authenticator_code
from tests.control.matrix_registry import NAME, exceptions, things_named, unknown_objects
from tests.control.matrix_world import World, absent, make_world, without_ids
from tests.support.control_api import ControlApi, code_of

PROTECTED_OPERATIONS = [operation for operation in OPERATIONS if operation.auth]
NAMING = [
    operation
    for operation in PROTECTED_OPERATIONS
    if things_named(operation) and operation.id not in exceptions("in_between")
]
EXCEPTED = exceptions("shared") | exceptions("for_operators") | exceptions("endless")
LISTING = [
    o
    for o in PROTECTED_OPERATIONS
    if o.method == "GET" and o not in NAMING and o.id not in EXCEPTED
]
every_protected_operation = pytest.mark.parametrize(
    "operation", PROTECTED_OPERATIONS, ids=lambda operation: operation.id
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(api: ControlApi) -> AsyncIterator[World]:
    yield await make_world(api)


def test_everything_that_operations_name_can_be_made() -> None:
    assert not unknown_objects()


def test_the_public_operations_are_those_that_were_meant() -> None:
    public = {operation.id for operation in OPERATIONS if not operation.auth}

    assert public == exceptions("public")


@every_protected_operation
async def test_without_a_key_the_code_is_missing_key(world: World, operation: Operation) -> None:
    _refused(operation, await world.request_as(operation, None), "missing_key")
    _refused(operation, await world.request_as(operation, ""), "missing_key")


@every_protected_operation
async def test_a_wrong_credential_is_refused_with_the_reason(
    world: World, operation: Operation
) -> None:
    for credential, token in world.tokens.items():
        code = authenticator_code(operation, credential)
        if code is None:
            continue
        answer = await world.request_as(operation, token)
        _refused(operation, answer, code, credential)
        assert token not in answer.text, credential


@every_protected_operation
async def test_a_key_of_the_wrong_kind_is_refused_with_the_right_ones(
    world: World, operation: Operation
) -> None:
    message = (await world.request_as(operation, world.tokens["publishable key"])).json()["error"][
        "message"
    ]
    signs = {
        Auth.SECRET_KEY: "(sk_…)",
        Auth.INTEGRATION_KEY: "(ak_…)",
        Auth.ACCESS_TOKEN: "(at_…)",
    }

    assert {auth for auth, sign in signs.items() if sign in message} == set(operation.auth)


@every_protected_operation
async def test_a_key_naming_the_other_environment_is_refused(
    world: World, operation: Operation
) -> None:
    for credential in ("integration key", "revoked integration key"):
        answer = await world.request_as(operation, world.tokens[credential], "environment=test")
        _refused(operation, answer, "wrong_environment", credential)


@every_protected_operation
async def test_a_key_needs_the_scope_and_its_maker_the_permission(
    world: World, operation: Operation
) -> None:
    needed = operation.needs.get(Auth.INTEGRATION_KEY)
    if needed is None:
        is_open = operation.id in exceptions("for_everyone")
        assert is_open or Auth.INTEGRATION_KEY not in operation.auth
        return

    answer = await world.request_as(operation, await world.key_without(needed))
    _refused(operation, answer, "insufficient_scope")
    assert f"`{needed}`" in answer.json()["error"]["message"]
    _refused(operation, await world.request_as(operation, world.removed_key), "permission_lost")
    if needed is not Permission.REPORTS_READ:  # which every role has
        _refused(operation, await world.request_as(operation, world.demoted_key), "permission_lost")


@every_protected_operation
async def test_a_member_comes_in_by_the_permission_of_the_role(
    world: World, operation: Operation
) -> None:
    needed = operation.needs.get(Auth.ACCESS_TOKEN)
    if needed is None:
        is_open = operation.id in exceptions("for_everyone")
        assert is_open or Auth.ACCESS_TOKEN not in operation.auth
        return

    for role, token in world.members.items():
        answer = await world.request_as(operation, token)
        if needed in ROLE_PERMISSIONS[role]:
            assert code_of(answer) not in ("permission_denied", "not_found"), role
            continue
        _refused(operation, answer, "permission_denied", role)
        assert f"`{needed}`" in answer.json()["error"]["message"]


@pytest.mark.parametrize("operation", NAMING, ids=lambda operation: operation.id)
async def test_objects_of_other_accounts_are_404(world: World, operation: Operation) -> None:
    elsewhere = absent(world.objects)
    for who, outsider in world.outsiders_of(operation).items():
        foreign = await world.call_as(outsider, operation, world.objects)
        nowhere = await world.call_as(outsider, operation, elsewhere)

        if operation.id in exceptions("per_item"):
            assert foreign.is_success, (who, foreign.text)
            shown = without_ids(foreign.text, world.objects)
            assert NAME not in shown
            assert shown == without_ids(nowhere.text, elsewhere), who
            continue
        _refused(operation, foreign, "not_found", who)
        assert _without_request_id(foreign) == _without_request_id(nowhere), who


@pytest.mark.parametrize("operation", LISTING, ids=lambda operation: operation.id)
async def test_operations_without_an_id_show_another_account_nothing(
    world: World, operation: Operation
) -> None:
    for who, outsider in world.outsiders_of(operation).items():
        answer = await world.call_as(outsider, operation, world.objects)
        assert answer.is_success, (who, answer.text)
        names = () if outsider.sees_shared else (NAME,)
        for shown in (*names, *world.hidden_from(outsider)):
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
