"""Changing roles, removing and leaving."""

import asyncio

from tests.control.identity.members.people import (
    a_member,
    accept,
    an_email,
    invite,
    own_member_id,
    token_sent_to,
)
from tests.support.control_api import ControlApi, Person, code_of
from tests.support.resources import Customer, made


async def _refresh(api: ControlApi, person: Person) -> int:
    grant = {"grant_type": "refresh_token", "refresh_token": person.refresh_token}
    return (await api.http.post("/v1/auth/token", json=grant)).status_code


async def _remove(api: ControlApi, by: Person, member_id: str) -> int:
    answer = await api.http.delete(f"/v1/members/{member_id}", headers=by.headers)
    return answer.status_code


async def test_the_list_shows_members_and_invitations_newest_first(api: ControlApi) -> None:
    owner = await api.sign_up()
    member_id, person = await a_member(api, owner, "manager")
    invitation = made(await invite(api, owner, "analyst"))
    first = (await Customer(api, owner).get("/v1/members?limit=2")).json()
    rest = (
        await Customer(api, owner).get(f"/v1/members?limit=2&cursor={first['next_cursor']}")
    ).json()

    assert [one["id"] for one in first["data"]] == [invitation["id"], member_id]
    assert [one["user_id"] for one in rest["data"]] == [owner.user_id]
    assert rest["data"][0]["invited_by"] is None
    assert first["data"][1]["email"] == person.email
    assert first["data"][1]["last_active_at"] is not None
    active = (await Customer(api, owner).get("/v1/members?status=active")).json()["data"]
    assert [one["status"] for one in active] == ["active", "active"]


async def test_a_role_holds_from_the_next_call_on(api: ControlApi, owner: Person) -> None:
    member_id, person = await a_member(api, owner, "manager")
    answer = await Customer(api, owner).patch(f"/v1/members/{member_id}", 2, {"role": "analyst"})

    assert answer.status_code == 200, answer.text
    assert (answer.json()["role"], answer.json()["version"]) == ("analyst", 3)
    assert code_of(await Customer(api, person).get("/v1/me")) == "invalid_key"
    assert await _refresh(api, person) == 200


async def test_the_same_role_again_changes_nothing(api: ControlApi, owner: Person) -> None:
    member_id, person = await a_member(api, owner, "manager")
    answer = await Customer(api, owner).patch(f"/v1/members/{member_id}", 2, {"role": "manager"})

    assert answer.json()["version"] == 2
    assert (await Customer(api, person).get("/v1/me")).status_code == 200


async def test_a_stale_version_changes_nothing(api: ControlApi, owner: Person) -> None:
    member_id, _ = await a_member(api, owner, "manager")
    path = f"/v1/members/{member_id}"
    stale = await Customer(api, owner).patch(path, 1, {"role": "analyst"})
    bare = await api.http.patch(path, json={"role": "analyst"}, headers=owner.headers)

    assert (stale.status_code, bare.status_code) == (412, 428)
    assert (await Customer(api, owner).get(path)).json()["role"] == "manager"


async def test_an_open_invitation_may_get_another_role(api: ControlApi, owner: Person) -> None:
    email = an_email()
    invitation = made(await invite(api, owner, "manager", email))
    path = f"/v1/members/{invitation['id']}"
    changed = await Customer(api, owner).patch(path, 1, {"role": "finance"})

    assert changed.status_code == 200
    accepted = made(await accept(api, await token_sent_to(api, email)))
    assert accepted["member"]["role"] == "finance"


async def test_a_removed_member_loses_access_at_once(api: ControlApi, owner: Person) -> None:
    member_id, person = await a_member(api, owner, "admin")
    key = await api.add_key(person)
    assert (await api.http.get("/v1/campaigns", headers=key.headers)).status_code == 200
    assert await _remove(api, owner, member_id) == 204

    assert code_of(await Customer(api, person).get("/v1/me")) == "invalid_key"
    assert await _refresh(api, person) == 400
    assert code_of(await api.sign_in(person.email)) == "invalid_grant"
    lost = await api.http.get("/v1/campaigns", headers=key.headers)
    assert code_of(lost) == "permission_lost"
    assert (await Customer(api, owner).get(f"/v1/members/{member_id}")).status_code == 404


async def test_a_demoted_members_key_loses_what_they_lost(api: ControlApi, owner: Person) -> None:
    member_id, person = await a_member(api, owner, "manager")
    key = await api.add_key(person)
    changed = await Customer(api, owner).patch(f"/v1/members/{member_id}", 2, {"role": "analyst"})
    read = await api.http.get("/v1/campaigns", headers=key.headers)
    write = await api.http.post(
        "/v1/campaigns", headers=key.headers, json={"property_ids": [key.property_id]}
    )

    assert changed.status_code == 200
    assert read.status_code == 200
    assert (write.status_code, code_of(write)) == (403, "permission_lost")


