"""Sign-in over HTTP."""

import asyncio

import pytest
from sqlalchemy import text

from control.api.authentication import token_hash
from tests.support.control_api import PASSWORD, ControlApi, Person, bearer, code_of
from tests.support.resources import params_of


async def _refresh(api: ControlApi, token: str) -> dict[str, object]:
    answer = await api.http.post(
        "/v1/auth/token", json={"grant_type": "refresh_token", "refresh_token": token}
    )
    return {"status": answer.status_code, **answer.json()}


async def test_sign_in_gives_tokens_that_are_never_cached(api: ControlApi, owner: Person) -> None:
    answer = await api.sign_in(owner.email)

    tokens = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert tokens["access_token"].startswith("at_")
    assert (await api.http.get("/v1/me", headers=bearer(tokens["access_token"]))).is_success


async def test_sign_in_takes_the_oauth_form(api: ControlApi, owner: Person) -> None:
    answer = await api.http.post(
        "/v1/auth/token",
        data={"grant_type": "password", "username": owner.email, "password": PASSWORD},
    )

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("grant", "param"),
    [
        ({}, "grant_type"),
        ({"grant_type": "client_credentials"}, "grant_type"),
        ({"grant_type": "password", "email": "a@b.example"}, "password"),
        ({"grant_type": "password", "email": "a@b.example", "password": "x", "plan": "1"}, "plan"),
        (
            {"grant_type": "password", "email": "a@b.example", "password": "x", "account_id": "7"},
            "account_id",
        ),
        ({"grant_type": "password", "password": "x"}, "email"),
        ({"grant_type": "password", "username": 5, "password": "x"}, "username"),
        ({"grant_type": "refresh_token"}, "refresh_token"),
    ],
)
async def test_a_wrong_grant_names_the_field(
    api: ControlApi, grant: dict[str, str], param: str
) -> None:
    assert params_of(await api.http.post("/v1/auth/token", json=grant)) == [param]


async def test_sign_in_does_not_reveal_what_was_wrong(api: ControlApi) -> None:
    person = await api.sign_up()
    wrong_password = await api.sign_in(person.email, "not the password")
    outsider = await api.sign_in("nobody@people.example")

    assert wrong_password.status_code == outsider.status_code == 400
    assert code_of(wrong_password) == code_of(outsider) == "invalid_grant"
    assert wrong_password.json()["error"]["message"] == outsider.json()["error"]["message"]


async def test_sign_in_throttles_guesses(api: ControlApi) -> None:
    person = await api.sign_up()
    guesses = [await api.sign_in(person.email, f"guess number {n}") for n in range(11)]

    assert [guess.status_code for guess in guesses] == [400] * 10 + [429]
    assert code_of(guesses[-1]) == "rate_limited"
    assert int(guesses[-1].headers["retry-after"]) >= 1


async def test_sign_in_refuses_an_unknown_grant(api: ControlApi) -> None:
    answer = await api.http.post("/v1/auth/token", json={"grant_type": "magic"})

    assert answer.status_code == 422
    assert "password" in answer.json()["error"]["message"]


async def test_sign_in_needs_one_name_of_the_person(api: ControlApi, owner: Person) -> None:
    grant = {"grant_type": "password", "password": PASSWORD}
    both = grant | {"email": owner.email, "username": owner.email}

    nulls = grant | {"email": None, "username": None}

    for body in (grant, nulls, both):
        assert params_of(await api.http.post("/v1/auth/token", json=body)) == ["email"]


async def test_a_grant_without_a_person_lists_its_other_faults_too(api: ControlApi) -> None:
    answer = await api.http.post("/v1/auth/token", json={"grant_type": "password"})

    assert sorted(params_of(answer)) == ["email", "password"]


async def test_refresh_gives_a_new_pair(api: ControlApi) -> None:
    person = await api.sign_up()
    renewed = await _refresh(api, person.refresh_token)

    assert renewed["status"] == 200
    assert renewed["refresh_token"] != person.refresh_token
    me = await api.http.get("/v1/me", headers=bearer(str(renewed["access_token"])))
    assert me.json()["user"]["id"] == person.user_id


async def test_refresh_token_used_twice_ends_its_whole_family(api: ControlApi) -> None:
    person = await api.sign_up()
    renewed = await _refresh(api, person.refresh_token)
    again = await _refresh(api, person.refresh_token)

    assert again["status"] == 400
    assert (await _refresh(api, str(renewed["refresh_token"])))["status"] == 400
    for token in (person.access_token, str(renewed["access_token"])):
        answer = await api.http.get("/v1/me", headers=bearer(token))
        assert code_of(answer) == "invalid_key"


async def test_refresh_token_is_good_for_one_of_many_at_once(api: ControlApi) -> None:
    person = await api.sign_up()
    answers = await asyncio.gather(*(_refresh(api, person.refresh_token) for _ in range(8)))

    assert sorted(str(answer["status"]) for answer in answers) == ["200"] + ["400"] * 7


async def test_expired_refresh_token_is_refused(api: ControlApi) -> None:
    person = await api.sign_up()
    await _expire(api, person.refresh_token)

    assert (await _refresh(api, person.refresh_token))["status"] == 400


async def test_expired_access_token_is_refused(api: ControlApi) -> None:
    person = await api.sign_up()
    await _expire(api, person.access_token)

    answer = await api.http.get("/v1/me", headers=person.headers)
    assert answer.status_code == 401
    assert code_of(answer) == "invalid_key"


async def test_suspended_account_cannot_sign_in(api: ControlApi) -> None:
    person = await api.sign_up()
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set state = 'suspended' where id = :id"),
            {"id": person.account_id},
        )

    answer = await api.sign_in(person.email)
    assert answer.status_code == 403
    assert code_of(answer) == "tenant_suspended"


async def test_tokens_are_stored_as_hashes_only(api: ControlApi, owner: Person) -> None:
    async with api.control.database.service() as session:
        rows = await session.execute(text("select hash, access_tokens::text from access_tokens"))
        stored = {row[0]: row[1] for row in rows}

    assert token_hash(owner.access_token) in stored
    assert all(owner.access_token not in row for row in stored.values())


async def _expire(api: ControlApi, token: str) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update access_tokens set expires_at = created_at where hash = :hash"),
            {"hash": token_hash(token)},
        )
