"""Signing in with a browser's cookie, and what the cookie opens."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.control_api import PASSWORD, ControlApi
from tests.support.http_client import http_client
from tests.support.visitor import FROM_OUR_PAGE, visiting


@pytest.fixture
async def browser(api: ControlApi) -> AsyncIterator[httpx.AsyncClient]:
    """Nobody is signed in."""
    async with http_client(base_url=api.http.base_url, headers=FROM_OUR_PAGE) as http:
        yield http


async def _sign_in(browser: httpx.AsyncClient, email: str, **fields: str) -> httpx.Response:
    form = {"email": email, "password": PASSWORD} | fields
    return await browser.post("/sign-in", data=form)


async def test_a_user_without_a_session_signs_in_and_returns_to_the_page(
    browser: httpx.AsyncClient,
) -> None:
    answer = await browser.get("/live?flash=saved")

    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?next=/live%3Fflash%3Dsaved"


async def test_a_user_signs_in_with_a_password(api: ControlApi, browser: httpx.AsyncClient) -> None:
    person = await api.sign_up()
    signed_in = await _sign_in(browser, person.email, next="/test")
    assert signed_in.status_code == 303
    assert signed_in.headers["location"] == "/test"
    cookie = signed_in.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie

    page = await browser.get("/test")

    assert page.status_code == 200
    assert "Acme Media" in page.text
    assert "TEST" in page.text
    assert "unsafe-inline" not in page.headers["content-security-policy"]


async def test_a_wrong_password_shows_the_form_again(
    api: ControlApi, browser: httpx.AsyncClient
) -> None:
    person = await api.sign_up()

    answer = await _sign_in(browser, person.email, password="not this one")

    assert answer.status_code == 400
    assert person.email in answer.text
    assert "Incorrect email or password." in answer.text
    assert "set-cookie" not in answer.headers


async def test_the_cookie_is_not_a_bearer_token(
    api: ControlApi, browser: httpx.AsyncClient
) -> None:
    person = await api.sign_up()
    signed_in = await _sign_in(browser, person.email)
    token = signed_in.headers["set-cookie"].split(";")[0].split("=", 1)[1]

    answer = await api.http.get("/v1/me", headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "invalid_key"


async def test_signing_out_ends_the_session(api: ControlApi, browser: httpx.AsyncClient) -> None:
    person = await api.sign_up()
    signed_in = await _sign_in(browser, person.email)
    cookie = signed_in.headers["set-cookie"].split(";")[0]

    gone = await browser.post("/sign-out")
    assert gone.status_code == 303
    again = await browser.get("/live", headers={"Cookie": cookie})

    assert again.status_code == 303
    assert again.headers["location"].startswith("/sign-in")


async def test_a_form_of_another_site_is_refused(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        answer = await visitor.http.post("/sign-out", headers={"Sec-Fetch-Site": "cross-site"})

        assert answer.status_code == 400
        await visitor.look("/live")


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example"]
)
async def test_signing_in_never_redirects_to_another_site(
    api: ControlApi, browser: httpx.AsyncClient, elsewhere: str
) -> None:
    person = await api.sign_up()

    answer = await _sign_in(browser, person.email, next=elsewhere)

    assert answer.headers["location"] == "/live"


async def test_the_pages_are_in_the_language_that_the_browser_requests(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get("/sign-in", headers={"Accept-Language": "pt-BR,pt;q=0.9"})

    assert 'lang="pt-BR"' in page.text
