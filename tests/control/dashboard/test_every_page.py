"""What must hold of every page of the dashboard, whichever room it is in, in a real browser."""

import pytest
from playwright.async_api import Browser

from control.dashboard.page_registry import SCREENS
from tests.support.browser import DESK, PHONE, check_width, opened, sign_in
from tests.support.control_api import ControlApi

_PLAIN = [
    screen
    for screen in SCREENS
    if "<" not in screen.path and screen.name != "sign_out" and not screen.is_part
]
"""Those that need no object."""


@pytest.mark.parametrize(("width", "environment"), [(DESK, "live"), (PHONE, "test")])
async def test_every_page_of_an_empty_account_is_whole_in_both_themes(
    api: ControlApi, chromium: Browser, width: int, environment: str
) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=width, reduced_motion="reduce") as seen:
        await sign_in(seen, base_url, person)
        for screen in _PLAIN:
            start = f"/{environment}" if screen.of_environment else ""
            await seen.page.emulate_media(color_scheme="light")
            await seen.page.goto(f"{base_url}{start}{screen.path}")
            assert await seen.page.locator("h1").count() == 1, seen.page.url
            await check_width(seen)
            await seen.check_axe()
            await seen.page.emulate_media(color_scheme="dark")
            await seen.check_axe()
        seen.check()


async def test_every_page_can_be_read_without_a_script(api: ControlApi, chromium: Browser) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, java_script_enabled=False) as seen:
        await sign_in(seen, base_url, person)
        for screen in _PLAIN:
            start = "/live" if screen.of_environment else ""
            await seen.page.goto(f"{base_url}{start}{screen.path}")
            assert await seen.page.locator("h1").is_visible(), seen.page.url


async def test_a_printed_page_is_its_content_alone(api: ControlApi, chromium: Browser) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, dark=True) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/live/reports")
        await seen.page.emulate_media(media="print", color_scheme="dark")

        assert await seen.page.locator("h1").is_visible()
        for hidden in ("header.top", "details.nav", "form.filters"):
            assert await seen.page.locator(f"{hidden} >> visible=true").count() == 0, hidden
        ground = await seen.page.evaluate("getComputedStyle(document.body).colorScheme")
        assert ground == "light"
