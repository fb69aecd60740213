"""What people do with their own data: export it, delete it, and choose which mails they receive."""

import re
from datetime import timedelta

from sqlalchemy import text

from common.values.keys import KeyKind
from control.identity.passwords.reset import answer_reset_requests
from control.inventory.api_keys.reminders import remind_of_keys
from tests.control.identity.members.people import a_member, join
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of
from tests.support.mailbox import mails_to
from tests.support.resources import Customer

_PROOF = {"password": PASSWORD}


async def _delete(api: ControlApi, person: Person, password: str = PASSWORD) -> str:
    answer = await Customer(api, person).post("/v1/me/delete", {"password": password})
    return "deleted" if answer.status_code == 204 else code_of(answer)


async def test_an_export_holds_what_is_stored_about_the_person_and_no_secret(
    api: ControlApi,
) -> None:
    owner = await api.sign_up()
    _, member = await a_member(api, owner, "manager")
    await api.http.patch(
        "/v1/me", json={"name": "Bruno Lima", "language": "pt-BR"}, headers=member.headers
    )
    key = await api.add_key(member)
    view = {"name": "Weekly", "question": {"range": "7d"}, "is_shared": True}
    saved = await Customer(api, member).post("/v1/reports/views?environment=live", view)

    answer = await Customer(api, member).post("/v1/me/export", _PROOF)
    found = answer.json()

    assert answer.status_code == 200, answer.text
    assert found["user"]["email"] == member.email
    assert found["user"]["name"] == "Bruno Lima"
    assert found["user"]["language"] == "pt-BR"
    assert [(one["account_id"], one["role"]) for one in found["memberships"]] == [
        (owner.account_id, "manager")
    ]
    assert [(one["id"], one["question"], one["is_shared"]) for one in found["saved_views"]] == [
        (saved.json()["id"], {"range": "7d"}, True)
    ]
    assert found["sessions"]
    assert [one["id"] for one in found["keys_created"]] == [key.id]
    assert "updateMe" in {one["action"] for one in found["audit_lines"]}
    assert owner.email not in answer.text
    assert "argon2" not in answer.text


