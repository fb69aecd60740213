"""Inviting somebody, and becoming a member."""

import asyncio
from datetime import timedelta

import httpx
import pytest
from sqlalchemy import text

from control.api.authentication import token_hash
from control.identity.members.jobs import sweep_invitations
from tests.control.identity.members.people import (
    a_member,
    accept,
    an_email,
    invite,
    sign_in,
    token_sent_to,
)
from tests.support.control_api import PASSWORD, ControlApi, Person, code_of
from tests.support.mailbox import mails_to, text_of
from tests.support.resources import Customer, made, params_of


async def _age(api: ControlApi, email: str, days: int) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "update invitations set expires_at = expires_at - cast(:by as interval) where email = :email"
            ),
            {"by": timedelta(days=days), "email": email},
        )


async def test_an_invitation_is_a_member_to_be(api: ControlApi, owner: Person) -> None:
    email = an_email()
    answer = await invite(api, owner, "manager", email.upper())

    shown = made(answer)
    assert answer.headers["location"] == f"/v1/members/{shown['id']}"
    assert (shown["email"], shown["role"], shown["status"]) == (email, "manager", "invited")
    assert (shown["user_id"], shown["invited_by"]) == (None, owner.user_id)
    read = await Customer(api, owner).get(f"/v1/members/{shown['id']}")
    assert read.json() == shown
    assert read.headers["etag"] == '"1"'


async def test_accepting_makes_a_member_under_the_same_id(api: ControlApi, owner: Person) -> None:
    email = an_email()
    invitation = made(await invite(api, owner, "analyst", email))
    answer = await accept(api, await token_sent_to(api, email), name="Bruno")

    accepted = made(answer)
    assert accepted["account"]["id"] == owner.account_id
    assert accepted["member"] == {
        **invitation,
        "user_id": accepted["member"]["user_id"],
        "name": "Bruno",
        "status": "active",
        "expires_at": None,
        "version": 2,
        **{name: accepted["member"][name] for name in ("created_at", "updated_at")},
    }
    member = await sign_in(api, owner.account_id, accepted["member"]["user_id"], email)
    me = (await Customer(api, member).get("/v1/me")).json()
    assert (me["account"]["id"], me["role"]) == (owner.account_id, "analyst")


async def test_no_token_is_kept_in_clear(api: ControlApi, owner: Person) -> None:
    email = an_email()
    await invite(api, owner, "analyst", email)
    token = await token_sent_to(api, email)

    async with api.control.database.service() as session:
        kept = await session.scalar(
            text("select token_hash from invitations where email = :email"), {"email": email}
        )
        mails = (await session.scalars(text("select sealed from mails"))).all()
    assert kept == token_hash(token)
    assert not any(token in sealed for sealed in mails)


async def test_an_invitation_is_good_for_one_use(api: ControlApi, owner: Person) -> None:
    email = an_email()
    await invite(api, owner, "analyst", email)
    token = await token_sent_to(api, email)
    answers = await asyncio.gather(*(accept(api, token) for _ in range(8)))

    assert len([answer for answer in answers if answer.status_code == 201]) == 1
    codes = {code_of(answer) for answer in answers if answer.status_code != 201}
    assert codes <= {"token_invalid", "already_exists", "invalid_grant"}
    assert code_of(await accept(api, token)) == "token_invalid"


async def test_an_expired_invitation_says_so(api: ControlApi, owner: Person) -> None:
    email = an_email()
    await invite(api, owner, "analyst", email)
    token = await token_sent_to(api, email)
    await _age(api, email, 8)

    answer = await accept(api, token)
    assert (answer.status_code, code_of(answer)) == (410, "token_expired")


async def test_sending_again_makes_the_old_link_void(api: ControlApi, owner: Person) -> None:
    email = an_email()
    invitation = made(await invite(api, owner, "analyst", email))
    old = await token_sent_to(api, email)
    await _age(api, email, 8)
    sent = await Customer(api, owner).post(f"/v1/members/{invitation['id']}/resend")

    assert sent.status_code == 200
    assert sent.json()["version"] == 2
    assert code_of(await accept(api, old)) == "token_invalid"
    assert (await accept(api, await token_sent_to(api, email))).status_code == 201


