"""What Chromium shows while a part of a page is waited for: bars in the shape of what comes, and nothing moves."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Literal

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from tests.control.events.ingest.world import Edge
from tests.support.browser import opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.embedding import ask
from tests.support.site_world import edge, person, world
from tests.support.waiting import PATIENCE_S, until

__all__ = ["edge", "person", "world"]
_NOTE_BARS = """addEventListener("click", () => {
    const main = document.getElementById("main"), part = main?.querySelector(".figures dd");
    if (!part) return;
    let shifts = 0;
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) shifts += one.value;
    }).observe({ type: "layout-shift" });
    const begun = performance.now();
    const size = () => [main, part].map((one) => one.getBoundingClientRect().height).join();
    const isReadable = (one) => getComputedStyle(one).color !== "rgba(0, 0, 0, 0)";
    const before = size();
    const look = () => {
        if (isReadable(part)) return setTimeout(look, 20);
        setTimeout(() => noteBars({
            isBusy: main.getAttribute("aria-busy"), isSoon: performance.now() - begun < 300, shifts,
            isSameSize: size() === before, headingIsReadable: isReadable(main.querySelector("h1")),
            moving: part.getAnimations().some((one) => one.animationName === "breathe"),
        }), 50);
    };
    look();
}, true);"""
_BACKGROUND = """(part) => getComputedStyle(part, part.dataset.drawn === "" ? "::before" : null).backgroundImage"""


@asynccontextmanager
async def _held(page: Page, address: str) -> AsyncIterator[None]:
    """Requests to *address* are answered when the context ends."""
    may_come = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await may_come.wait()
        await route.continue_()

    await page.route(address, answer_late)
    try:
        yield
    finally:
        may_come.set()


async def _expect_bars(part: Locator) -> None:
    async def is_bar() -> bool:
        return "gradient" in await part.evaluate(_BACKGROUND)

    await until(is_bar)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
async def test_figures_that_are_slow_to_change_become_bars_of_their_size(
    api: ControlApi,
    person: Person,
    edge: Edge,
    chromium: Browser,
    motion: Literal["no-preference", "reduce"],
) -> None:
    await edge.world.ingest([edge.event()])
    base_url = str(api.http.base_url).rstrip("/")
    found: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.emulate_media(reduced_motion=motion)
        # While the next page is requested, the browser answers no questions about this one.
        await seen.page.expose_function("noteBars", partial(asyncio.Future.set_result, found))
        await seen.page.add_init_script(_NOTE_BARS)
        await seen.page.goto(f"{base_url}/live/reports")
        async with _held(seen.page, "**/live/reports?*"):
            await seen.page.get_by_role("link", name="Last 28 days").click(no_wait_after=True)
            async with asyncio.timeout(PATIENCE_S):
                shown = await found

        assert shown == {
            "isBusy": "true",
            "isSoon": False,
            "shifts": 0,
            "isSameSize": True,
            "headingIsReadable": True,
            "moving": motion == "no-preference",
        }
        await seen.page.wait_for_url("**range=28d*")
        await expect(seen.page.locator("#main[aria-busy]")).to_have_count(0)
        seen.check()


async def test_the_fields_of_another_format_and_the_map_are_bars_until_they_come(
    api: ControlApi, person: Person, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        page = seen.page
        await sign_in(seen, base_url, person)
        await page.goto(f"{base_url}/test/campaigns/new")
        await page.evaluate(
            "for (const part of document.querySelectorAll('details')) part.open = true"
        )
        await page.locator("[name='ad.format'][value=banner]").check()
        fields = page.locator("#first-ad .field")
        await expect(fields.first).to_be_visible()
        async with _held(page, "**/test/campaigns/new"):
            await page.locator("[name='ad.format'][value=html]").check()
            await expect(page.locator("#first-ad")).to_have_attribute("aria-busy", "true")
            await _expect_bars(fields.first)
        await expect(page.locator("#first-ad[aria-busy]")).to_have_count(0)

        drawn = page.locator(".map [data-drawn]").first
        async with _held(page, "**/world.svg"):
            await page.get_by_role("button", name="Choose on a map").first.click()
            await expect(drawn).to_have_attribute("aria-busy", "true")
            await _expect_bars(drawn)
            before = await drawn.bounding_box()
        await expect(drawn.locator("svg")).to_be_visible()
        after = await drawn.bounding_box()
        assert before
        assert after
        assert abs(before["height"] - after["height"]) < 1
        seen.check()


async def test_the_palette_and_a_window_have_bars_before_their_first_content(
    api: ControlApi, person: Person, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    key = await api.add_key(person, property_id=await api.add_property(person))
    async with opened(chromium) as seen:
        page = seen.page
        await sign_in(seen, base_url, person)
        options = page.locator(".palette [role=listbox]")
        async with _held(page, "**/found?*"):
            await expect(page.locator(".search-button kbd")).to_be_visible()
            await page.keyboard.press("Control+k")
            await expect(options).to_have_attribute("aria-busy", "true")
            await _expect_bars(options)
            await seen.check_axe()
        await expect(options.get_by_role("option").first).to_be_visible()
        await expect(options).not_to_have_attribute("aria-busy", "true")

        answer = await ask(api, key.headers)
        async with _held(page, "**/embed/s/**"):
            await page.goto(f"{base_url}/embed?cs={answer.json()['client_secret']}")
            await _expect_bars(page.locator(".bones span").last)
            await expect(page.locator("main")).to_have_attribute("aria-busy", "true")
        await expect(page.locator(".bones")).to_have_count(0)
        await expect(page.locator("main h1")).to_be_visible()
        seen.check()
