"""
A real Chromium at our pages, driven by Playwright, and what must never happen on any of them: a message of the
console, a refusal by the page's own policy, a script error, a serious finding of axe.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Frame, Page, async_playwright, expect

from deploy.debian import install_missing
from tests.support import npm
from tests.support.control_api import PASSWORD, Person
from tests.support.one_at_a_time import one_at_a_time

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
"""Chromium without a window, which takes less processor time for the same pages."""
PUBLISHER = "harbour.example"
"""A publisher's host, which browsers find on this machine; whoever listens there plays its part."""
_ARGUMENTS = (
    "--no-sandbox",  # it refuses to sandbox for root; the pages are ours
    "--disable-gpu",
    "--in-process-gpu",
    "--js-flags=--no-maglev --no-turbofan --min-semi-space-size=32",  # no page lives long enough to be optimised
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--renderer-process-limit=1",  # the start of a process takes longer than most of our pages
    f"--host-resolver-rules=MAP {PUBLISHER} 127.0.0.1",
)
PHONE, TABLET, DESK = 360, 768, 1440
"""Widths that pages are looked at, in CSS pixels."""
_HEIGHT = 900
_LANDMARK_RULES = frozenset({"region", "landmark-unique"})
"""Of axe-core: each part of a page is in a landmark, and no two landmarks have the same name."""
_COLOR_RULES = ["color-contrast", "link-in-text-block"]
"""Of axe-core: those that read computed colors."""
_RUN_AXE = """
    rules => axe.run(document, {
      iframes: false, resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }),
    }).then(found => found.violations.map(
      ({ id, help, impact, nodes }) => ({ id, help, impact, targets: nodes.map(node => node.target) })))
"""
_PATIENCE_MS = 60_000
"""For what a page comes to show; it is long where the machine is busy."""


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """Started once; each test opens contexts of its own (`opened`)."""
    _install_missing()
    expect.set_options(timeout=_PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=list(_ARGUMENTS)
        )
        try:
            yield browser
        finally:
            await browser.close()


class Watched:
    """A page, and in ``faults`` whatever went wrong on it since it was opened; `check` refuses any."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        self._loads_axe = False
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))

    def _note_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"{message.type}: {message.text} ({self.page.url})")

    def check(self) -> None:
        assert not self.faults, "\n".join(self.faults)

    async def resize(self, width: int) -> None:
        """To a window *width* CSS pixels wide, without loading the page again."""
        await self.page.set_viewport_size({"width": width, "height": _HEIGHT})

    async def check_axe(self, frame: Frame | None = None, *, colors_only: bool = False) -> None:
        """
        No finding of axe-core that it calls serious or critical, and none about landmarks. Frames are pages of their
        own: *frame* instead of the page. *colors_only*: nothing else changes with the theme of a page checked before.
        """
        looked_at = frame or self.page
        if not self._loads_axe:  # half a megabyte, which Chromium then compiles once for all pages
            await self.page.add_init_script(_axe_source())
            self._loads_axe = True
        if await looked_at.evaluate("!window.axe"):
            await looked_at.evaluate(_axe_source())
        found = await looked_at.evaluate(_RUN_AXE, _COLOR_RULES if colors_only else None)
        serious = [
            f"{one['id']}: {one['help']} at {one['targets']}"
            for one in found
            if one["impact"] in ("serious", "critical") or one["id"] in _LANDMARK_RULES
        ]
        assert not serious, f"{looked_at.url}\n" + "\n".join(serious)


@asynccontextmanager
async def opened(
    chromium: Browser, *, width: int = DESK, dark: bool = False, **context: Any
) -> AsyncIterator[Watched]:
    """A new page of a new context: no cookies, nothing stored. *context*: as Playwright's ``new_context``."""
    made: BrowserContext = await chromium.new_context(
        viewport={"width": width, "height": _HEIGHT},
        color_scheme="dark" if dark else "light",
        **context,
    )
    try:
        yield Watched(await made.new_page())
    finally:
        await made.close()


async def sign_in(watched: Watched, base_url: str, person: Person) -> None:
    """By the form, as a person does."""
    page = watched.page
    await page.goto(f"{base_url}/sign-in")
    await page.get_by_label("Email").fill(person.email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(f"{base_url}/live")


async def check_width(watched: Watched) -> None:
    """Nothing makes the page scroll sideways."""
    over = await watched.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert over <= 0, f"{watched.page.url} is {over} px too wide"


def _install_missing() -> None:
    with one_at_a_time("apt"):
        missing = () if CHROMIUM.exists() else (CHROMIUM.name,)
        needs = f"These tests need Chromium: apt-get install {CHROMIUM.name}"
        install_missing(missing, print, otherwise=needs)


@cache
def _axe_source() -> str:
    return (npm.install(npm.JUDGES) / "axe-core" / "axe.min.js").read_text("utf-8")
