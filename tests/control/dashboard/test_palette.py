"""The palette and the shortcuts in Chromium, by the keyboard alone."""

import asyncio

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.support.browser import DESK, PHONE, check_width, opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.resources import Customer

_MAX_TABS = 60


async def _ready(page: Page) -> None:
    """The script of the shortcuts runs: it has named the keys of the search."""
    await expect(page.locator(".search-button kbd")).to_be_visible()


async def test_a_campaign_is_found_opened_and_left_by_the_keyboard_alone(
    api: ControlApi, chromium: Browser
) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)
    campaign = await customer.make_campaign(await customer.make_site(), "live", name="Quiet otters")
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        page = seen.page
        await sign_in(seen, base_url, person)
        await _ready(page)
        await page.keyboard.press("Control+k")
        field = page.get_by_role("combobox", name="Search, or type a command")
        await expect(field).to_be_focused()
        await page.keyboard.type("otters")
        option = page.get_by_role("option", name="Quiet otters")
        await expect(option).to_have_attribute("aria-selected", "true")
        assert await field.get_attribute("aria-activedescendant") == await option.get_attribute(
            "id"
        )
        await expect(page.locator("dialog").get_by_role("status")).to_have_text("1 result")
        await seen.check_axe()
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"**/live/campaigns/{campaign['id']}")
        await expect(page.get_by_role("navigation", name="Breadcrumb")).to_contain_text("Campaigns")

        await _ready(page)
        await page.keyboard.press("/")
        await page.keyboard.type("new campaign")
        await page.keyboard.press("Enter")  # before the options arrive: what was typed is meant
        await page.wait_for_url("**/live/campaigns/new")
        await _ready(page)
        await page.keyboard.press("g")
        await page.keyboard.press("p")
        await page.wait_for_url("**/live/properties")
        seen.check()


async def test_keys_that_are_pressed_while_the_palette_loads_are_its_own(
    api: ControlApi, chromium: Browser
) -> None:
    """Alone, the first letter would open the page's main button."""
    person = await api.sign_up()
    is_typed = asyncio.Event()

    async def hold(route: Route) -> None:
        await is_typed.wait()
        await route.continue_()

    async with opened(chromium) as seen:
        page = seen.page
        await sign_in(seen, str(api.http.base_url).rstrip("/"), person)
        await page.goto(f"{str(api.http.base_url).rstrip('/')}/live/campaigns")
        await _ready(page)
        await page.route("**/palette.js", hold)
        await page.keyboard.press("/")
        await page.keyboard.type("new property")
        await page.keyboard.press("Enter")
        is_typed.set()
        await page.wait_for_url("**/live/properties/new")
        seen.check()


async def test_a_campaign_is_activated_and_paused_by_the_keyboard_alone(
    api: ControlApi, chromium: Browser
) -> None:
    person = await api.sign_up()
    customer = Customer(api, person)
    campaign = await customer.make_campaign(await customer.make_site(), "test")
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/test/campaigns/{campaign['id']}")
        for verb, then in (("activate", "pause"), ("pause", "resume")):
            await _tab_to(seen.page, f"button[value={verb}]")
            await seen.page.keyboard.press("Enter")
            await expect(seen.page.locator(f"button[value={then}]")).to_be_visible()
        seen.check()


async def _tab_to(page: Page, selector: str) -> None:
    """By the Tab key alone."""
    for _ in range(_MAX_TABS):
        await page.keyboard.press("Tab")
        if await page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return
    raise AssertionError(f"{_MAX_TABS} tabs do not reach {selector}")


async def test_the_shortcuts_are_listed_and_single_keys_can_be_turned_off(
    api: ControlApi, chromium: Browser
) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        page = seen.page
        await sign_in(seen, base_url, person)
        await _ready(page)
        await page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        await expect(dialog).to_be_visible()
        await seen.check_axe()
        await dialog.get_by_role("checkbox").focus()
        await page.keyboard.press("Space")
        await page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        await page.reload()
        await _ready(page)
        await page.keyboard.press("?")
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("combobox")).to_be_focused()
        await expect(dialog).to_be_hidden()
        seen.check()


@pytest.mark.parametrize("width", [PHONE, DESK])
async def test_the_menu_of_the_person_opens_and_closes_by_the_keyboard(
    api: ControlApi, chromium: Browser, width: int
) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=width) as seen:
        page = seen.page
        await sign_in(seen, base_url, person)
        menu = page.locator("details.menu")
        await menu.locator("summary").focus()
        await page.keyboard.press("Enter")
        await expect(menu.get_by_role("button", name="Sign out")).to_be_visible()
        await check_width(seen)
        await seen.check_axe()
        await page.keyboard.press("Escape")
        await expect(menu.get_by_role("button", name="Sign out")).to_be_hidden()
        await expect(menu.locator("summary")).to_be_focused()
        seen.check()
