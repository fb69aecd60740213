"""Opening an account, and the second step of a sign-in."""

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.support.control_api import PASSWORD, ControlApi
from tests.support.forms import the
from tests.support.http_client import http_client
from tests.support.second_factor import Enrolled, enrol
from tests.support.visitor import FROM_OUR_PAGE, Visitor, text_of, visiting


@pytest.fixture
async def browser(api: ControlApi) -> AsyncIterator[httpx.AsyncClient]:
    """Nobody is signed in."""
    async with http_client(base_url=api.http.base_url, headers=FROM_OUR_PAGE) as http:
        yield http


async def _sign_up(browser: httpx.AsyncClient, **fields: str) -> httpx.Response:
    form = {
        "name": "Nova Media",
        "email": f"{uuid4().hex}@people.example",
        "password": PASSWORD,
        "currency": "BRL",
    }
    return await browser.post("/sign-up", data=form | fields)


async def test_a_new_user_is_signed_in_at_once(browser: httpx.AsyncClient) -> None:
    made = await _sign_up(browser)
    assert made.status_code == 303, made.text
    assert made.headers["location"] == "/test/first-steps"

    page = await browser.get("/account")

    assert "Nova Media" in page.text
    assert "BRL" in page.text


async def test_a_person_has_the_name_that_they_give(browser: httpx.AsyncClient) -> None:
    made = await _sign_up(browser, owner_name="Ana Souza")
    assert made.status_code == 303, made.text

    members = await browser.get("/members")

    assert "Ana Souza" in members.text


async def test_a_person_without_a_name_is_named_after_the_company(
    browser: httpx.AsyncClient,
) -> None:
    made = await _sign_up(browser, owner_name="")
    assert made.status_code == 303, made.text

    profile = await browser.get("/profile")

    assert 'value="Nova Media"' in profile.text


@pytest.mark.parametrize(
    ("language", "chosen"),
    [
        ("pt-BR", "BRL – Real brasileiro"),
        ("en-GB", "GBP – British Pound"),
        ("es", "USD – dólar estadounidense"),
    ],
)
async def test_the_currency_is_named_and_first_that_of_the_readers_country(
    browser: httpx.AsyncClient, language: str, chosen: str
) -> None:
    answer = await browser.get("/sign-up", headers={"Accept-Language": language})

    option = the(LexborHTMLParser(answer.text), "#f-currency option[selected]")
    assert option.text() == chosen


async def test_a_taken_address_is_explained(api: ControlApi, browser: httpx.AsyncClient) -> None:
    person = await api.sign_up()

    again = await _sign_up(browser, email=person.email)

    assert again.status_code == 409
    assert "This address already has an account" in again.text
    assert "/v1/" not in again.text


async def test_a_guessable_password_keeps_the_other_input(browser: httpx.AsyncClient) -> None:
    answer = await _sign_up(browser, password="password1234")

    assert answer.status_code == 422
    assert 'value="Nova Media"' in answer.text
    assert "password1234" not in answer.text


async def test_a_password_reset_shows_the_same_for_every_address(
    api: ControlApi, browser: httpx.AsyncClient
) -> None:
    person = await api.sign_up()
    for email in (person.email, "nobody@people.example"):
        answer = await browser.post("/forgot-password", data={"email": email})
        assert answer.headers["location"] == "/sign-in?flash=reset_asked"


@pytest.fixture
async def enrolled(api: ControlApi) -> Enrolled:
    return await enrol(api, await api.sign_up())


async def _ticket(browser: httpx.AsyncClient, enrolled: Enrolled) -> str:
    """After the right password."""
    answer = await browser.post(
        "/sign-in", data={"email": enrolled.person.email, "password": PASSWORD}
    )
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    field = LexborHTMLParser(answer.text).css_first('input[name="ticket"]')
    assert field is not None
    return str(field.attributes["value"])


async def _send_code(browser: httpx.AsyncClient, ticket: str, code: str) -> httpx.Response:
    form = {"act": "code", "ticket": ticket, "otp": code, "next": "/test"}
    return await browser.post("/sign-in", data=form)


async def test_the_code_is_asked_for_after_the_password(
    browser: httpx.AsyncClient, enrolled: Enrolled
) -> None:
    ticket = await _ticket(browser, enrolled)
    wrong = await _send_code(browser, ticket, "nonsense")
    assert wrong.status_code == 400
    assert "recovery code" in wrong.text

    right = await _send_code(browser, ticket, enrolled.app.code())

    assert right.status_code == 303
    assert right.headers["location"] == "/test"
    assert (await browser.get("/test")).status_code == 200


async def test_a_recovery_code_signs_in_once(
    browser: httpx.AsyncClient, enrolled: Enrolled
) -> None:
    code = enrolled.recovery_codes[0]
    first = await _send_code(browser, await _ticket(browser, enrolled), code)
    browser.cookies.clear()
    second = await _send_code(browser, await _ticket(browser, enrolled), code)

    assert (first.status_code, second.status_code) == (303, 400)


@pytest.mark.parametrize("ticket", ["", "k1.bm9uc2Vuc2U=", "nonsense"])
async def test_a_code_alone_does_not_sign_in(
    browser: httpx.AsyncClient, enrolled: Enrolled, ticket: str
) -> None:
    answer = await _send_code(browser, ticket, enrolled.app.code())

    assert answer.status_code == 400
    assert "Sign in again" in answer.text
    assert "set-cookie" not in answer.headers


async def test_a_changed_password_voids_the_ticket(
    api: ControlApi, browser: httpx.AsyncClient, enrolled: Enrolled
) -> None:
    ticket = await _ticket(browser, enrolled)
    body = {"current_password": PASSWORD, "new_password": "seven quiet otters dream"}
    changed = await api.http.post("/v1/auth/password", json=body, headers=enrolled.person.headers)
    assert changed.status_code == 204

    answer = await _send_code(browser, ticket, enrolled.app.code())

    assert answer.status_code == 400
    assert "set-cookie" not in answer.headers


async def test_a_user_who_must_enrol_is_redirected_to_it_and_then_signed_in(
    api: ControlApi,
) -> None:
    person = await api.sign_up()
    async with visiting(api, person) as visitor:
        await _demand(visitor)
        page = await visitor.look("/live")
        assert "requires a second factor" in text_of(page)
        assert not page.css("nav a[href='/members']")

        await enrol(api, person)

        assert "demands" not in text_of(await visitor.look("/live"))


async def _demand(visitor: Visitor) -> None:
    account = await visitor.look("/account")
    version = account.css_first('input[name="version"]')
    assert version is not None
    await visitor.send(
        "/account",
        name="Acme Media",
        version=str(version.attributes["value"]),
        review_required="off",
        require_second_factor="on",
    )
