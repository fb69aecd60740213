"""The page that the mail of an invitation leads to."""

import httpx
import pytest

from tests.control.identity.members.people import an_email, invite, token_sent_to
from tests.support.control_api import PASSWORD, ControlApi, Person

PATH = "/accept-invitation"


async def _post(
    api: ControlApi, token: str, site: str = "same-origin", **fields: str
) -> httpx.Response:
    data = {"token": token, "name": "Bruno", "password": PASSWORD} | fields
    return await api.http.post(PATH, data=data, headers={"Sec-Fetch-Site": site})


@pytest.fixture
async def invited(api: ControlApi, owner: Person) -> tuple[str, str]:
    """An address, and the token sent to it."""
    email = an_email()
    await invite(api, owner, "analyst", email)
    return email, await token_sent_to(api, email)


async def test_viewing_the_page_does_not_use_the_token(
    api: ControlApi, invited: tuple[str, str]
) -> None:
    email, token = invited
    for _ in range(3):
        page = await api.http.get(f"{PATH}?token={token}")
        assert page.status_code == 200
        assert token in page.text
    sent = await _post(api, token)

    assert sent.status_code == 303
    assert "placard_session=" in sent.headers["set-cookie"]
    assert (await api.sign_in(email)).status_code == 200


async def test_an_existing_user_needs_no_name(api: ControlApi, owner: Person) -> None:
    person = await api.sign_up()
    await invite(api, owner, "analyst", person.email)
    sent = await _post(api, await token_sent_to(api, person.email), name="")

    assert sent.status_code == 303, sent.text


async def test_errors_are_shown_on_the_page(api: ControlApi, invited: tuple[str, str]) -> None:
    _, token = invited
    guessable = await _post(api, token, password="password1234")
    nameless = await _post(api, token, name="")
    unknown = await _post(api, "iv_" + "a" * 43)

    assert guessable.status_code == 422
    assert "easy to guess" in guessable.text
    assert nameless.status_code == 422
    assert "Choose a name, and a password of 12 to 256 characters." in nameless.text
    assert unknown.status_code == 400
    assert "withdrawn" in unknown.text


async def test_a_form_of_another_site_is_refused(api: ControlApi, invited: tuple[str, str]) -> None:
    _, token = invited
    foreign = await _post(api, token, site="cross-site")

    assert foreign.status_code == 400
    assert (await _post(api, token)).status_code == 303


async def test_the_page_keeps_its_token_to_itself(
    api: ControlApi, invited: tuple[str, str]
) -> None:
    page = await api.http.get(f"{PATH}?token={invited[1]}")

    assert page.headers["referrer-policy"] == "strict-origin"
    assert page.headers["cache-control"] == "no-store"
    assert "script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


async def test_what_stands_in_the_address_is_shown_as_text(api: ControlApi) -> None:
    page = await api.http.get(PATH, params={"token": '"><script>alert(1)</script>'})

    assert "<script>" not in page.text
