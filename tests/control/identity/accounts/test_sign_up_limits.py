"""The limits of signing up: how often, whose mailbox it reaches, and with which words."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import orjson
import pytest
import pytest_asyncio
from pydantic import TypeAdapter
from sqlalchemy import text

from common.contract.operation import Operation
from common.http.client_address import site_of
from common.values.enums import PropertyStatus
from common.values.errors import ErrorCode
from control.api.operator_action import operator_action
from control.identity.accounts.endpoints import take_sign_up
from control.identity.members.operations import INVITE, RESEND
from control.identity.users.names import Name, quoted
from control.operations.admin_cli.properties import set_status
from tests.control.identity.members.people import an_email, invite
from tests.support.control_api import (
    PASSWORD,
    ControlApi,
    DatabaseTemplate,
    Person,
    code_of,
    running_control,
)
from tests.support.mailbox import RESET, VERIFY, mails_to, text_of, token_in_newest
from tests.support.resources import Customer
from tests.support.visitor import FROM_OUR_PAGE


@pytest_asyncio.fixture
async def behind_proxy(
    migrated: DatabaseTemplate, servers_folder: Path
) -> AsyncIterator[ControlApi]:
    """Ten sign-ups an hour; the caller's address is what the proxy says."""
    settings = {"sign_ups_per_hour": 10, "trusted_proxies": 1}
    async with running_control(migrated.new_database(), servers_folder, **settings) as running:
        yield running


async def _sign_up(api: ControlApi, address: str, email: str | None = None, **headers: str) -> int:
    body = {"name": "Acme", "email": email or an_email(), "password": PASSWORD}
    sent = {"X-Forwarded-For": address} | headers
    return (await api.http.post("/v1/accounts", json=body, headers=sent)).status_code


async def test_a_network_signs_up_ten_times_an_hour_without_its_repetitions(
    behind_proxy: ControlApi,
) -> None:
    taken, key = an_email(), {"Idempotency-Key": "mine"}
    repeated = [await _sign_up(behind_proxy, "192.0.2.0", taken, **key) for _ in range(12)]
    codes = [await _sign_up(behind_proxy, f"192.0.2.{n}", taken) for n in range(9)]

    assert repeated == [201] * 12
    assert codes == [409] * 9
    assert await _sign_up(behind_proxy, "192.0.2.99") == 429
    assert await _sign_up(behind_proxy, "198.51.100.1") == 201


async def test_the_page_shares_the_limit_of_sign_ups(behind_proxy: ControlApi) -> None:
    codes = [await _sign_up(behind_proxy, f"192.0.2.{n}") for n in range(10)]
    form = {"name": "Acme", "email": an_email(), "password": PASSWORD, "currency": "EUR"}
    sent = {"X-Forwarded-For": "192.0.2.99"} | FROM_OUR_PAGE
    refused = await behind_proxy.http.post("/sign-up", data=form, headers=sent)

    assert codes == [201] * 10
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 3600


@pytest.mark.parametrize("most", [1, 10, 20, 21, 100])
async def test_no_hour_has_more_sign_ups_than_the_limit(api: ControlApi, most: int) -> None:
    site, admitted = an_email(), list[datetime]()
    async with api.control.database.service() as session:
        for half_minutes in range(300):
            now = datetime(2030, 1, 1, tzinfo=UTC) + timedelta(seconds=30) * half_minutes
            if not await take_sign_up(session, now, site, most):
                admitted.append(now)

    for first in admitted:
        assert sum(first <= one < first + timedelta(hours=1) for one in admitted) <= most
    assert sum(one < admitted[0] + timedelta(hours=1) for one in admitted) >= most - 1


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("192.0.2.77", "192.0.2.0/24"),
        ("::ffff:192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:23ff::9", "2001:db8:1:2300::/56"),
        ("", ""),
    ],
)
def test_networks_of_sign_ups(address: str, site: str) -> None:
    assert site_of(address) == site


