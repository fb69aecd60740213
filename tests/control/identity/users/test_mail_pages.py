"""The pages that our mails lead to, as a browser without scripts uses them."""

import re
from uuid import uuid4

import httpx
import pytest

from tests.support.control_api import ControlApi, Person
from tests.support.mailbox import RESET, VERIFY, link_in_newest

OURS = {"Sec-Fetch-Site": "same-origin", "Origin": "null"}
NEW = "seven quiet otters dream"


async def _link(api: ControlApi, person: Person, subject: str) -> str:
    """Path and query of the link that the person got."""
    if subject == RESET:
        await api.http.post("/v1/auth/password-reset", json={"email": person.email})
    link = await link_in_newest(api, person.email, subject)
    assert link.startswith(f"{api.control.settings.control_url}/")
    return link.removeprefix(api.control.settings.control_url)


async def _send(
    api: ControlApi, page: httpx.Response, headers: dict[str, str] | None = None, **fields: str
) -> httpx.Response:
    """The page's form, filled in and sent as a browser does."""
    action = re.search(r'<form method="post" action="([^"]+)"', page.text)
    token = re.search(r'name="token" value="([^"]*)"', page.text)
    assert action is not None
    assert token is not None
    return await api.http.post(
        action[1], data={"token": token[1], **fields}, headers=OURS if headers is None else headers
    )


async def _is_verified(api: ControlApi, person: Person) -> bool:
    me = (await api.http.get("/v1/me", headers=person.headers)).json()
    return bool(me["user"]["email_verified"])


async def test_looking_at_the_link_verifies_nothing_and_the_button_does(api: ControlApi) -> None:
    person = await api.sign_up()
    link = await _link(api, person, VERIFY)
    for _ in range(3):
        page = await api.http.get(link)
    assert page.status_code == 200
    assert not await _is_verified(api, person)

    done = await _send(api, page)
    assert done.status_code == 303
    assert done.headers["location"] == "/sign-in?flash=email_verified"
    assert await _is_verified(api, person)


async def test_a_second_click_on_the_link_says_that_the_address_is_verified(
    api: ControlApi,
) -> None:
    person = await api.sign_up()
    page = await api.http.get(await _link(api, person, VERIFY))
    await _send(api, page)

    again = await _send(api, page)

    assert again.status_code == 303
    assert again.headers["location"] == "/sign-in?flash=email_verified_already"
    shown = await api.http.get(again.headers["location"])
    assert "Your address is verified already." in shown.text


async def test_a_replaced_link_of_an_unverified_address_is_explained(api: ControlApi) -> None:
    person = await api.sign_up()
    page = await api.http.get(await _link(api, person, VERIFY))
    sent = await api.http.post("/v1/auth/email-verification", headers=person.headers)

    answer = await _send(api, page)

    assert sent.status_code == 202
    assert answer.status_code == 400
    assert "newest mail" in answer.text


async def test_a_password_is_chosen_on_the_page(api: ControlApi) -> None:
    person = await api.sign_up()
    page = await api.http.get(await _link(api, person, RESET))
    done = await _send(api, page, new_password=NEW)

    assert done.status_code == 303, done.text
    assert (await api.sign_in(person.email, NEW)).is_success


async def test_a_refused_password_is_explained_and_may_be_mended(api: ControlApi) -> None:
    person = await api.sign_up()
    page = await api.http.get(await _link(api, person, RESET))
    again = await _send(api, page, new_password="password1234")
    assert again.status_code == 422
    assert 'role="alert"' in again.text
    assert "easy to guess" in again.text

    assert (await _send(api, again, new_password=NEW)).status_code == 303


async def test_a_missing_password_is_explained(api: ControlApi) -> None:
    person = await api.sign_up()
    page = await api.http.get(await _link(api, person, RESET))

    answer = await _send(api, page)
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.text


@pytest.mark.parametrize(
    ("path", "fields"), [("/verify-email", {}), ("/reset-password", {"new_password": NEW})]
)
async def test_a_token_that_is_none_is_explained(
    api: ControlApi, path: str, fields: dict[str, str]
) -> None:
    page = await api.http.get(f"{path}?token=nonsense")
    answer = await _send(api, page, None, **fields)

    assert page.status_code == 200
    assert answer.status_code == 400
    assert "newest mail" in answer.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:8000"},
        {"Origin": "https://evil.example"},
    ],
)
async def test_a_form_of_another_site_is_refused(api: ControlApi, headers: dict[str, str]) -> None:
    person = await api.sign_up()
    page = await api.http.get(await _link(api, person, VERIFY))
    answer = await _send(api, page, headers)

    assert answer.status_code == 400
    assert "another site" in answer.text
    assert not await _is_verified(api, person)


@pytest.mark.parametrize("path", ["/verify-email", "/reset-password"])
async def test_pages_keep_the_token_to_themselves(api: ControlApi, path: str) -> None:
    for page in (
        await api.http.get(f"{path}?token=pr_x"),
        await api.http.post(path, data={"token": "pr_x"}, headers=OURS),
    ):
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert page.headers["referrer-policy"] == "strict-origin"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "<script" not in page.text
        assert not re.search(r'(?:src|href)="https?:', page.text)


async def test_a_page_shows_what_stands_in_its_address_as_text(api: ControlApi) -> None:
    page = await api.http.get("/verify-email", params={"token": '"><script>alert(1)</script>'})

    assert "<script>" not in page.text
    assert "&lt;script&gt;" in page.text


async def test_a_body_that_is_no_form_is_explained(api: ControlApi) -> None:
    answer = await api.http.post(
        "/verify-email", content=b"\xff\xfe", headers={**OURS, "Content-Type": "text/plain"}
    )

    assert answer.status_code == 415
    assert "Send the form as application/x-www-form-urlencoded." in answer.text


async def test_a_page_without_a_token_says_so_when_sent(api: ControlApi) -> None:
    page = await api.http.get("/reset-password")
    answer = await _send(api, page, new_password=f"{NEW} {uuid4().hex}")

    assert answer.status_code == 400
    assert "newest mail" in answer.text
