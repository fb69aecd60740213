"""People of an account as the tests of members need them: invited, accepted, signed in."""

from uuid import uuid4

import httpx
from sqlalchemy import text
from sqlmodel import col, select

from common.values.ids import new_id
from control.api.mail.outbox import open_mail
from control.storage.tables.mails import MailRow
from tests.support.control_api import PASSWORD, ControlApi, Person
from tests.support.resources import Customer, made


def an_email() -> str:
    return f"{uuid4().hex}@people.example"


async def invite(
    api: ControlApi, by: Person, role: str, email: str | None = None
) -> httpx.Response:
    body = {"email": email or an_email(), "role": role}
    return await Customer(api, by).post("/v1/members", body)


async def token_sent_to(api: ControlApi, email: str) -> str:
    """Of the newest invitation's mail."""
    async with api.control.database.service() as session:
        rows = await session.scalars(
            select(MailRow).where(col(MailRow.kind) == "invitation").order_by(col(MailRow.id))
        )
        mails = [open_mail(row, api.control.keys) for row in rows]
    texts = [mail.text for mail in mails if mail.to == email]
    return texts[-1].partition("token=")[2].split()[0]


async def accept(api: ControlApi, token: str, **body: str) -> httpx.Response:
    given = {"token": token, "name": "Bruno", "password": PASSWORD} | body
    return await api.http.post("/v1/invitations/accept", json=given)


async def sign_in(api: ControlApi, account_id: str, user_id: str, email: str) -> Person:
    tokens = (await api.sign_in(email)).json()
    return Person(account_id, user_id, email, tokens["access_token"], tokens["refresh_token"])


async def a_member(api: ControlApi, by: Person, role: str) -> tuple[str, Person]:
    """The member's id, and the person, who is in no other account."""
    email = an_email()
    member = made(await invite(api, by, role, email))
    accepted = made(await accept(api, await token_sent_to(api, email)))
    user_id = accepted["member"]["user_id"]
    return member["id"], await sign_in(api, by.account_id, user_id, email)


async def own_member_id(api: ControlApi, person: Person) -> str:
    members = (await Customer(api, person).get("/v1/members?limit=100")).json()["data"]
    return str(next(one["id"] for one in members if one["user_id"] == person.user_id))


async def join(api: ControlApi, person: Person, account_id: str, role: str) -> None:
    """Add a membership in another account."""
    now = api.control.clock.now()
    async with api.control.database.service() as session:
        await session.execute(
            text(
                "insert into memberships (id, account_id, user_id, role, version, created_at, updated_at)"
                " values (:id, :account, :user, :role, 1, :now, :now)"
            ),
            {
                "id": new_id(),
                "account": account_id,
                "user": person.user_id,
                "role": role,
                "now": now,
            },
        )