async def test_an_account_invites_nobody_before_its_address_is_verified(
    api: ControlApi, owner: Person
) -> None:
    assert owner
    person = await api.sign_up(verified=False)
    refused = await invite(api, person, "analyst")
    await _confirm(api, person)

    assert (refused.status_code, code_of(refused)) == (403, "email_unverified")
    assert (await invite(api, person, "analyst")).status_code == 201


async def test_an_account_sends_no_invitation_again_before_its_address_is_verified(
    api: ControlApi, owner: Person
) -> None:
    assert owner
    person = await api.sign_up()
    member = (await invite(api, person, "analyst")).json()["id"]
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set address_verified_at = null where id = :id"),
            {"id": person.account_id},
        )
    refused = await Customer(api, person).post(f"/v1/members/{member}/resend", {})

    assert (refused.status_code, code_of(refused)) == (403, "email_unverified")


@pytest.mark.parametrize("operation", [INVITE, RESEND], ids=lambda operation: operation.id)
def test_the_refusal_of_an_invitation_is_described(operation: Operation) -> None:
    assert ErrorCode.EMAIL_UNVERIFIED in operation.all_errors


async def test_edges_see_no_verified_property_before_the_address_is(
    api: ControlApi, owner: Person
) -> None:
    assert owner
    person = await api.sign_up(verified=False)
    site = (await Customer(api, person).make_property())["id"]
    async with operator_action(api.control) as act:
        await set_status(act, site, PropertyStatus.VERIFIED, "verify")
    before = await _status_at_edges(api, site)
    me = (await api.http.get("/v1/me", headers=person.headers)).json()
    await _confirm(api, person)

    assert (before, await _status_at_edges(api, site)) == ("unverified", "verified")
    assert [block["code"] for block in me["blocks"]] == ["address_unverified"]


async def _status_at_edges(api: ControlApi, property_id: str) -> str:
    async with api.control.database.service() as session:
        body = await session.scalar(
            text("select body from snapshot_objects where type = 'property' and id = :id"),
            {"id": property_id},
        )
    return str(orjson.loads(body)["status"])


async def test_a_reset_by_mail_verifies_the_account_too(api: ControlApi, owner: Person) -> None:
    assert owner
    person = await api.sign_up(verified=False)
    await api.http.post("/v1/auth/password-reset", json={"email": person.email})
    token = await token_in_newest(api, person.email, RESET)
    body = {"token": token, "new_password": "seven quiet otters dream"}
    await api.http.post("/v1/auth/password-reset/confirm", json=body)
    tokens = (await api.sign_in(person.email, "seven quiet otters dream")).json()
    me = await api.http.get("/v1/me", headers={"Authorization": f"Bearer {tokens['access_token']}"})

    assert me.json()["account"]["address_verified"] is True


async def test_the_first_account_needs_no_verified_address_and_has_no_credit_limit(
    migrated: DatabaseTemplate, servers_folder: Path
) -> None:
    async with running_control(migrated.new_database(), servers_folder) as running:
        first = await running.sign_up(verified=False)
        me = (await running.http.get("/v1/me", headers=first.headers)).json()
        wallet = (await running.http.get("/v1/wallet", headers=first.headers)).json()

    assert wallet["credit_limit_cents"] is None
    assert (me["is_operator"], me["account"]["address_verified"]) == (True, True)
    assert "address_unverified" not in [block["code"] for block in me["blocks"]]


async def test_three_mails_a_day_reach_an_address_over_all_accounts(api: ControlApi) -> None:
    somebody = an_email()
    people = [await api.sign_up() for _ in range(4)]
    answers = [await invite(api, person, "analyst", somebody) for person in people]

    assert [answer.status_code for answer in answers] == [201] * 3 + [429]
    assert int(answers[-1].headers["Retry-After"]) > 86_000
    assert len(await mails_to(api, somebody)) == 3
    body = {"name": "Mine", "email": somebody, "password": PASSWORD}
    assert (await api.http.post("/v1/accounts", json=body)).status_code == 201
    assert len(await mails_to(api, somebody)) == 3
    await api.http.post("/v1/auth/password-reset", json={"email": somebody})
    assert len(await mails_to(api, somebody)) == 4