async def test_a_member_who_has_joined_is_sent_no_invitation(
    api: ControlApi, owner: Person
) -> None:
    member_id, _ = await a_member(api, owner, "analyst")
    answer = await Customer(api, owner).post(f"/v1/members/{member_id}/resend")

    assert (answer.status_code, code_of(answer)) == (409, "invalid_state")


async def test_a_member_is_not_invited_again(api: ControlApi, owner: Person) -> None:
    _, person = await a_member(api, owner, "analyst")
    answer = await invite(api, owner, "manager", person.email)

    assert (answer.status_code, code_of(answer)) == (409, "already_exists")
    assert answer.json()["error"]["param"] == "email"


async def test_an_open_invitation_is_not_made_twice(api: ControlApi, owner: Person) -> None:
    email = an_email()
    answers = await asyncio.gather(*(invite(api, owner, "analyst", email) for _ in range(6)))

    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 5


async def test_an_expired_invitation_is_replaced(api: ControlApi, owner: Person) -> None:
    email = an_email()
    first = made(await invite(api, owner, "analyst", email))
    await _age(api, email, 8)
    second = made(await invite(api, owner, "manager", email))

    assert second["id"] != first["id"]
    assert (await Customer(api, owner).get(f"/v1/members/{first['id']}")).status_code == 404


async def test_a_revoked_invitation_is_refused(api: ControlApi, owner: Person) -> None:
    email = an_email()
    invitation = made(await invite(api, owner, "analyst", email))
    token = await token_sent_to(api, email)
    gone = await api.http.delete(f"/v1/members/{invitation['id']}", headers=owner.headers)

    assert (gone.status_code, gone.content) == (204, b"")
    assert code_of(await accept(api, token)) == "token_invalid"


async def test_a_new_user_gives_a_name_and_a_password(api: ControlApi, owner: Person) -> None:
    email = an_email()
    await invite(api, owner, "analyst", email)
    token = await token_sent_to(api, email)
    bare = await api.http.post("/v1/invitations/accept", json={"token": token})
    short = await accept(api, token, password="short")

    assert params_of(bare) == ["name", "password"]
    assert params_of(short) == ["password"]
    assert (await accept(api, token)).status_code == 201


@pytest.mark.parametrize(
    "name", ["Ana https://evil.example", "evil.example/win", "www.evil.example"]
)
async def test_a_name_with_a_link_is_refused_as_at_sign_up(
    api: ControlApi, owner: Person, name: str
) -> None:
    email = an_email()
    await invite(api, owner, "analyst", email)
    token = await token_sent_to(api, email)
    signing_up = {"name": "Acme", "owner_name": name, "email": an_email(), "password": PASSWORD}
    signed_up = await api.http.post("/v1/accounts", json=signing_up)
    accepted = await accept(api, token, name=name)

    def fault(answer: httpx.Response) -> tuple[int, str, str]:
        (detail,) = answer.json()["error"]["details"]
        return answer.status_code, detail["code"], detail["message"]

    assert fault(accepted) == fault(signed_up)
    assert fault(accepted)[:2] == (422, "link")
    assert params_of(accepted) == ["name"]
    assert (await accept(api, token)).status_code == 201


async def test_an_existing_user_accepts_with_their_password(api: ControlApi, owner: Person) -> None:
    person = await api.sign_up("Elsewhere")
    await invite(api, owner, "manager", person.email)
    token = await token_sent_to(api, person.email)
    wrong = await accept(api, token, password="not the password at all")
    right = await accept(api, token)

    assert (wrong.status_code, code_of(wrong)) == (400, "invalid_grant")
    assert made(right)["member"]["user_id"] == person.user_id
    assert made(right)["member"]["name"] == "Elsewhere"


async def test_accepting_again_with_the_same_key_returns_the_stored_answer(
    api: ControlApi, owner: Person
) -> None:
    email = an_email()
    await invite(api, owner, "analyst", email)
    body = {"token": await token_sent_to(api, email), "name": "Bruno", "password": PASSWORD}
    first, again, other = [
        await api.http.post(
            "/v1/invitations/accept", json=body | changed, headers={"Idempotency-Key": email}
        )
        for changed in ({}, {}, {"password": "another horse battery"})
    ]

    assert (first.status_code, again.status_code) == (201, 201), again.text
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert code_of(other) == "idempotency_key_reused"


