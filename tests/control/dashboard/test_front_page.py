"""``/``: what Placard is, for people who are not signed in; the overview for all others."""

import re

import orjson
import pytest
from playwright.async_api import Browser, Route, expect
from selectolax.lexbor import LexborHTMLParser

from tests.support.browser import DESK, PHONE, check_width, opened
from tests.support.control_api import ControlApi
from tests.support.http_client import http_client
from tests.support.visitor import text_of, visiting

_EDGE = "http://127.0.0.1:8080"
_DEMO = {
    "account_id": "01900000-0000-7000-8000-000000000001",
    "property": {"id": "01900000-0000-7000-8000-000000000002"},
    "edge_live_url": _EDGE,
    "edge_test_url": "http://127.0.0.1:8081",
    "keys": {"pk_live": {"key": "pk_live_x"}, "pk_test": {"key": "pk_test_x"}},
    "slots": {"banner": {"key": "banner"}},
}


async def test_a_visitor_finds_the_ways_in(api: ControlApi) -> None:
    async with http_client(base_url=api.http.base_url) as visitor:
        answer = await visitor.get("/")
        portuguese = await visitor.get("/", headers={"Accept-Language": "pt-BR"})

    page = LexborHTMLParser(answer.text)
    links = {node.attributes["href"] for node in page.css("main a")}
    assert answer.status_code == 200
    assert links == {"/sign-up", "/sign-in", "/docs"}  # no demo runs here
    assert "connect-src 'self';" in answer.headers["content-security-policy"]
    assert "Your own ad server" in text_of(page)
    assert "Seu próprio servidor de anúncios" in portuguese.text


async def test_a_signed_in_user_goes_to_the_overview(api: ControlApi) -> None:
    person = await api.sign_up()
    async with visiting(api, person) as visitor:
        answer = await visitor.http.get("/")

    assert (answer.status_code, answer.headers["location"]) == (303, "/live")


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_edge_of_a_running_demo_can_be_measured(
    api: ControlApi, chromium: Browser, width: int, theme: str
) -> None:
    path = api.control.settings.state / "demo.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(_DEMO))
    requested: list[str] = []

    async def respond(route: Route) -> None:
        requested.append(route.request.url)
        await route.fulfill(json={"status": "ok"}, headers={"Access-Control-Allow-Origin": "*"})

    try:
        async with opened(chromium, width=width, dark=theme == "dark") as seen:
            await seen.page.route(f"{_EDGE}/**", respond)
            await seen.page.goto(str(api.http.base_url))
            await check_width(seen)
            await seen.check_axe()
            assert not requested  # requests are counted: none by only opening the page
            await seen.page.get_by_role("button", name="Measure now").click()
            await expect(seen.page.locator("output")).to_have_text(re.compile(r"^[\d.]+ ms$"))
            seen.check()
    finally:
        path.unlink()

    assert set(requested) == {f"{_EDGE}/v1/serve?slot=banner&key=pk_live_x"}
