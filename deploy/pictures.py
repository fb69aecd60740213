"""
``make screenshots``: takes the pictures of the README and of the main pages with the machine's Chromium.

They show the sample account of a stack of its own, whose history is simulated, the demo page, and pages of the demo
account. Nothing in them is drawn by hand.

``python -m deploy.pictures FOLDER DEMO_JSON`` takes those of the main pages from a running stack, also of an older
version, which has no sample account: then the demo's.
"""

import asyncio
import base64
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from playwright.async_api import Browser, BrowserContext, async_playwright

from deploy.debian import NotInstalled, install_missing
from deploy.standalone.background import running_stack
from deploy.standalone.child import ROOT
from deploy.standalone.state import read_json

CHROMIUM: Final = Path("/usr/bin/chromium")
FOLDER: Final = ROOT / "docs" / "pictures"
_ARGUMENTS: Final = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_AGENT: Final = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
"""A browser of a person: views by headless agents are counted, but not billed."""
_SETTLE_MS: Final = 2_500
_SAMPLE_S: Final = 300
_README_QUALITY: Final = 80
_QUALITY: Final = 50
"""Of WebP, in percent."""
_OF_CAMPAIGNS: Final = "main a[href^='/live/campaigns/0']"
_DELIVERING: Final = "Aurora Coffee"
"""The start of the name of a sample campaign; elsewhere the first of the list is taken."""


@dataclass(frozen=True, slots=True)
class _Page:
    """
    ``path`` may name the demo's property and slots in braces. ``link``: CSS of a link that is followed from there;
    ``named``: the start of its text, if the page has such a link. ``shows``: CSS of what is scrolled to.
    ``is_of_demo``: looked at by the demo's owner, not by that of the sample account.
    """

    path: str
    link: str = ""
    named: str = ""
    shows: str = ""
    is_of_demo: bool = False


_SLOT: Final = "/live/properties/{property}/slots/"
_LAST_SNIPPET: Final = "main section:first-of-type > .snippet:last-of-type"
_QUALITY_METRICS: Final = (
    *("impressions", "starts", "first_quartiles", "midpoints", "third_quartiles"),
    *("completes", "completion_rate"),
)
PAGES: Final = {
    "demo": _Page("/demo"),
    "overview": _Page("/live?range=28d"),
    "campaigns": _Page("/live/campaigns"),
    "campaign": _Page("/live/campaigns", _OF_CAMPAIGNS, _DELIVERING),
    "new-campaign": _Page("/live/campaigns/new"),
    "ads": _Page("/live/ads"),
    "reports": _Page("/live/reports"),
    "events": _Page("/live/events"),
    "properties": _Page("/live/properties"),
    "keys": _Page("/live/keys"),
    "wallet": _Page("/wallet"),
    "members": _Page("/members"),
    "email-ad": _Page(
        "/live/ads?format=email",
        "main a[href^='/live/ads/0']",
        shows="figure.preview",
        is_of_demo=True,
    ),
    "email-slot": _Page(_SLOT + "{email}", is_of_demo=True),
    "video-slot": _Page(_SLOT + "{video}", shows=_LAST_SNIPPET, is_of_demo=True),
    "audio-slot": _Page(_SLOT + "{audio}", shows=_LAST_SNIPPET, is_of_demo=True),
    "quality-report": _Page(
        "/live/reports?range=28d&format=video&chart=completes&"
        + urlencode({"metrics": _QUALITY_METRICS}, doseq=True),
        shows="dl.figures",
    ),
    "demo-players": _Page("/demo", shows="service-ad[slot-id=video]"),
}
"""The main pages, and those of the places that ads appear in, by name."""
_SCROLL: Final = """(shown) => shown.scrollIntoView({
    block: shown.offsetHeight > innerHeight ? "start" : "center",
})"""
SIZES: Final = {1440: 900, 820: 1180, 360: 780}
"""Heights by width, in CSS pixels."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How a picture is taken: its width in CSS pixels, the theme, pixels of the screen for one of CSS."""

    width: int
    theme: str
    scale: float = 1


_DESK: Final = _Look(1280, "light", 1.5)


