"""Proving an address, over HTTP."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import pytest_asyncio
from sqlalchemy import text

from tests.support.control_api import (
    PASSWORD,
    ControlApi,
    DatabaseTemplate,
    code_of,
    running_control,
)
from tests.support.mailbox import RESET, VERIFY, mails_to, token_in_newest
from tests.support.moved_clock import MovedClock


async def _confirm(api: ControlApi, token: str) -> httpx.Response:
    return await api.http.post("/v1/auth/email-verification/confirm", json={"token": token})


async def _is_verified(api: ControlApi, headers: dict[str, str]) -> bool:
    me = (await api.http.get("/v1/me", headers=headers)).json()
    return bool(me["user"]["email_verified"])


@pytest_asyncio.fixture
async def strict(migrated: DatabaseTemplate, servers_folder: Path) -> AsyncIterator[ControlApi]:
    """Nobody signs in here before their address was proved."""
    folder = servers_folder / uuid4().hex[:8]
    folder.mkdir()
    url = migrated.new_database()
    async with running_control(url, folder, require_verified_email=True) as running:
        yield running


async def test_sign_up_sends_a_mail_that_proves_the_address(api: ControlApi) -> None:
    person = await api.sign_up()
    assert not await _is_verified(api, person.headers)
    token = await token_in_newest(api, person.email, VERIFY)
    answer = await _confirm(api, token)

    assert (answer.status_code, answer.content) == (204, b"")
    assert await _is_verified(api, person.headers)


async def test_a_token_works_once(api: ControlApi) -> None:
    person = await api.sign_up()
    token = await token_in_newest(api, person.email, VERIFY)
    await _confirm(api, token)

    answer = await _confirm(api, token)
    assert (answer.status_code, code_of(answer)) == (400, "token_invalid")


async def test_a_token_lasts_seven_days(api: ControlApi, clock: MovedClock) -> None:
    person = await api.sign_up()
    token = await token_in_newest(api, person.email, VERIFY)
    clock.advance(timedelta(days=7))
    answer = await _confirm(api, token)

    assert (answer.status_code, code_of(answer)) == (410, "token_expired")


async def test_a_token_of_another_kind_proves_nothing(api: ControlApi) -> None:
    person = await api.sign_up()
    await api.http.post("/v1/auth/password-reset", json={"email": person.email})
    token = await token_in_newest(api, person.email, RESET)

    assert code_of(await _confirm(api, token)) == "token_invalid"


async def test_a_mail_for_an_address_since_changed_proves_nothing(api: ControlApi) -> None:
    person = await api.sign_up()
    token = await token_in_newest(api, person.email, VERIFY)
    async with api.control.database.service() as session:
        await session.execute(
            text("update users set email = :email where id = :id"),
            {"email": f"{uuid4().hex}@people.example", "id": person.user_id},
        )

    assert code_of(await _confirm(api, token)) == "token_invalid"


async def test_the_mail_is_sent_again_but_not_for_ever(api: ControlApi) -> None:
    person = await api.sign_up()
    first = await token_in_newest(api, person.email, VERIFY)
    path = "/v1/auth/email-verification"
    answers = [await api.http.post(path, headers=person.headers) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [202] * 2 + [429] * 2
    assert len([m for m in await mails_to(api, person.email) if m["Subject"] == VERIFY]) == 3
    assert code_of(await _confirm(api, first)) == "token_invalid"
    newest = await token_in_newest(api, person.email, VERIFY)
    assert (await _confirm(api, newest)).status_code == 204
    done = await api.http.post(path, headers=person.headers)
    assert (done.status_code, code_of(done)) == (409, "invalid_state")


async def test_where_it_is_required_sign_in_waits_for_it(strict: ControlApi) -> None:
    email = f"{uuid4().hex}@people.example"
    body = {"name": "Acme", "email": email, "password": PASSWORD}
    await strict.http.post("/v1/accounts", json=body)
    refused = await strict.sign_in(email)
    wrong = await strict.sign_in(email, "not the password")

    assert (refused.status_code, code_of(refused)) == (403, "email_unverified")
    assert "/v1/auth/password-reset" in refused.json()["error"]["message"]
    assert code_of(wrong) == "invalid_grant"
    await _confirm(strict, await token_in_newest(strict, email, VERIFY))
    assert (await strict.sign_in(email)).is_success


async def test_where_it_is_required_a_reset_is_the_way_in(strict: ControlApi) -> None:
    email, new = f"{uuid4().hex}@people.example", "seven quiet otters dream"
    body = {"name": "Acme", "email": email, "password": PASSWORD}
    await strict.http.post("/v1/accounts", json=body)
    await strict.http.post("/v1/auth/password-reset", json={"email": email})
    token = await token_in_newest(strict, email, RESET)
    confirm = {"token": token, "new_password": new}
    await strict.http.post("/v1/auth/password-reset/confirm", json=confirm)

    assert (await strict.sign_in(email, new)).is_success
