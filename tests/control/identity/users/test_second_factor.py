"""The second factor over HTTP: enrolling, signing in with it, turning it off, and accounts that demand it."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest
from sqlalchemy import text

from tests.support.control_api import PASSWORD, ControlApi, Person, code_of
from tests.support.mailbox import RESET, mails_to, text_of, token_in_newest
from tests.support.moved_clock import MovedClock
from tests.support.second_factor import App, Enrolled, enrol, post, sign_in_with


@pytest.fixture
async def enrolled(api: ControlApi, clock: MovedClock) -> Enrolled:
    made = await enrol(api, await api.sign_up())
    clock.advance(timedelta(minutes=2))
    return made


async def _demand(api: ControlApi, person: Person) -> None:
    async with api.control.database.service() as session:
        await session.execute(
            text("update accounts set require_second_factor = true where id = :id"),
            {"id": person.account_id},
        )


async def test_the_secret_comes_as_text_and_as_a_link_for_apps(api: ControlApi) -> None:
    person = await api.sign_up()
    made = (await post(api, person, "/v1/auth/totp", {"password": PASSWORD})).json()

    link = urlsplit(made["otpauth_url"])
    assert (link.scheme, link.netloc) == ("otpauth", "totp")
    assert parse_qs(link.query) == {"secret": [made["secret"]], "issuer": ["Placard"]}
    assert len(made["secret"]) == 32


async def test_a_second_factor_is_not_required_until_it_is_confirmed(api: ControlApi) -> None:
    person = await api.sign_up()
    await post(api, person, "/v1/auth/totp", {"password": PASSWORD})

    assert (await api.sign_in(person.email)).is_success


async def test_a_second_secret_replaces_one_that_was_not_confirmed(api: ControlApi) -> None:
    person = await api.sign_up()
    first = (await post(api, person, "/v1/auth/totp", {"password": PASSWORD})).json()["secret"]
    second = (await post(api, person, "/v1/auth/totp", {"password": PASSWORD})).json()["secret"]
    clock = api.control.clock

    old = await post(api, person, "/v1/auth/totp/confirm", {"code": App(first, clock).code()})
    new = await post(api, person, "/v1/auth/totp/confirm", {"code": App(second, clock).code()})
    assert (old.status_code, code_of(old)) == (400, "invalid_grant")
    assert new.status_code == 200


async def test_a_repeated_call_with_the_same_key_is_no_attempt(api: ControlApi) -> None:
    person = await api.sign_up()
    headers = person.headers | {"Idempotency-Key": "one"}
    secrets = [
        await api.http.post("/v1/auth/totp", json={"password": PASSWORD}, headers=headers)
        for _ in range(2)
    ]
    code = App(secrets[0].json()["secret"], api.control.clock).code()
    confirmed = [
        await api.http.post("/v1/auth/totp/confirm", json={"code": code}, headers=headers)
        for _ in range(12)
    ]

    assert secrets[0].content == secrets[1].content
    assert {answer.status_code for answer in confirmed} == {200}
    assert len({answer.content for answer in confirmed}) == 1


async def test_a_confirmed_one_cannot_be_replaced_or_confirmed_again(
    api: ControlApi, enrolled: Enrolled
) -> None:
    again = await post(api, enrolled.person, "/v1/auth/totp", {"password": PASSWORD})
    body = {"code": enrolled.app.code()}
    confirmed = await post(api, enrolled.person, "/v1/auth/totp/confirm", body)

    assert (again.status_code, code_of(again)) == (409, "invalid_state")
    assert (confirmed.status_code, code_of(confirmed)) == (409, "invalid_state")


async def test_sign_in_asks_for_a_code_after_the_right_password(
    api: ControlApi, enrolled: Enrolled
) -> None:
    requested = await sign_in_with(api, enrolled.person.email, None)
    wrong_password = await sign_in_with(api, enrolled.person.email, None, "not my password")

    error = requested.json()["error"]
    assert (requested.status_code, error["code"], error["param"]) == (400, "invalid_grant", "otp")
    assert [detail["code"] for detail in error["details"]] == ["otp_required"]
    assert "param" not in wrong_password.json()["error"]


async def test_being_asked_for_a_code_is_no_failed_attempt(
    api: ControlApi, enrolled: Enrolled
) -> None:
    answers = [await sign_in_with(api, enrolled.person.email, None) for _ in range(15)]

    assert {answer.status_code for answer in answers} == {400}


async def test_a_code_completes_the_sign_in(api: ControlApi, enrolled: Enrolled) -> None:
    code = enrolled.app.code()

    assert (await sign_in_with(api, enrolled.person.email, f"{code[:3]} {code[3:]}")).is_success


async def test_a_code_can_be_used_once(api: ControlApi, enrolled: Enrolled) -> None:
    code = enrolled.app.code()
    answers = [await sign_in_with(api, enrolled.person.email, code) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[1].json()["error"]["details"][0]["code"] == "otp_wrong"


async def test_an_older_code_is_worth_nothing_after_a_newer_one(
    api: ControlApi, enrolled: Enrolled
) -> None:
    older, newer = enrolled.app.code(), enrolled.app.code()
    answers = [await sign_in_with(api, enrolled.person.email, code) for code in (newer, older)]

    assert [answer.status_code for answer in answers] == [200, 400]


@pytest.mark.parametrize(("steps", "status"), [(-2, 400), (-1, 200), (0, 200), (1, 200), (2, 400)])
async def test_clocks_may_differ_by_one_step(
    api: ControlApi, enrolled: Enrolled, clock: MovedClock, steps: int, status: int
) -> None:
    into_the_step = clock.now_ms() % 30_000
    clock.advance(timedelta(milliseconds=15_000 - into_the_step))
    code = pyotp.TOTP(enrolled.app.secret).generate_otp(clock.now_ms() // 30_000 + steps)

    assert (await sign_in_with(api, enrolled.person.email, code)).status_code == status


async def test_wrong_codes_are_slowed_down(api: ControlApi, enrolled: Enrolled) -> None:
    answers = [await sign_in_with(api, enrolled.person.email, "abcdef") for _ in range(11)]

    assert [answer.status_code for answer in answers] == [400] * 10 + [429]


async def test_a_recovery_code_can_be_used_once_and_a_mail_reports_it(
    api: ControlApi, enrolled: Enrolled
) -> None:
    code = enrolled.recovery_codes[3].replace("-", "").upper()
    answers = [await sign_in_with(api, enrolled.person.email, code) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 400]
    reported = [
        text_of(mail)
        for mail in await mails_to(api, enrolled.person.email)
        if mail["Subject"] == "A recovery code was used"
    ]
    assert len(reported) == 1
    assert "You have 9 left" in reported[0]


async def test_recovery_codes_are_ten_and_another_persons_are_not_mine(
    api: ControlApi, enrolled: Enrolled
) -> None:
    other = await enrol(api, await api.sign_up())
    answer = await sign_in_with(api, enrolled.person.email, other.recovery_codes[0])

    assert len(set(enrolled.recovery_codes)) == 10
    assert answer.status_code == 400


async def test_secret_and_codes_cannot_be_read_in_the_database(
    api: ControlApi, enrolled: Enrolled
) -> None:
    async with api.control.database.service() as session:
        rows = await session.scalars(
            text(
                "select second_factors::text from second_factors union all"
                " select recovery_codes::text from recovery_codes"
            )
        )
        stored = "\n".join(rows)

    assert enrolled.app.secret not in stored
    for code in enrolled.recovery_codes:
        assert code not in stored
        assert code.replace("-", "").encode().hex() not in stored


async def test_turning_it_off_takes_password_and_code(api: ControlApi, enrolled: Enrolled) -> None:
    path, person = "/v1/auth/totp/disable", enrolled.person
    code = enrolled.app.code()
    wrong = await post(api, person, path, {"password": "not my password", "code": code})
    no_code = await post(api, person, path, {"password": PASSWORD, "code": "abcdef"})
    off = await post(api, person, path, {"password": PASSWORD, "code": code})

    assert [answer.status_code for answer in (wrong, no_code, off)] == [400, 400, 204]
    assert wrong.json()["error"]["param"] == "password"
    assert no_code.json()["error"]["param"] == "code"
    assert (await api.sign_in(person.email)).is_success
    again = await post(api, person, path, {"password": PASSWORD, "code": "abcdef"})
    assert code_of(again) == "invalid_state"


async def test_a_recovery_code_turns_it_off_and_old_ones_are_gone(
    api: ControlApi, enrolled: Enrolled
) -> None:
    one, other, *_ = enrolled.recovery_codes
    body = {"password": PASSWORD, "code": one}
    assert (await post(api, enrolled.person, "/v1/auth/totp/disable", body)).status_code == 204
    await enrol(api, enrolled.person)

    assert (await sign_in_with(api, enrolled.person.email, other)).status_code == 400


async def test_a_password_reset_leaves_it_as_it_is(api: ControlApi, enrolled: Enrolled) -> None:
    email, new = enrolled.person.email, "seven quiet otters dream"
    await api.http.post("/v1/auth/password-reset", json={"email": email})
    token = await token_in_newest(api, email, RESET)
    body = {"token": token, "new_password": new}
    await api.http.post("/v1/auth/password-reset/confirm", json=body)

    requested = await sign_in_with(api, email, None, new)
    assert requested.json()["error"]["details"][0]["code"] == "otp_required"
    assert (await sign_in_with(api, email, enrolled.app.code(), new)).is_success


async def test_where_an_account_demands_it_one_may_only_enrol(api: ControlApi) -> None:
    person = await api.sign_up()
    await _demand(api, person)
    for path in ("/v1/properties", "/v1/sessions", "/v1/accounts", "/v1/sdk-keys"):
        answer = await api.http.get(path, headers=person.headers)
        assert (answer.status_code, code_of(answer)) == (403, "permission_denied")
        assert "/v1/auth/totp" in answer.json()["error"]["message"]

    assert (await api.http.get("/v1/me", headers=person.headers)).is_success
    await enrol(api, person)
    assert (await api.http.get("/v1/properties", headers=person.headers)).is_success


async def test_a_user_who_must_enrol_may_sign_out(api: ControlApi) -> None:
    person = await api.sign_up()
    await _demand(api, person)

    assert (await post(api, person, "/v1/auth/sign-out")).status_code == 204


@pytest.mark.parametrize(
    ("role", "status"),
    [("owner", 403), ("admin", 403), ("finance", 403), ("manager", 200), ("analyst", 200)],
)
async def test_a_second_factor_is_required_of_owners_admins_and_finance(
    api: ControlApi, role: str, status: int
) -> None:
    person = await api.sign_up()
    await _demand(api, person)
    async with api.control.database.service() as session:
        await session.execute(
            text("update memberships set role = :role where user_id = :id"),
            {"role": role, "id": person.user_id},
        )

    answer = await api.http.get("/v1/accounts", headers=person.headers)
    assert answer.status_code == status


async def test_guesses_at_confirming_are_slowed_down(
    api: ControlApi,
) -> None:
    person = await api.sign_up()
    await post(api, person, "/v1/auth/totp", {"password": PASSWORD})
    answers = [
        await post(api, person, "/v1/auth/totp/confirm", {"code": "abcdef"}) for _ in range(11)
    ]

    assert [answer.status_code for answer in answers] == [400] * 10 + [429]