async def main() -> None:
    """Raises `NotInstalled`."""
    missing = () if CHROMIUM.exists() else ("chromium",)
    install_missing(missing, print, otherwise="Pictures need Chromium: apt-get install chromium")
    if len(sys.argv) > 1:
        folder, path = sys.argv[1:]
        await _take_pages(Path(folder), read_json(Path(path)) or {})
        return
    with running_stack({"PLACARD_SAMPLE": "1"}) as stack:
        demo = await _await_sample(stack.state / "demo.json")
        await _take_for_readme(demo)
        await _take_pages(FOLDER / "after", demo)


async def _await_sample(path: Path) -> dict[str, Any]:
    deadline = time.monotonic() + _SAMPLE_S
    while time.monotonic() < deadline:
        found: dict[str, Any] = read_json(path) or {}
        if found.get("sample"):
            return found
        await asyncio.sleep(1)
    sys.exit(f"The sample account was not ready within {_SAMPLE_S} s.")


async def _take_for_readme(demo: dict[str, Any]) -> None:
    async with async_playwright() as playwright:
        browser = await _launch(playwright.chromium)
        context = await _open(browser, demo, _DESK, await _sign_in(browser, demo))
        for name, file in (("overview", "dashboard"), ("campaign", "campaign"), ("demo", "demo")):
            await _take(context, demo, name, FOLDER / f"{file}.webp", _README_QUALITY)
        await browser.close()


async def _take_pages(folder: Path, demo: dict[str, Any]) -> None:
    """Every page in every size and theme."""
    async with async_playwright() as playwright:
        browser = await _launch(playwright.chromium)
        sample = await _sign_in(browser, demo)
        owner = await _sign_in(browser, {**demo, "sample": None})
        for look in (_Look(width, theme) for width in SIZES for theme in ("light", "dark")):
            for session, is_of_demo in ((sample, False), (owner, True)):
                context = await _open(browser, demo, look, session)
                for name in [key for key, one in PAGES.items() if one.is_of_demo is is_of_demo]:
                    path = folder / f"{name}-{look.width}-{look.theme}.webp"
                    await _take(context, demo, name, path, _QUALITY)
                await context.close()
        await browser.close()


async def _launch(chromium: Any) -> Browser:
    browser: Browser = await chromium.launch(executable_path=str(CHROMIUM), args=_ARGUMENTS)
    return browser


async def _sign_in(browser: Browser, demo: dict[str, Any]) -> Any:
    """The cookies of a session."""
    owner = demo.get("sample") or demo["owner"]
    context = await browser.new_context(user_agent=_AGENT)
    page = await context.new_page()
    await page.goto(f"{demo['control_url']}/sign-in")
    await page.locator("main input[type=email]").first.fill(owner["email"])
    await page.locator("main input[type=password]").first.fill(owner["password"])
    await page.locator("main input[type=password]").first.press("Enter")
    await page.wait_for_url(f"{demo['control_url']}/live")
    state = await context.storage_state()
    await context.close()
    return state


async def _open(
    browser: Browser, demo: dict[str, Any], look: _Look, session: Any
) -> BrowserContext:
    return await browser.new_context(
        base_url=demo["control_url"],
        user_agent=_AGENT,
        viewport={"width": look.width, "height": SIZES.get(look.width, 800)},
        device_scale_factor=look.scale,
        color_scheme="dark" if look.theme == "dark" else "light",
        storage_state=session,
    )


async def _take(
    context: BrowserContext, demo: dict[str, Any], name: str, path: Path, quality: int
) -> None:
    wanted, page = PAGES[name], await context.new_page()
    named = {slot: one["id"] for slot, one in demo["slots"].items()}
    path_there = wanted.path.format(property=demo["property"]["id"], **named)
    await page.goto(f"{demo['control_url']}{path_there}")
    if wanted.link:
        links = page.locator(wanted.link)
        by_name = links.filter(has_text=wanted.named)
        link = (by_name if await by_name.count() else links).first
        await page.goto(f"{demo['control_url']}{await link.get_attribute('href')}")
    if wanted.shows:
        shown = page.locator(wanted.shows).first
        await shown.evaluate(_SCROLL)
    if await page.locator("#log-own").count():
        await page.locator("#log-own a").first.wait_for(state="attached")
    await page.wait_for_timeout(_SETTLE_MS)
    session = await context.new_cdp_session(page)
    taken = await session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
    _store(path, base64.b64decode(taken["data"]))
    await page.close()


def _store(path: Path, picture: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except NotInstalled as trouble:
        sys.exit(str(trouble))
