"""Changing a password, and getting a new one by mail, over HTTP."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.values.ids import new_id
from control.foundation.password_hashing import Passwords
from control.identity.accounts.queries import find_user_by_email
from control.identity.passwords import reset
from control.identity.passwords.reset import answer_reset_requests
from control.storage.tables.accounts import UserRow
from control.storage.tables.people import ResetRequestRow
from tests.support.control_api import PASSWORD, ControlApi, Person, bearer, code_of
from tests.support.mailbox import RESET, mails_to, token_in_newest
from tests.support.moved_clock import MovedClock
from tests.support.resources import params_of
from tests.support.waiting_jobs import work_waits

NEW = "seven quiet otters dream"


async def _change(api: ControlApi, person: Person, current: str, new: str) -> httpx.Response:
    body = {"current_password": current, "new_password": new}
    return await api.http.post("/v1/auth/password", json=body, headers=person.headers)


async def _ask(api: ControlApi, email: str) -> httpx.Response:
    return await api.http.post("/v1/auth/password-reset", json={"email": email})


async def _confirm(api: ControlApi, token: str, new: str = NEW) -> httpx.Response:
    body = {"token": token, "new_password": new}
    return await api.http.post("/v1/auth/password-reset/confirm", json=body)


async def _is_signed_in(api: ControlApi, access_token: str) -> bool:
    return (await api.http.get("/v1/me", headers=bearer(access_token))).is_success


async def test_a_changed_password_is_the_only_one_and_ends_other_sessions(api: ControlApi) -> None:
    person = await api.sign_up()
    other = (await api.sign_in(person.email)).json()["access_token"]
    answer = await _change(api, person, PASSWORD, NEW)

    assert (answer.status_code, answer.content) == (204, b"")
    assert code_of(await api.sign_in(person.email)) == "invalid_grant"
    assert (await api.sign_in(person.email, NEW)).is_success
    assert await _is_signed_in(api, person.access_token)
    assert not await _is_signed_in(api, other)


async def test_a_person_is_mailed_that_their_password_changed(api: ControlApi) -> None:
    person = await api.sign_up()
    await _change(api, person, PASSWORD, NEW)

    subjects = [mail["Subject"] for mail in await mails_to(api, person.email)]
    assert "Your password was changed" in subjects


async def test_a_wrong_current_password_changes_nothing(api: ControlApi) -> None:
    person = await api.sign_up()
    answer = await _change(api, person, "not my password", NEW)

    assert (answer.status_code, code_of(answer)) == (400, "invalid_grant")
    assert answer.json()["error"]["param"] == "current_password"
    assert (await api.sign_in(person.email)).is_success


async def test_a_stolen_access_token_is_not_good_for_guessing(api: ControlApi) -> None:
    person = await api.sign_up()
    answers = [await _change(api, person, f"guess {n}", NEW) for n in range(11)]

    assert [answer.status_code for answer in answers] == [400] * 10 + [429]
    assert int(answers[-1].headers["retry-after"]) >= 1


@pytest.mark.parametrize(
    "new", ["short", "password1234", "x" * 257, "acme media media", "qwertyuiopas"]
)
async def test_a_bad_new_password_is_refused(api: ControlApi, new: str) -> None:
    person = await api.sign_up()

    assert params_of(await _change(api, person, PASSWORD, new)) == ["new_password"]
    assert (await api.sign_in(person.email)).is_success


async def test_sign_up_refuses_a_common_password(api: ControlApi) -> None:
    body = {"name": "Acme", "email": f"{uuid4().hex}@acme.example", "password": "password1234"}

    assert params_of(await api.http.post("/v1/accounts", json=body)) == ["password"]


async def test_two_changes_at_once_end_with_one_password(api: ControlApi) -> None:
    person = await api.sign_up()
    changes = [f"{NEW} {number}" for number in range(4)]
    answers = await asyncio.gather(*(_change(api, person, PASSWORD, new) for new in changes))

    done = [new for new, answer in zip(changes, answers, strict=True) if answer.status_code == 204]
    assert len(done) == 1
    assert (await api.sign_in(person.email, done[0])).is_success


async def test_a_forgotten_password_is_replaced_by_mail(api: ControlApi) -> None:
    person = await api.sign_up()
    requested = await _ask(api, f" {person.email.upper()} ")
    token = await token_in_newest(api, person.email, RESET)
    answer = await _confirm(api, token)

    assert (requested.status_code, requested.content) == (202, b"")
    assert (answer.status_code, answer.content) == (204, b"")
    assert (await api.sign_in(person.email, NEW)).is_success
    assert not await _is_signed_in(api, person.access_token)


async def test_a_reset_verifies_the_address(api: ControlApi) -> None:
    person = await api.sign_up()
    await _ask(api, person.email)
    await _confirm(api, await token_in_newest(api, person.email, RESET))
    signed_in = (await api.sign_in(person.email, NEW)).json()

    me = (await api.http.get("/v1/me", headers=bearer(signed_in["access_token"]))).json()
    assert me["user"]["email_verified"] is True


async def test_a_reset_token_works_once(api: ControlApi) -> None:
    person = await api.sign_up()
    await _ask(api, person.email)
    token = await token_in_newest(api, person.email, RESET)
    await _confirm(api, token)
    again = await _confirm(api, token, "another fine phrase here")

    assert (again.status_code, code_of(again)) == (400, "token_invalid")
    assert (await api.sign_in(person.email, NEW)).is_success


async def test_a_refused_password_does_not_use_the_token_up(api: ControlApi) -> None:
    person = await api.sign_up()
    await _ask(api, person.email)
    token = await token_in_newest(api, person.email, RESET)

    assert params_of(await _confirm(api, token, "password1234")) == ["new_password"]
    assert (await _confirm(api, token)).status_code == 204


async def test_a_newer_request_voids_the_older_token(api: ControlApi) -> None:
    person = await api.sign_up()
    await _ask(api, person.email)
    older = await token_in_newest(api, person.email, RESET)
    await _ask(api, person.email)
    newer = await token_in_newest(api, person.email, RESET)

    assert code_of(await _confirm(api, older)) == "token_invalid"
    assert (await _confirm(api, newer)).status_code == 204


async def test_a_changed_password_voids_the_token(api: ControlApi) -> None:
    person = await api.sign_up()
    await _ask(api, person.email)
    token = await token_in_newest(api, person.email, RESET)
    await _change(api, person, PASSWORD, "a phrase of mine alone")

    assert code_of(await _confirm(api, token)) == "token_invalid"


async def test_a_reset_token_lasts_an_hour(api: ControlApi, clock: MovedClock) -> None:
    person = await api.sign_up()
    await _ask(api, person.email)
    token = await token_in_newest(api, person.email, RESET)
    clock.advance(timedelta(hours=1))

    answer = await _confirm(api, token)
    assert (answer.status_code, code_of(answer)) == (410, "token_expired")


@pytest.mark.parametrize("token", ["", "pr_", "pr_" + "a" * 43, "ev_" + "a" * 43, "nonsense"])
async def test_a_made_up_token_is_refused(api: ControlApi, token: str) -> None:
    answer = await _confirm(api, token)

    assert (answer.status_code, code_of(answer)) == (400, "token_invalid")


async def test_a_reset_request_does_not_reveal_whether_the_address_exists(api: ControlApi) -> None:
    person = await api.sign_up()
    outsider = f"{uuid4().hex}@people.example"
    of_person, of_stranger = await _ask(api, person.email), await _ask(api, outsider)

    def shown(answer: httpx.Response) -> tuple[int, bytes, set[str]]:
        return answer.status_code, answer.content, set(answer.headers)

    assert shown(of_person) == shown(of_stranger)
    assert await mails_to(api, outsider) == []


async def test_a_reset_request_does_the_same_work_for_any_address(api: ControlApi) -> None:
    """One row a request; whose it is, is found out off the request."""
    person = await api.sign_up()
    await mails_to(api, person.email)
    for email in (person.email, f"{uuid4().hex}@people.example"):
        await _ask(api, email)

    assert await work_waits(api.control, answer_reset_requests)
    async with api.control.database.service() as session:
        waiting = await session.scalar(text("select count(*) from reset_requests"))
        minted = await session.scalar(
            text(
                "select count(*) from mailed_tokens where user_id = :id and purpose = 'password_reset'"
            ),
            {"id": person.user_id},
        )
    assert (waiting, minted) == (2, 0)


async def test_a_request_that_fails_holds_up_no_other_and_is_answered_later(
    api: ControlApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [await api.sign_up() for _ in range(3)]
    async with api.control.database.service() as session:  # more calls than one network may make
        now = api.control.clock.now()
        for person in people:
            session.add(ResetRequestRow(id=new_id(), email=person.email, created_at=now))

    async def failing(session: AsyncSession, email: str) -> UserRow | None:
        if email == people[0].email:
            raise KeyError("a fault")
        return await find_user_by_email(session, email)

    async def resets() -> list[int]:
        mails = [await mails_to(api, person.email) for person in people]
        return [sum(one["Subject"] == RESET for one in each) for each in mails]

    monkeypatch.setattr(reset, "find_user_by_email", failing)
    monkeypatch.setattr(reset, "_AT_ONCE", 1)
    with pytest.raises(KeyError):
        await answer_reset_requests(api.control)
    monkeypatch.undo()
    async with api.control.database.service() as session:
        waiting = (await session.scalars(text("select email from reset_requests"))).all()
    assert waiting == [people[0].email]
    assert await resets() == [1, 1, 1]


async def test_a_mailbox_is_not_flooded(api: ControlApi) -> None:
    person = await api.sign_up()
    answers = [await _ask(api, person.email) for _ in range(5)]

    resets = [m for m in await mails_to(api, person.email) if m["Subject"] == RESET]
    assert {answer.status_code for answer in answers} == {202}
    assert len(resets) == 3


async def test_tokens_are_stored_as_hashes_only(api: ControlApi) -> None:
    person = await api.sign_up()
    await _ask(api, person.email)
    token = await token_in_newest(api, person.email, RESET)

    async with api.control.database.service() as session:
        rows = await session.scalars(text("select mailed_tokens::text from mailed_tokens"))
        mails = await session.scalars(text("select mails::text from mails"))
        stored = "\n".join([*rows, *mails])
    assert token.encode().hex() not in stored
    assert token not in stored


async def test_a_hash_costs_no_less_than_owasp_recommends() -> None:
    passwords = Passwords()
    stored = await passwords.hash(PASSWORD)

    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await passwords.verify(stored, PASSWORD)
    passwords.close()


async def test_a_password_hashed_at_another_cost_is_rehashed_at_sign_in(api: ControlApi) -> None:
    person = await api.sign_up()
    cheap = Passwords(time_cost=1, memory_cost_kib=1024)
    old = await cheap.hash(PASSWORD)
    cheap.close()
    async with api.control.database.service() as session:
        await session.execute(
            text("update users set password_hash = :old where id = :id"),
            {"old": old, "id": person.user_id},
        )
    await api.sign_in(person.email)

    async with api.control.database.service() as session:
        stored = await session.scalar(
            text("select password_hash from users where id = :id"), {"id": person.user_id}
        )
    assert stored != old
    assert not api.control.get(Passwords).is_outdated(str(stored))
    assert (await api.sign_in(person.email)).is_success


async def test_a_password_is_the_same_however_it_is_composed() -> None:
    cheap = Passwords(time_cost=1, memory_cost_kib=1024)
    stored = await cheap.hash("cre\u0300me bru\u0302le\u0301e")

    assert await cheap.verify(stored, "cr\u00e8me br\u00fbl\u00e9e")
    assert not await cheap.verify(stored, "creme brulee")
    cheap.close()
