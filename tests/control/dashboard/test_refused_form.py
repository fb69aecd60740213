"""Refused forms: the summary names fields as their labels do, and a browser refuses nothing silently."""

import re
from pathlib import Path

from playwright.async_api import Browser, expect

import control.dashboard
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
        await page.get_by_role("button", name="Create account").click()

        links = page.get_by_role("alert").get_by_role("link")
        await expect(links).to_have_text(["Company name", "Email", "Password"])
        await links.last.click()
        await expect(page.get_by_label("Password")).to_be_focused()
        await check_width(seen)
        await seen.check_axe()


_TEMPLATES = Path(control.dashboard.__file__).parent / "templates"
_SILENT = re.compile(
    r"<select[^>]*\srequired|<input[^>]*type=\"hidden\"[^>]*\srequired|<(?:input|textarea)[^>]*\srequired[^>]*\shidden"
)


def test_no_control_of_a_template_can_block_its_form_silently() -> None:
    """
    A list whose chosen option is empty and a hidden field make a browser refuse the form without a word: the server
    judges those. The patterns follow Jinja's conditions, which stand in the tag as text.
    """
    texts = {path.name: path.read_text("utf-8") for path in _TEMPLATES.rglob("*.html")}

    assert {name: found for name, text in texts.items() if (found := _SILENT.findall(text))} == {}