async def test_removal_touches_this_account_only(api: ControlApi, owner: Person) -> None:
    person = await api.sign_up()
    await invite(api, owner, "manager", person.email)
    member = made(await accept(api, await token_sent_to(api, person.email)))["member"]
    assert await _remove(api, owner, member["id"]) == 204

    assert (await Customer(api, person).get("/v1/me")).status_code == 200


async def test_invitations_of_a_removed_member_are_void(api: ControlApi, owner: Person) -> None:
    member_id, admin = await a_member(api, owner, "admin")
    email = an_email()
    await invite(api, admin, "manager", email)
    token = await token_sent_to(api, email)
    assert await _remove(api, owner, member_id) == 204

    assert code_of(await accept(api, token)) == "token_invalid"


async def test_an_owner_made_admin_keeps_the_invitations_an_admin_may_make(
    api: ControlApi, owner: Person
) -> None:
    member_id, second = await a_member(api, owner, "owner")
    to_owner, to_analyst = an_email(), an_email()
    await invite(api, second, "owner", to_owner)
    await invite(api, second, "analyst", to_analyst)
    tokens = [await token_sent_to(api, email) for email in (to_owner, to_analyst)]
    await Customer(api, owner).patch(f"/v1/members/{member_id}", 2, {"role": "admin"})

    assert code_of(await accept(api, tokens[0])) == "token_invalid"
    assert (await accept(api, tokens[1])).status_code == 201


async def test_the_last_owner_stays(api: ControlApi) -> None:
    owner = await api.sign_up()
    own_id = await own_member_id(api, owner)
    demoted = await Customer(api, owner).patch(f"/v1/members/{own_id}", 1, {"role": "admin"})
    left = await Customer(api, owner).post("/v1/members/leave")

    assert (demoted.status_code, code_of(demoted)) == (409, "invalid_state")
    assert (left.status_code, code_of(left)) == (409, "invalid_state")
    assert await _remove(api, owner, own_id) == 409


async def test_two_owners_leaving_at_once_leave_one(api: ControlApi) -> None:
    for _ in range(5):
        first = await api.sign_up()
        _, second = await a_member(api, first, "owner")
        left = await asyncio.gather(
            *(Customer(api, who).post("/v1/members/leave") for who in (first, second))
        )
        assert sorted(answer.status_code for answer in left) == [204, 409]


async def test_two_owners_removing_each_other_leave_one(api: ControlApi) -> None:
    first = await api.sign_up()
    second_id, second = await a_member(api, first, "owner")
    first_id = await own_member_id(api, first)
    removed = await asyncio.gather(_remove(api, first, second_id), _remove(api, second, first_id))

    assert min(removed) == 204
    assert max(removed) in {401, 403}  # no token any more, or no member


async def test_everybody_but_the_last_owner_may_leave(api: ControlApi, owner: Person) -> None:
    for role in ("owner", "admin", "manager", "analyst", "finance"):
        _, person = await a_member(api, owner, role)
        left = await Customer(api, person).post("/v1/members/leave")
        assert (left.status_code, left.content) == (204, b""), role
        assert code_of(await Customer(api, person).get("/v1/me")) == "invalid_key"


async def test_an_admin_manages_all_but_owners(api: ControlApi, owner: Person) -> None:
    _, admin = await a_member(api, owner, "admin")
    owner_id = await own_member_id(api, owner)
    other_id, _ = await a_member(api, admin, "analyst")
    refused = [
        await invite(api, admin, "owner"),
        await Customer(api, admin).patch(f"/v1/members/{owner_id}", 1, {"role": "analyst"}),
        await Customer(api, admin).patch(f"/v1/members/{other_id}", 2, {"role": "owner"}),
        await api.http.delete(f"/v1/members/{owner_id}", headers=admin.headers),
    ]
    changed = await Customer(api, admin).patch(f"/v1/members/{other_id}", 2, {"role": "admin"})

    assert {code_of(answer) for answer in refused} == {"permission_denied"}
    assert changed.status_code == 200
    assert await _remove(api, admin, other_id) == 204


async def test_nobody_raises_their_own_role(api: ControlApi, owner: Person) -> None:
    _, admin = await a_member(api, owner, "admin")
    own_id = await own_member_id(api, admin)
    for role in ("owner", "finance", "analyst"):
        answer = await Customer(api, admin).patch(f"/v1/members/{own_id}", 2, {"role": role})
        assert (answer.status_code, code_of(answer)) == (403, "permission_denied"), role
    lowered = await Customer(api, admin).patch(f"/v1/members/{own_id}", 2, {"role": "manager"})
    assert lowered.status_code == 200


async def test_role_changes_stand_in_the_audit_log(api: ControlApi, owner: Person) -> None:
    member_id, _ = await a_member(api, owner, "manager")
    await Customer(api, owner).patch(f"/v1/members/{member_id}", 2, {"role": "analyst"})
    path = f"/v1/audit-log?object_id={member_id}&action=updateMember"
    line = (await Customer(api, owner).get(path)).json()["data"][0]

    assert line["actor"] == f"user:{owner.user_id}"
    assert line["detail"] == {"fields": ["role"], "role": {"from": "manager", "to": "analyst"}}
