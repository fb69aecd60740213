"""Who may come in, and which refusal comes first."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from common.contract.permissions import Permission
from common.values.environment import Environment
from common.values.keys import KeyKind, new_key
from tests.control.api.little_app import LittleApi
from tests.support.control_api import ControlApi, Person, bearer, code_of


async def _set_state(api: ControlApi, account_id: str, state: str) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set state = :state where id = :id"),
            {"state": state, "id": account_id},
        )


async def test_no_credential_is_missing_key(little: LittleApi) -> None:
    answer = await little.http.get("/v1/notes")

    assert answer.status_code == 401
    assert code_of(answer) == "missing_key"
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["", "Bearer", "Basic YTpi", "Token abc"])
async def test_no_bearer_is_missing_key(little: LittleApi, header: str) -> None:
    answer = await little.http.get("/v1/notes", headers={"Authorization": header})

    assert (answer.status_code, code_of(answer)) == (401, "missing_key")


async def test_service_key_header_is_not_a_bearer_token(little: LittleApi) -> None:
    key = new_key(KeyKind.PUBLISHABLE, Environment.TEST)
    answer = await little.http.get("/v1/notes", headers={"X-Service-Key": key.text})

    assert code_of(answer) == "missing_key"


@pytest.mark.parametrize("name", ["key", "access_token", "anything"])
@pytest.mark.parametrize("kind", [KeyKind.SECRET, KeyKind.INTEGRATION])
async def test_a_key_in_the_url_is_refused_with_a_warning(
    little: LittleApi, kind: KeyKind, name: str
) -> None:
    key = new_key(kind, Environment.TEST).text
    answer = await little.http.get("/v1/notes", params={name: key})

    assert (answer.status_code, code_of(answer)) == (401, "invalid_key")
    assert "in a URL: it is in logs" in answer.json()["error"]["message"]
    assert key not in answer.text


@pytest.mark.parametrize("token", ["nonsense", "ak_test_short", "at_short", "rt_" + "a" * 43])
async def test_malformed_token_is_invalid_key(little: LittleApi, token: str) -> None:
    answer = await little.http.get("/v1/notes", headers=bearer(token))

    assert (answer.status_code, code_of(answer)) == (401, "invalid_key")


async def test_unknown_tokens_are_invalid_key(little: LittleApi) -> None:
    unknown = new_key(KeyKind.INTEGRATION, Environment.TEST)
    for token in (unknown.text, "at_" + "a" * 43):
        answer = await little.http.get("/v1/notes", headers=bearer(token))
        assert (answer.status_code, code_of(answer)) == (401, "invalid_key")
        assert token not in answer.text


@pytest.mark.parametrize("kind", [KeyKind.PUBLISHABLE, KeyKind.SECRET])
async def test_a_key_of_the_wrong_kind_is_refused_with_the_right_one(
    api: ControlApi, little: LittleApi, owner: Person, kind: KeyKind
) -> None:
    key = await api.add_key(owner, kind)
    answer = await little.http.get("/v1/notes", headers=key.headers)

    assert (answer.status_code, code_of(answer)) == (401, "invalid_key")
    assert "integration key (ak_…)" in answer.json()["error"]["message"]


async def test_key_naming_the_other_environment_is_refused_before_anything_else(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    key = await api.add_key(owner, revoked_at=api.control.clock.now())
    answer = await little.http.get("/v1/notes", headers=key.headers, params={"environment": "live"})

    assert (answer.status_code, code_of(answer)) == (403, "wrong_environment")


async def test_revoked_and_expired_keys_are_key_revoked(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    past = api.control.clock.now() - timedelta(seconds=1)
    revoked = await api.add_key(owner, revoked_at=past)
    expired = await api.add_key(owner, expires_at=past)
    for key in (revoked, expired):
        answer = await little.http.get("/v1/notes", headers=key.headers)
        assert (answer.status_code, code_of(answer)) == (403, "key_revoked")


async def test_revocation_holds_from_the_next_call_on(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    key = await api.add_key(owner)
    assert (await little.http.get("/v1/notes", headers=key.headers)).is_success

    async with api.control.database.service() as session:
        await session.execute(
            text("update keys set revoked_at = now() - interval '1 s' where id = :id"),
            {"id": key.id},
        )
    answer = await little.http.get("/v1/notes", headers=key.headers)
    assert code_of(answer) == "key_revoked"


async def test_suspended_account_is_refused_with_any_credential(
    api: ControlApi, little: LittleApi
) -> None:
    person = await api.sign_up()
    key = await api.add_key(person)
    await _set_state(api, person.account_id, "suspended")

    for headers in (person.headers, key.headers):
        answer = await little.http.get("/v1/notes", headers=headers)
        assert (answer.status_code, code_of(answer)) == (403, "tenant_suspended")


async def test_account_that_is_past_due_is_admitted(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    await _set_state(api, person.account_id, "past_due")

    answer = await little.http.get(
        "/v1/notes", headers=person.headers, params={"environment": "test"}
    )
    assert answer.is_success


async def test_missing_scope_is_named(api: ControlApi, little: LittleApi, owner: Person) -> None:
    key = await api.add_key(owner, scopes=(Permission.AD_READ,))
    answer = await little.http.get("/v1/notes", headers=key.headers)

    assert (answer.status_code, code_of(answer)) == (403, "insufficient_scope")
    assert "campaign:read" in answer.json()["error"]["message"]


async def test_key_loses_the_permissions_that_its_creator_loses(
    api: ControlApi, little: LittleApi
) -> None:
    person = await api.sign_up()
    key = await api.add_key(person)
    for change in ("update memberships set role = 'finance'", "delete from memberships"):
        async with api.control.database.service() as session:
            await session.execute(
                text(f"{change} where user_id = :id"),
                {"id": person.user_id},
            )
        answer = await little.http.get("/v1/notes", headers=key.headers)
        assert (answer.status_code, code_of(answer)) == (403, "permission_lost")


async def test_role_without_the_permission_is_refused(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    async with api.control.database.service() as session:
        await session.execute(
            text("update memberships set role = 'finance' where user_id = :id"),
            {"id": person.user_id},
        )

    answer = await little.http.get("/v1/notes", headers=person.headers)
    assert (answer.status_code, code_of(answer)) == (403, "permission_denied")
    assert "campaign:read" in answer.json()["error"]["message"]


async def test_a_person_who_left_the_account_is_refused(api: ControlApi, little: LittleApi) -> None:
    person = await api.sign_up()
    async with api.control.database.service() as session:
        await session.execute(
            text("delete from memberships where user_id = :id"), {"id": person.user_id}
        )

    answer = await little.http.get("/v1/notes", headers=person.headers)
    assert code_of(answer) == "invalid_key"


async def test_integration_key_never_reaches_operations_for_people(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    key = await api.add_key(owner)
    answer = await little.http.get("/v1/people-only", headers=key.headers)

    assert (answer.status_code, code_of(answer)) == (
        403,
        "not_available_to_integration_keys",
    )


async def test_a_user_names_the_environment_and_a_key_implies_it(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    key = await api.add_key(owner, environment=Environment.LIVE)
    unnamed = await little.http.get("/v1/notes", headers=owner.headers)
    named = await little.http.get(
        "/v1/notes", headers=owner.headers, params={"environment": "test"}
    )
    own = await little.http.get("/v1/notes", headers=key.headers)

    assert (unnamed.status_code, unnamed.json()["error"]["param"]) == (422, "environment")
    assert named.json()["environment"] == "test"
    assert own.json()["environment"] == "live"


async def test_last_use_of_a_key_is_stored_after_the_request(
    api: ControlApi, little: LittleApi, owner: Person
) -> None:
    key = await api.add_key(owner)
    await little.http.get("/v1/notes", headers=key.headers)
    await api.control.key_use.flush(api.control.database, api.control.clock.now())

    async with api.control.database.service() as session:
        seen = await session.scalar(
            text("select last_used_at from keys where id = :id"), {"id": key.id}
        )
    assert seen is not None
