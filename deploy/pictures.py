"""
``make screenshots``: takes the README's pictures with the machine's Chromium, from a stack of its own with a little
traffic.

Each shows a page as users see it: at desktop width, in the light theme. Nothing in them is drawn by hand.
"""

import asyncio
import sys
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, Page, async_playwright

from deploy.debian import NotInstalled, install_missing
from deploy.standalone.background import running_stack
from deploy.standalone.child import ROOT
from deploy.standalone.demo import Demo

CHROMIUM: Final = Path("/usr/bin/chromium")
FOLDER: Final = ROOT / "docs" / "pictures"
_ARGUMENTS: Final = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_AGENT: Final = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
"""A browser of a person: views by headless agents are counted, but not billed."""
_READERS: Final = 12
_SETTLE_MS: Final = 3_000
_CAMPAIGN: Final = "Demo banner"


async def main() -> None:
    """Raises `NotInstalled`."""
    missing = () if CHROMIUM.exists() else ("chromium",)
    install_missing(missing, print, otherwise="Pictures need Chromium: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    with running_stack({}) as stack:
        await _take(Demo(**stack.demo))


async def _take(demo: Demo) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=_ARGUMENTS)
        for _ in range(_READERS):
            await _read(browser, demo)
        page = await _signed_in(browser, demo)
        await page.wait_for_timeout(_SETTLE_MS)
        await page.goto(f"{demo.control_url}/live")
        await _settle_and_take(page, "dashboard")
        await page.goto(f"{demo.control_url}/live/campaigns")
        await page.get_by_role("link", name=_CAMPAIGN).click()
        await page.get_by_role("heading", name=_CAMPAIGN, level=1).wait_for()
        await _settle_and_take(page, "campaign")
        await page.goto(demo.demo_page_url)
        await _settle_and_take(page, "demo")
        await browser.close()


async def _settle_and_take(page: Page, name: str) -> None:
    await page.wait_for_timeout(_SETTLE_MS)
    await page.screenshot(path=FOLDER / f"{name}.png")


async def _read(browser: Browser, demo: Demo) -> None:
    """Views the demo page from its top to its end."""
    context = await browser.new_context(user_agent=_AGENT)
    page = await context.new_page()
    await page.goto(demo.demo_page_url)
    await page.wait_for_timeout(_SETTLE_MS / 2)
    await page.keyboard.press("End")
    await page.wait_for_timeout(_SETTLE_MS / 2)
    await context.close()


async def _signed_in(browser: Browser, demo: Demo) -> Page:
    context = await browser.new_context(
        user_agent=_AGENT, viewport={"width": 1280, "height": 800}, device_scale_factor=2
    )
    page = await context.new_page()
    await page.goto(f"{demo.control_url}/sign-in")
    await page.get_by_label("E-mail").fill(demo.owner["email"])
    await page.get_by_label("Password").fill(demo.owner["password"])
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(f"{demo.control_url}/live")
    return page


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except NotInstalled as trouble:
        sys.exit(str(trouble))
