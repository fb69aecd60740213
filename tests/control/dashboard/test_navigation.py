"""What must hold between pages: links keep the environment, and every page says that live serving is stopped."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from control.dashboard.page_registry import SCREENS
from tests.support.control_api import ControlApi
from tests.support.visitor import Visitor, text_of, visiting

_PAGES = [
    screen
    for screen in SCREENS
    if "<" not in screen.path
    and not (screen.is_public or screen.is_part or screen.name == "sign_out")
]
"""Those of a signed-in person that need no object."""
_NO_ENVIRONMENT = {"", "docs", "sdk", "static"}
_SAYS_LIVE = {"/live", "/live/review"}
"""The link's own words name the environment it leads to."""


def _targets(page: LexborHTMLParser) -> set[str]:
    """First segments of the addresses that the page leads to, but by the switch between live and TEST."""
    for switch in page.css("nav.environments"):
        switch.decompose()
    links = [node.attributes["href"] or "" for node in page.css("body a[href]")]
    forms = [node.attributes["action"] or "" for node in page.css("form[action]")]
    return {
        path.split("?")[0].split("/")[1]
        for path in links + forms
        if path.startswith("/") and path not in _SAYS_LIVE
    }


async def test_every_link_of_a_page_in_test_stays_in_test(visitor: Visitor) -> None:
    for screen in _PAGES:
        page = await visitor.look(f"/test{screen.path}")
        assert _targets(page) - _NO_ENVIRONMENT == {"test"}, screen.name


async def test_every_page_leads_to_the_documentation_which_leads_back(visitor: Visitor) -> None:
    for path in ("/live", "/test/first-steps", "/live/campaigns/new", "/wallet", "/profile"):
        assert (await visitor.look(path)).css_matches("nav a[href='/docs']"), path
    for path in ("/docs", "/docs/campaigns", "/docs/guides", "/docs/guides/first-ad"):
        assert (await visitor.look(path)).css_matches("header a[href='/']"), path


async def test_a_form_of_the_account_leads_back_to_test(visitor: Visitor) -> None:
    sent = await visitor.send("/test/profile", act="name", name="Ana")

    assert sent.headers["location"].startswith("/test/profile")


@pytest.mark.parametrize("last", ["live", "test"])
async def test_the_start_page_redirects_to_the_environment_shown_last(
    visitor: Visitor, last: str
) -> None:
    visitor.http.cookies.set("placard_environment", last)

    start = await visitor.http.get("/")

    assert start.headers["location"] == f"/{last}"


async def test_every_page_shows_that_live_serving_is_stopped(visitor: Visitor) -> None:
    await visitor.act("/account", act="stop")

    for screen in _PAGES:
        start = "/live" if screen.of_environment else ""
        page = await visitor.look(start + screen.path)
        assert "All live serving is stopped." in text_of(page), screen.name
        ways_back = page.css("#stopped a[href='/account']")
        assert len(ways_back) == (screen.name != "account"), screen.name


async def test_every_page_says_that_the_address_is_not_verified(
    api: ControlApi, visitor: Visitor
) -> None:
    assert "Verify your email address" not in text_of(await visitor.look("/test/first-steps"))
    async with visiting(api, await api.sign_up(verified=False)) as unverified:
        for path in ("/live", "/test/first-steps", "/test/campaigns", "/wallet"):
            notice = (await unverified.look(path)).css_first("main > :first-child")
            assert notice is not None
            assert "Verify your email address" in notice.text(), path
            assert notice.css_first("a[href$='/profile']") is not None, path
