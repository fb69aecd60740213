"""A person in several accounts."""

import pytest
from sqlalchemy import text

from common.values.ids import new_id
from tests.control.identity.members.people import join
from tests.support.control_api import PASSWORD, ControlApi, Person, bearer, code_of


@pytest.fixture
async def guest(api: ControlApi, owner: Person) -> Person:
    """An owner of an account of their own, and an analyst in the other owner's."""
    person = await api.sign_up("Guest Media")
    await join(api, person, owner.account_id, "analyst")
    return person


async def _sign_in(api: ControlApi, person: Person, account_id: str) -> dict[str, str]:
    grant = {
        "grant_type": "password",
        "email": person.email,
        "password": PASSWORD,
        "account_id": account_id,
    }
    answer = await api.http.post("/v1/auth/token", json=grant)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_a_person_sees_their_accounts_and_roles(
    api: ControlApi, owner: Person, guest: Person
) -> None:
    listed = (await api.http.get("/v1/accounts", headers=guest.headers)).json()["data"]

    assert {one["id"]: (one["role"], one["is_current"]) for one in listed} == {
        guest.account_id: ("owner", True),
        owner.account_id: ("analyst", False),
    }


async def test_the_account_is_chosen_at_sign_in(
    api: ControlApi, owner: Person, guest: Person
) -> None:
    tokens = await _sign_in(api, guest, owner.account_id)
    me = (await api.http.get("/v1/me", headers=bearer(tokens["access_token"]))).json()

    assert (me["account"]["id"], me["role"]) == (owner.account_id, "analyst")


async def test_without_a_choice_it_is_the_one_they_have_been_in_longest(
    api: ControlApi, guest: Person
) -> None:
    me = (await api.http.get("/v1/me", headers=guest.headers)).json()

    assert me["account"]["id"] == guest.account_id


async def test_without_a_choice_it_is_an_account_that_is_not_suspended(
    api: ControlApi, owner: Person, guest: Person
) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "update accounts set state = 'suspended', state_reason = 'operator' where id = :id"
            ),
            {"id": guest.account_id},
        )
    tokens = (await api.sign_in(guest.email)).json()
    me = (await api.http.get("/v1/me", headers=bearer(tokens["access_token"]))).json()
    grant = {"grant_type": "password", "email": guest.email, "password": PASSWORD}
    named = await api.http.post("/v1/auth/token", json={**grant, "account_id": guest.account_id})

    assert me["account"]["id"] == owner.account_id
    assert (named.status_code, code_of(named)) == (403, "tenant_suspended")


async def test_an_account_one_is_not_in_is_refused_as_an_absent_one(api: ControlApi) -> None:
    person, outsider = await api.sign_up(), await api.sign_up()
    answers = []
    for account_id in (outsider.account_id, new_id()):
        grant = {"grant_type": "password", "email": person.email, "password": PASSWORD}
        answer = await api.http.post("/v1/auth/token", json={**grant, "account_id": account_id})
        assert (answer.status_code, code_of(answer)) == (400, "invalid_grant")
        answers.append((answer.json()["error"]["param"], answer.json()["error"]["message"]))

    assert answers[0] == answers[1]
    assert answers[0][0] == "account_id"


async def test_sessions_of_all_accounts_are_the_persons_own(
    api: ControlApi, owner: Person, guest: Person
) -> None:
    await _sign_in(api, guest, owner.account_id)
    listed = (await api.http.get("/v1/sessions", headers=guest.headers)).json()["data"]
    of_the_other = (await api.http.get("/v1/sessions", headers=owner.headers)).json()["data"]

    assert {one["account_id"] for one in listed} == {guest.account_id, owner.account_id}
    assert not {one["id"] for one in listed} & {one["id"] for one in of_the_other}