async def test_of_eight_invitations_at_once_an_address_has_three(api: ControlApi) -> None:
    somebody = an_email()
    people = [await api.sign_up() for _ in range(8)]
    answers = await asyncio.gather(*(invite(api, person, "analyst", somebody) for person in people))

    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [429] * 5
    assert len(await mails_to(api, somebody)) == 3


async def test_sub_addresses_share_the_mails_of_their_mailbox(api: ControlApi) -> None:
    local, _, host = an_email().partition("@")
    person = await api.sign_up()
    answers = [await invite(api, person, "analyst", f"{local}+{n}@{host}") for n in range(4)]

    assert [answer.status_code for answer in answers] == [201] * 3 + [429]
    assert len(await mails_to(api, f"{local}+0@{host}")) == 1


async def test_an_invitation_repeats_names_in_quotes_and_without_links(api: ControlApi) -> None:
    somebody = an_email()
    person = await api.sign_up(f"Pay at evil.example now {uuid4().hex * 4}")
    await invite(api, person, "analyst", somebody)
    (mail,) = await mails_to(api, somebody)
    first_line = text_of(mail).splitlines()[0]

    assert mail["Subject"] == "You are invited to join an account on Placard"
    assert "evil.example" not in first_line
    assert '"Pay at evil․example now' in first_line
    assert len(first_line) < 200


def test_quoted_names_hold_no_link() -> None:
    assert quoted("evil\u3002example\uff0fpay") == quoted("evil.ex\u200bample/pay")
    assert quoted('A "b" https://evil.example/x') == "\"A 'b' https evil․example/x\""


@pytest.mark.parametrize(
    "name",
    [
        "pay at https://evil.example",
        "www.evil.example",
        "evil.example/pay",
        "A\u2028B",
        "\u200b",
        "1.2.3.4/pay",
        "xn--e1afmkfd.xn--p1ai/x",
        "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444/x",
        "evil.example\u200b/pay",
        "evil.example./pay",
        "http:\u2044\u2044evil.example",
        "evil\u3002example/pay",
        "evil\uff0eexample\uff0fpay",
        "evil\uff61example/pay",
    ],
)
async def test_names_with_links_or_lines_are_refused(api: ControlApi, name: str) -> None:
    person = await api.sign_up("Booking.com")
    renamed = await api.http.patch("/v1/me", json={"name": name}, headers=person.headers)
    body = {"name": name, "email": an_email(), "password": PASSWORD}
    signed_up = await api.http.post("/v1/accounts", json=body)

    etag = (await api.http.get("/v1/account", headers=person.headers)).headers["ETag"]
    account = await api.http.patch(
        "/v1/account", json={"name": name}, headers={**person.headers, "If-Match": etag}
    )

    assert (renamed.status_code, signed_up.status_code, account.status_code) == (422, 422, 422)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "J.R. Smith",
            "A/S",
            "Dr. M\u00fcller",
            "Booking.com",
            "4.5/5 Stars",
            "U.S.A.: North",
            "St.Mary's: B",
        ),
        *(
            "\u5f20\u4f1f",
            "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
            "\u0930\u093e\u092e",
            "\u00bd Price",
        ),
    ],
)
def test_names_of_people_and_companies_are_kept(name: str) -> None:
    assert TypeAdapter(Name).validate_python(name) == name


async def _confirm(api: ControlApi, person: Person) -> None:
    token = await token_in_newest(api, person.email, VERIFY)
    body = {"token": token}
    await api.http.post("/v1/auth/email-verification/confirm", json=body)
