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


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_every_page_of_an_empty_account_is_whole(
    api: ControlApi, chromium: Browser, width: int, theme: str
) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=width, dark=theme == "dark") as seen:
        await sign_in(seen, base_url, person)
        for screen in _PLAIN:
            start = "/live" if screen.of_environment else ""
            await seen.page.goto(f"{base_url}{start}{screen.path}" or "/")
            assert await seen.page.locator("h1").count() == 1, seen.page.url
            await check_width(seen)
            await seen.check_axe()
        seen.check()
