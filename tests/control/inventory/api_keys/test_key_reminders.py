"""Keys older than 90 days: shown by the API and the page, and reported in a weekly mail."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from common.values.environment import Environment
from common.values.keys import KeyKind
from control.inventory.api_keys.reminders import remind_of_keys
from tests.control.identity.members.people import a_member
from tests.support.control_api import ControlApi
from tests.support.mailbox import mails_to, text_of
from tests.support.moved_clock import MovedClock
from tests.support.resources import Customer
from tests.support.visitor import visiting

SUBJECT = "Keys to rotate"


async def _age(api: ControlApi, account_id: str, days: int) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update keys set created_at = :at where account_id = :id"),
            {"at": api.control.clock.now() - timedelta(days=days), "id": account_id},
        )


@pytest.mark.parametrize(("days", "due"), [(89, False), (91, True)])
async def test_old_secrets_are_due_and_publishable_keys_never(
    api: ControlApi, days: int, *, due: bool
) -> None:
    person = await api.sign_up()
    site = await api.add_property(person)
    live = Environment.LIVE
    secret = await api.add_key(person, KeyKind.SECRET, live, property_id=site)
    await api.add_key(person, KeyKind.PUBLISHABLE, live, property_id=site)
    system = await api.add_key(person, property_id=site)
    await _age(api, person.account_id, days)
    customer = Customer(api, person)
    listed = (await customer.get("/v1/sdk-keys")).json()["data"]
    own = (await customer.get("/v1/me")).json()
    systems = (await customer.get("/v1/me", system.headers)).json()

    assert {key["id"]: key["rotation_due"] for key in listed}[secret.id] is due
    assert [key["rotation_due"] for key in listed if key["kind"] == "publishable"] == [False]
    assert own["keys_to_rotate"] == systems["keys_to_rotate"] == (2 if due else 0)
    assert systems["key"]["rotation_due"] is due


async def test_owners_and_admins_have_a_mail_a_week(api: ControlApi, clock: MovedClock) -> None:
    person = await api.sign_up()
    _, admin = await a_member(api, person, "admin")
    _, manager = await a_member(api, person, "manager")
    key = await api.add_key(person)
    await _age(api, person.account_id, 100)
    for day in range(8):
        await remind_of_keys(api.control)
        if day < 7:
            clock.advance(timedelta(days=1))
    found = {
        one.email: [m for m in await mails_to(api, one.email) if m["Subject"] == SUBJECT]
        for one in (person, admin, manager)
    }

    assert [len(mails) for mails in found.values()] == [2, 2, 0]
    assert "A key of your account is older than 90 days." in text_of(found[person.email][0])
    assert key.text.last4 in text_of(found[person.email][0])
    assert "/test/keys?family=integration\r\n" in text_of(found[person.email][0])
    assert key.text.text not in text_of(found[person.email][0])


async def test_a_monthly_mail_comes_every_four_weeks(api: ControlApi, clock: MovedClock) -> None:
    person = await api.sign_up()
    _, admin = await a_member(api, person, "admin")
    monthly = {"off": [], "monthly": ["keys_to_rotate"]}
    await api.http.patch("/v1/me/mails", json=monthly, headers=admin.headers)
    await api.add_key(person)
    await _age(api, person.account_id, 100)
    sent = []
    for _ in range(6):
        await remind_of_keys(api.control)
        clock.advance(timedelta(days=7))
        sent.append(
            [
                sum(m["Subject"] == SUBJECT for m in await mails_to(api, one.email))
                for one in (person, admin)
            ]
        )

    assert sent == [[1, 1], [2, 1], [3, 1], [4, 1], [5, 2], [6, 2]]


async def test_advice_stands_where_keys_are_made(api: ControlApi) -> None:
    person = await api.sign_up()
    await api.add_key(person)
    await _age(api, person.account_id, 100)
    async with visiting(api, person) as visitor:
        page = (await visitor.http.get("/live/keys/new")).text
        listed = (await visitor.http.get("/test/keys?family=integration")).text

    for advice in (
        "Rotate keys at least every 90 days.",
        "Never commit or log secret keys.",
        "Keep test and live keys in separate accounts.",
        "Give an integrator its own property and keys.",
    ):
        assert advice in page
    assert "Older than 90 days: rotate it" in listed
