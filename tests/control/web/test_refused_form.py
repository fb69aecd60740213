"""A form that was refused, in a real browser: the summary above it names its fields as their labels do."""

from playwright.async_api import Browser, expect

from tests.support.browser import PHONE, check_width, opened
from tests.support.control_api import ControlApi


async def test_the_summary_of_a_refused_form_names_fields_by_their_labels(
    api: ControlApi, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        page = seen.page
        await page.goto(f"{base_url}/sign-up")
        await page.evaluate("document.querySelector('main form').noValidate = true")
        await page.get_by_label("Password").fill("short")
        await page.get_by_role("button", name="Open the account").click()

        links = page.get_by_role("alert").get_by_role("link")
        await expect(links).to_have_text(["Name of the company", "E-mail", "Password"])
        await links.last.click()
        await expect(page.get_by_label("Password")).to_be_focused()
        await check_width(seen)
        await seen.check_axe()
