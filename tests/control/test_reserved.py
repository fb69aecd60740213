"""Money, members and keys are closed to integration keys, built or not."""

import pytest

from common.values.environment import Environment
from common.values.keys import KeyKind, new_key
from control.api.forbidden_to_keys import NOT_FOR_INTEGRATION_KEYS
from control.processes.app import OPERATIONS
from tests.support.control_api import ControlApi, Person, bearer, code_of

BUILT = {operation.path for operation in OPERATIONS}
BELOW = [("GET", f"/v1/{name}/no/such/path") for name in NOT_FOR_INTEGRATION_KEYS]
UNBUILT = [
    *BELOW,
    *(("GET", f"/v1/{name}") for name in NOT_FOR_INTEGRATION_KEYS if f"/v1/{name}" not in BUILT),
    ("POST", "/v1/sdk-keys/7/no-such-verb"),
    ("DELETE", "/v1/members/7/no/such/path"),
    ("GET", "/v1/billing/no-such-thing/2026-03/"),
]


@pytest.mark.parametrize(("method", "path"), UNBUILT)
async def test_an_integration_key_is_refused_whatever_its_scopes(
    api: ControlApi, owner: Person, method: str, path: str
) -> None:
    key = await api.add_key(owner)
    answer = await api.http.request(method, path, headers=key.headers)

    assert (answer.status_code, code_of(answer)) == (403, "not_available_to_integration_keys")


@pytest.mark.parametrize(("method", "path"), UNBUILT)
async def test_to_everyone_else_there_is_nothing(
    api: ControlApi, owner: Person, method: str, path: str
) -> None:
    secret = await api.add_key(owner, KeyKind.SECRET)
    for headers in ({}, owner.headers, secret.headers, bearer("nonsense")):
        answer = await api.http.request(method, path, headers=headers)
        assert (answer.status_code, code_of(answer)) == (404, "not_found")


@pytest.mark.parametrize("path", ["/v1/wallet/no/such/path", "/v1/payouts/7/no/such"])
async def test_a_bad_integration_key_is_refused_with_the_reason(
    api: ControlApi, owner: Person, path: str
) -> None:
    revoked = await api.add_key(owner, revoked_at=api.control.clock.now())
    unknown = new_key(KeyKind.INTEGRATION, Environment.TEST).text
    codes = {
        token: code_of(await api.http.get(path, headers=bearer(token)))
        for token in ("ak_test_x", unknown, revoked.text.text)
    }

    assert list(codes.values()) == ["invalid_key", "invalid_key", "key_revoked"]


async def test_a_wrong_method_of_a_built_path_still_names_the_right_ones(
    api: ControlApi, owner: Person
) -> None:
    answer = await api.http.put("/v1/sdk-keys", headers=owner.headers)

    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST, HEAD")
