"""
``make measure-pages``: what the main pages of the dashboard cost a browser, of the stack that `make run` started.

Chromium's processor is slowed four times. LCP and CLS are the browser's own; the interaction is a press of Tab,
measured to the next frame; bytes are as transferred, with an empty cache. Times depend on what else the machine does.
"""

import asyncio
import sys
from dataclasses import dataclass
from typing import Any, Final

import orjson
from playwright.async_api import Browser, Page, async_playwright

from loadtests.users.stack import state
from tests.support.browser import CHROMIUM

_FRONT: Final = "/"
PAGES: Final = {
    "Front page": _FRONT,
    "Overview": "/live",
    "Campaigns": "/live/campaigns",
    "New campaign": "/live/campaigns/new",
    "Test campaigns": "/test/campaigns",
    "Ads": "/live/ads",
    "Properties": "/live/properties",
    "Keys": "/live/keys",
    "Events": "/live/events",
    "Reports": "/live/reports",
    "Wallet": "/wallet",
    "Members": "/members",
    "First steps": "/test/first-steps",
    "Test page": "/test/first-steps/page",
}
MAX_LCP_MS: Final = 1_000
MAX_INTERACTION_MS: Final = 100
MAX_BYTES: Final = 120_000
MAX_REQUESTS: Final = 12
_SLOWED: Final = 4
_ARGUMENTS: Final = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_OBSERVE: Final = """
window.seen = { lcp: 0, cls: 0 };
new PerformanceObserver((list) => { for (const one of list.getEntries()) seen.lcp = one.startTime; })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => { for (const one of list.getEntries())
  seen.cls += one.hadRecentInput ? 0 : one.value; })
  .observe({ type: "layout-shift", buffered: true });
"""
_PAINTED: Final = """new Promise((done) => {
  const look = () => seen.lcp ? done() : setTimeout(look, 20);
  look();
})"""


@dataclass(frozen=True, slots=True)
class PageFigures:
    lcp_ms: float
    cls: float
    interaction_ms: float
    bytes: int
    requests: int

    @property
    def is_within(self) -> bool:
        return (
            self.lcp_ms <= MAX_LCP_MS
            and self.cls == 0
            and self.interaction_ms <= MAX_INTERACTION_MS
            and self.bytes <= MAX_BYTES
            and self.requests <= MAX_REQUESTS
        )


async def main() -> None:
    """Prints a table. Raises `FileNotFoundError` where no stack runs."""
    demo = orjson.loads((state() / "demo.json").read_bytes())
    signed = demo["sample"] or demo["owner"]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(CHROMIUM), args=_ARGUMENTS)
        cookies = await _sign_in(browser, demo["control_url"], signed)
        _print(f"{'page':16}{'LCP ms':>8}{'CLS':>8}{'key ms':>8}{'kB':>8}{'requests':>10}")
        for name, path in PAGES.items():
            sent = [] if path == _FRONT else cookies
            one = await _measure(browser, sent, demo["control_url"] + path)
            mark = "" if one.is_within else "  above a limit"
            _print(
                f"{name:16}{one.lcp_ms:8.0f}{one.cls:8.4f}{one.interaction_ms:8.0f}{one.bytes / 1000:8.1f}"
                f"{one.requests:10}{mark}"
            )
        await browser.close()


async def _sign_in(browser: Browser, control_url: str, person: dict[str, str]) -> list[Any]:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(f"{control_url}/sign-in")
    await page.locator("input[name=email]").fill(person["email"])
    await page.locator("input[name=password]").fill(person["password"])
    await page.locator("main form button.primary").first.click()
    await page.wait_for_url("**/live*")
    cookies = list(await context.cookies())
    await context.close()
    return cookies


async def _measure(browser: Browser, cookies: list[Any], url: str) -> PageFigures:
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    await context.add_cookies(cookies)
    page = await context.new_page()
    await page.add_init_script(_OBSERVE)
    session = await context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWED})
    await session.send("Network.enable")
    sizes: list[int] = []
    session.on("Network.loadingFinished", lambda one: sizes.append(int(one["encodedDataLength"])))
    await page.goto(url, wait_until="networkidle")
    loaded = tuple(sizes)
    await page.evaluate(_PAINTED)  # on a busy machine later than the last response
    seen = await page.evaluate("seen")
    figures = PageFigures(
        seen["lcp"], round(seen["cls"], 4), await _press(page), sum(loaded), len(loaded)
    )
    await context.close()
    return figures


async def _press(page: Page) -> float:
    """Milliseconds from a press of Tab to the frame that shows its effect, from the browser's own clock."""
    await page.evaluate(
        "void (window.took = new Promise((done) => addEventListener('keydown', (event) => requestAnimationFrame(() =>"
        " setTimeout(() => done(performance.now() - event.timeStamp))), { once: true })))"
    )
    await page.keyboard.press("Tab")
    return float(await page.evaluate("window.took"))


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
