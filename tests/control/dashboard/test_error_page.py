"""Where a page fails, people see a page, never the API's envelope."""

import httpx
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import text

from tests.support.control_api import ControlApi
from tests.support.resources import Customer
from tests.support.visitor import text_of, visiting


async def _ask_for_a_broken_page(api: ControlApi, language: str = "en") -> httpx.Response:
    """The page of a campaign whose row nothing of ours could have written."""
    customer = Customer(api, await api.sign_up())
    campaign = await customer.make_campaign((await customer.make_property())["id"])
    async with api.control.database.service() as session:
        await session.execute(
            text("update campaigns set targeting = '7' where id = :id"), {"id": campaign["id"]}
        )
    async with visiting(api, customer.person) as visitor:
        path = f"/live/campaigns/{campaign['id']}?flash=saved"
        return await visitor.http.get(path, headers={"Accept-Language": language})


async def test_a_page_that_fails_shows_the_request_id_and_a_retry_link(
    api: ControlApi,
) -> None:
    answer = await _ask_for_a_broken_page(api)
    page = LexborHTMLParser(answer.text)
    again = page.css_first("a.primary")

    assert answer.status_code == 500
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-request-id"] in text_of(page)
    assert again is not None
    assert again.attributes["href"] == f"{answer.request.url.path}?flash=saved"


async def test_a_page_that_fails_shows_the_error_in_the_users_language(api: ControlApi) -> None:
    answer = await _ask_for_a_broken_page(api, "pt-BR")

    assert "Isto não funcionou" in text_of(LexborHTMLParser(answer.text))


async def test_a_form_that_another_site_sent_is_refused_with_a_page(api: ControlApi) -> None:
    async with visiting(api, await api.sign_up()) as visitor:
        answer = await visitor.http.post(
            "/account", data={"name": "Ours"}, headers={"Sec-Fetch-Site": "cross-site"}
        )

    assert answer.status_code == 400
    assert LexborHTMLParser(answer.text).css_first("h1") is not None


async def test_a_browser_at_an_unknown_address_is_shown_a_page(api: ControlApi) -> None:
    accept = {"Accept": "text/html,*/*;q=0.8", "Accept-Language": "pt-BR"}
    answer = await api.http.get("/no/such/page", headers=accept)
    page = LexborHTMLParser(answer.text)

    assert answer.status_code == 404
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "Página não encontrada" in text_of(page)
    assert "Esta página não existe." in text_of(page)
    assert [link.attributes["href"] for link in page.css("a.primary")] == ["/"]


async def test_an_api_client_at_an_unknown_address_gets_the_envelope(api: ControlApi) -> None:
    for path, accept in (("/no/such/page", "*/*"), ("/v1/no-such-thing", "text/html")):
        answer = await api.http.get(path, headers={"Accept": accept})

        assert answer.status_code == 404
        assert answer.json()["error"]["code"] == "not_found"