async def test_a_signed_in_user_needs_no_password(api: ControlApi, owner: Person) -> None:
    person, other = await api.sign_up(), await api.sign_up()
    await invite(api, owner, "manager", person.email)
    body = {"token": await token_sent_to(api, person.email)}
    foreign = await api.http.post("/v1/invitations/accept", json=body, headers=other.headers)
    own = await api.http.post("/v1/invitations/accept", json=body, headers=person.headers)

    assert (foreign.status_code, code_of(foreign)) == (400, "invalid_grant")
    assert made(own)["member"]["user_id"] == person.user_id


async def test_guessing_the_password_of_somebody_invited_is_slowed(
    api: ControlApi, owner: Person
) -> None:
    person = await api.sign_up()
    await invite(api, owner, "manager", person.email)
    token = await token_sent_to(api, person.email)
    codes = [code_of(await accept(api, token, password="a wrong password")) for _ in range(6)]

    assert codes == ["invalid_grant"] * 5 + ["rate_limited"]


async def test_a_suspended_account_takes_nobody_in(api: ControlApi) -> None:
    owner = await api.sign_up()
    email = an_email()
    await invite(api, owner, "analyst", email)
    token = await token_sent_to(api, email)
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set state = 'suspended' where id = :id"), {"id": owner.account_id}
        )

    assert code_of(await accept(api, token)) == "tenant_suspended"


async def test_acceptance_stands_in_the_audit_log_without_the_token(
    api: ControlApi, owner: Person
) -> None:
    member_id, person = await a_member(api, owner, "analyst")
    path = f"/v1/audit-log?object_type=member&object_id={member_id}"
    lines = (await Customer(api, owner).get(path)).json()["data"]

    assert [line["action"] for line in lines] == ["invitation.accept", "inviteMember"]
    assert lines[0]["actor"] == f"user:{person.user_id}"
    assert lines[0]["detail"] == {"role": "analyst"}
    assert "iv_" not in str(lines)


async def test_invitations_long_expired_are_swept(api: ControlApi, owner: Person) -> None:
    kept, gone = an_email(), an_email()
    for email, days in ((kept, 30), (gone, 38)):
        await invite(api, owner, "analyst", email)
        await _age(api, email, days)
    await sweep_invitations(api.control)

    members = (await Customer(api, owner).get("/v1/members?status=invited&limit=100")).json()
    emails = {member["email"] for member in members["data"]}
    assert kept in emails
    assert gone not in emails


@pytest.mark.parametrize("email", ["nobody", "a@b", "ä@example.com", "a@example.com\nBcc: b@c.de"])
async def test_an_invalid_address_is_refused(api: ControlApi, owner: Person, email: str) -> None:
    answer = await invite(api, owner, "analyst", email)

    assert params_of(answer) == ["email"]


async def test_the_password_of_a_new_member_is_no_other_than_theirs(
    api: ControlApi, owner: Person
) -> None:
    _, person = await a_member(api, owner, "analyst")

    assert (await api.sign_in(person.email, PASSWORD + "!")).status_code == 400


async def test_inviting_an_address_over_its_mail_limit_is_refused_with_retry_after(
    api: ControlApi, owner: Person
) -> None:
    email = an_email()
    inviters = [await api.sign_up() for _ in range(3)]
    answers = [await invite(api, by, "analyst", email) for by in (*inviters, owner)]

    refused = answers[-1]
    error = refused.json()["error"]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert error["code"] == "rate_limited"
    assert error["message"] == (
        "This address received 3 mails in the last 24 hours, the maximum for all accounts together. "
        "Try again in 24 h."
    )
    assert 86_000 < int(refused.headers["retry-after"]) <= 86_400


async def test_an_owner_without_a_name_of_their_own_is_not_named_as_the_account(
    api: ControlApi,
) -> None:
    owner = await api.sign_up("Acme")
    _, bruno = await a_member(api, owner, "admin")
    words = []
    for inviter in (owner, bruno):
        email = an_email()
        made(await invite(api, inviter, "analyst", email))
        (mail,) = await mails_to(api, email)
        words.append(text_of(mail))

    assert 'You are invited to join "Acme" on Placard as analyst.' in words[0]
    assert '"Bruno" invites you to join "Acme" on Placard as analyst.' in words[1]