async def test_instants_of_an_export_have_milliseconds(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, member = await a_member(api, owner, "manager")

    answer = await Customer(api, member).post("/v1/me/export", _PROOF)
    instants = re.findall(r'"(\d{4}-\d\d-\d\dT[^"]*)"', answer.text)

    assert len(instants) > 3
    assert [one for one in instants if not re.fullmatch(r".{19}\.\d{3}Z", one)] == []


async def test_a_wrong_password_exports_and_deletes_nothing(api: ControlApi) -> None:
    _, member = await a_member(api, await api.sign_up(), "analyst")
    export = await Customer(api, member).post("/v1/me/export", {"password": "not this one"})

    assert code_of(export) == "invalid_grant"
    assert await _delete(api, member, "not this one") == "invalid_grant"
    assert (await api.sign_in(member.email)).status_code == 200


async def test_a_deleted_user_leaves_no_name_and_no_way_to_sign_in(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, member = await a_member(api, owner, "manager")
    chosen = await api.http.patch("/v1/me", json={"language": "pt-BR"}, headers=member.headers)
    assert chosen.json()["user"]["language"] == "pt-BR"
    sent = [len(await mails_to(api, person.email)) for person in (member, owner)]
    for person in (member, owner):
        await api.http.post("/v1/auth/password-reset", json={"email": person.email})
    await answer_reset_requests(api.control)

    assert await _delete(api, member) == "deleted"

    assert len(await mails_to(api, member.email)) == sent[0]
    assert len(await mails_to(api, owner.email)) == sent[1] + 1
    assert (await Customer(api, member).get("/v1/me")).status_code == 401
    assert (await api.sign_in(member.email)).status_code == 400
    members = (await Customer(api, owner).get("/v1/members")).json()["data"]
    assert [one["user_id"] for one in members] == [owner.user_id]
    lines = (await Customer(api, owner).get("/v1/audit-log?action=deleteMe")).json()["data"]
    assert [one["object_id"] for one in lines] == [member.user_id]
    async with api.control.database.service() as session:
        row = (
            await session.execute(
                text("select email, name, password_hash, language from users where id = :id"),
                {"id": member.user_id},
            )
        ).one()
        left = await session.scalar(
            text(
                "select (select count(*) from sessions where user_id = :id)"
                " + (select count(*) from known_origins where user_id = :id)"
                " + (select count(*) from memberships where user_id = :id)"
            ),
            {"id": member.user_id},
        )
    assert tuple(row) == (f"{member.user_id}@deleted.invalid", "Deleted user", "", None)
    assert left == 0


async def test_the_address_of_a_deleted_user_can_sign_up_again(api: ControlApi) -> None:
    _, member = await a_member(api, await api.sign_up(), "analyst")
    await _delete(api, member)
    body = {"name": "Anew", "email": member.email, "password": PASSWORD, "currency": "USD"}

    assert (await api.http.post("/v1/accounts", json=body)).status_code == 201


async def test_the_only_owner_of_an_open_account_is_not_deleted(api: ControlApi) -> None:
    owner = await api.sign_up("Harbour News")
    await a_member(api, owner, "admin")
    answer = await Customer(api, owner).post("/v1/me/delete", _PROOF)

    assert answer.status_code == 409
    assert "Harbour News" in answer.json()["error"]["message"]

    await a_member(api, owner, "owner")
    assert await _delete(api, owner) == "deleted"


async def test_the_only_owner_closes_the_account_with_their_user(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, admin = await a_member(api, owner, "admin")
    key = await api.add_key(owner, KeyKind.SECRET)
    body = {"name": "Anew", "email": owner.email, "password": PASSWORD, "currency": "USD"}

    answer = await Customer(api, owner).post("/v1/me/delete", _PROOF | {"close_accounts": True})

    assert answer.status_code == 204, answer.text
    assert code_of(await api.http.get("/v1/me", headers=key.headers)) == "key_revoked"
    assert (await Customer(api, admin).get("/v1/me")).status_code == 401
    assert code_of(await api.sign_in(admin.email)) == "tenant_suspended"
    assert (await api.http.post("/v1/accounts", json=body)).status_code == 201
    async with api.control.database.service() as session:
        state = await session.scalar(
            text("select state_reason from accounts where id = :id"), {"id": owner.account_id}
        )
        acts = await session.scalars(
            text("select action from audit_log where account_id = :id and actor = :actor"),
            {"id": owner.account_id, "actor": f"user:{owner.user_id}"},
        )
        assert {"account.closed", "deleteMe"} <= set(acts)
    assert state == "closed"


async def test_a_deletion_is_in_the_audit_log_of_every_account(api: ControlApi) -> None:
    owner, host = await api.sign_up(), await api.sign_up("Host Media")
    _, member = await a_member(api, owner, "manager")
    await join(api, member, host.account_id, "analyst")

    assert await _delete(api, member) == "deleted"

    for reader in (owner, host):
        lines = (await Customer(api, reader).get("/v1/audit-log?action=deleteMe")).json()["data"]
        assert [(one["actor"], one["object_id"]) for one in lines] == [
            (f"user:{member.user_id}", member.user_id)
        ]


async def test_an_account_with_another_owner_stays_open(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, other = await a_member(api, owner, "owner")

    await Customer(api, owner).post("/v1/me/delete", _PROOF | {"close_accounts": True})

    assert (await Customer(api, other).get("/v1/account")).json()["state"] == "active"


async def test_choices_that_are_not_sent_are_unchanged(api: ControlApi) -> None:
    owner = await api.sign_up()
    monthly = {"off": [], "monthly": ["keys_to_rotate"]}
    for body in (monthly, {"off": ["verification_failing"]}):
        changed = await api.http.patch("/v1/me/mails", json=body, headers=owner.headers)

    assert changed.json() == {"off": ["verification_failing"], "monthly": ["keys_to_rotate"]}


async def test_a_refused_reminder_is_not_sent_and_others_are(api: ControlApi) -> None:
    owner = await api.sign_up()
    _, other = await a_member(api, owner, "admin")
    chosen = await api.http.patch(
        "/v1/me/mails", json={"off": ["keys_to_rotate"]}, headers=owner.headers
    )
    await api.add_key(owner, KeyKind.SECRET)
    async with api.control.database.service() as session:
        await session.execute(
            text("update keys set created_at = :at where account_id = :id"),
            {"at": api.control.clock.now() - timedelta(days=91), "id": owner.account_id},
        )
    await remind_of_keys(api.control)

    choices = {"off": ["keys_to_rotate"], "monthly": []}
    assert chosen.json() == choices
    assert (await Customer(api, owner).get("/v1/me/mails")).json() == choices
    subject = "Keys to rotate"
    assert subject not in {one["Subject"] for one in await mails_to(api, owner.email)}
    assert subject in {one["Subject"] for one in await mails_to(api, other.email)}
