"""Figures in Chromium: chips apply at once, charts show values at the pointer and follow new events, panels close."""

import asyncio
from functools import partial

import pytest
from playwright.async_api import Browser, Route, expect

from common.values.enums import EventKind
from tests.control.events.ingest.world import Edge, World
from tests.support.browser import DESK, PHONE, TABLET, check_width, opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.resources import CONTENT_OF, Customer
from tests.support.site_world import edge, person, world
from tests.support.waiting import PATIENCE_S

__all__ = ["edge", "person", "world"]
_SHIFTS = """new Promise((resolve) => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => {
        for (const one of list.getEntries()) if (!one.hadRecentInput) sum += one.value;
    });
    observer.observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum))));
})"""
_WITHOUT_A_LOCALE = """Object.defineProperty(navigator, "language", { get: () => "C" })"""
"""As WebKit has it on a system without locales: the library's first line throws a RangeError."""
_MAX_SHIFT_OF_DOCS = 0.001
_MAX_REQUESTS = 12
_NOTE_ANNOUNCED = """new MutationObserver(() => {
    const words = document.querySelector("main h1") && document.querySelector(".loading[role=status]")?.textContent;
    if (words === "Loading…") noteAnnounced(words);
}).observe(document, { childList: true, subtree: true });"""
_SLOW = {"offline": False, "latency": 20, "downloadThroughput": 40_000, "uploadThroughput": 40_000}
"""Bytes a second: the parts of a page arrive one by one."""
_MAIN_PAGES = (
    "/live",
    "/live/campaigns",
    "/live/campaigns/new",
    "/test/campaigns",
    "/live/ads",
    "/live/properties",
    "/live/keys",
    "/live/events",
    "/live/reports",
    "/wallet",
    "/members",
    "/test/first-steps",
)
_PAGES = (
    "/live/reports?compare=on",
    "/live/reports/funnel",
    "/live/reports/hours",
    "/live/reports/views",
)


async def test_chips_apply_at_once_and_the_address_names_what_was_chosen_alone(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    await world.ingest([edge.event()])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        page = seen.page
        await page.goto(f"{base_url}/live/reports")
        await page.locator("select[name=device]").select_option("mobile")
        await page.wait_for_url("**device=mobile**")
        assert "country=" not in page.url
        assert "range=7d" in page.url

        await page.goto(f"{base_url}/live/events")
        await page.locator("select[name=kind]").select_option("click")
        await page.wait_for_url("**kind=click**")
        assert "valid=" not in page.url
        seen.check()


async def test_a_filter_of_events_takes_several_values_each_with_a_link_that_removes_it(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    kinds = (EventKind.IMPRESSION, EventKind.CLICK, EventKind.CONVERSION)
    await world.ingest([edge.event(kind=kind) for kind in kinds])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        page = seen.page
        shown, chips = page.locator("#events tbody tr"), page.locator(".chips .pill.set b")
        await page.goto(f"{base_url}/live/events")
        await page.locator("select[name=kind]").select_option("click")
        await expect(shown).to_have_count(1)
        await page.locator("select[name=kind]").select_option("impression")
        await expect(chips).to_have_text(["Click", "Impression"])
        await expect(shown).to_have_count(2)
        await seen.check_axe()

        await world.ingest([edge.event(kind=kind) for kind in kinds])
        await expect(shown).to_have_count(4)  # pushed by the stream

        await page.get_by_role("link", name="Remove filter: Kind, Click").click()
        await expect(chips).to_have_text(["Impression"])
        await expect(shown).to_have_count(2)
        seen.check()


async def test_metrics_apply_when_their_panel_closes(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    await world.ingest([edge.event()])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        await sign_in(seen, base_url, person)
        page = seen.page
        await page.goto(f"{base_url}/live/reports")
        panel = page.locator("details[data-later]")
        await panel.locator("summary").click()
        await check_width(seen)
        await panel.locator("input[value=completes]").check()
        assert "metrics=" not in page.url

        await page.keyboard.press("Escape")

        await page.wait_for_url("**metrics=completes**")
        await expect(page.locator("dl.figures").get_by_text("Completes")).to_be_visible()
        seen.check()


async def test_charts_of_a_page_show_the_values_of_one_instant(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    campaign = await world.add_campaign()
    await world.ingest([edge.event(campaign, price_micros=70_000) for _ in range(5)])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        page = seen.page
        await page.goto(f"{base_url}/live?range=7d")
        await page.locator("figure canvas").nth(1).wait_for()
        await page.locator("figure .u-over").first.hover()

        await expect(page.locator("figure .tooltip:visible")).to_have_count(2)
        days = await page.locator("figure .tooltip strong").all_inner_texts()
        assert days[0] == days[1]
        await expect(page.locator("figure .tooltip").first).to_contain_text("Previous period")
        seen.check()


@pytest.mark.parametrize("fault", ["the library is not there", "the library throws"])
async def test_the_table_opens_by_itself_where_no_chart_can_be_drawn(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser, *, fault: str
) -> None:
    await world.ingest([edge.event()])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        if fault == "the library throws":
            await seen.page.add_init_script(_WITHOUT_A_LOCALE)
        else:
            await seen.page.route("**/uPlot.iife.min.js", lambda route: route.abort())
        await seen.page.goto(f"{base_url}/live?range=7d")

        await expect(seen.page.locator("#course-table")).to_be_visible()
        await expect(seen.page.locator("figure .sparkline").first).to_be_visible()


@pytest.mark.parametrize("slow", ["reports", "reports/funnel"])
async def test_a_page_that_is_slow_to_come_is_announced_and_the_old_one_stays_readable(
    api: ControlApi, person: Person, chromium: Browser, slow: str
) -> None:
    may_come, announced = asyncio.Event(), asyncio.Event()

    async def answer_late(route: Route) -> None:
        await may_come.wait()
        await route.continue_()

    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        # While the next page is requested, the browser answers no questions about this one.
        await seen.page.expose_function("noteAnnounced", lambda _: announced.set())
        await seen.page.add_init_script(_NOTE_ANNOUNCED)
        await seen.page.goto(f"{base_url}/live/{slow}")
        await seen.page.route("**/live/reports*?*", answer_late)
        await seen.page.route("**/live/reports/funnel?*", answer_late)
        await seen.page.get_by_role("link", name="Last 28 days").click(no_wait_after=True)

        async with asyncio.timeout(PATIENCE_S):
            await announced.wait()
        may_come.set()
        await seen.page.wait_for_url("**range=28d*")
        await expect(seen.page.locator(".loading")).to_have_count(0)
        seen.check()


async def test_the_overview_follows_new_events_without_a_reload(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    campaign = await world.add_campaign()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        # In a day's first hour, today has no chart.
        await seen.page.goto(f"{base_url}/live?range=7d")
        await seen.page.locator("figure canvas").first.wait_for()
        await seen.page.evaluate("window.isSame = true")
        await world.ingest([edge.event(campaign) for _ in range(7)])

        await expect(seen.page.locator("#top tbody")).to_contain_text("7")
        assert await seen.page.evaluate("window.isSame")
        legend = seen.page.locator("figure").first.locator(".u-series .u-value")
        await expect(legend.nth(1)).to_have_text("7")
        seen.check()


@pytest.mark.parametrize("width", [PHONE, DESK])
async def test_nothing_moves_while_a_page_loads(
    api: ControlApi, edge: Edge, person: Person, chromium: Browser, width: int
) -> None:
    campaign = await edge.world.add_campaign()
    await edge.world.ingest([edge.event(campaign, price_micros=70_000) for _ in range(5)])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=width) as seen:
        await sign_in(seen, base_url, person)
        for path in ("/docs", "/docs/campaigns"):
            await seen.page.goto(f"{base_url}{path}", wait_until="networkidle")
            assert await seen.page.evaluate(_SHIFTS) < _MAX_SHIFT_OF_DOCS, path
        session = await seen.page.context.new_cdp_session(seen.page)
        await session.send("Network.enable")
        await session.send("Network.emulateNetworkConditions", _SLOW)
        for path in (*_MAIN_PAGES, *_PAGES, "/live?range=7d"):
            await seen.page.goto(f"{base_url}{path}", wait_until="networkidle")
            assert await seen.page.evaluate(_SHIFTS) == 0, path


async def test_a_main_page_loads_in_twelve_requests(
    api: ControlApi, world: World, edge: Edge, person: Person, chromium: Browser
) -> None:
    await world.ingest([edge.event()])
    customer = Customer(api, person)
    campaign = await customer.make_campaign(world.property_id)
    for number in range(3):
        picture = f"https://cdn.example.com/{number}.png"
        content = {**CONTENT_OF["banner"], "image_url": picture}
        await customer.make_ad(campaign["id"], name=f"Ad {number}", content=content)
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        loaded: set[str] = set()
        seen.page.on("request", lambda request: loaded.add(request.url))
        for path in _MAIN_PAGES:
            loaded.clear()
            await seen.page.goto(f"{base_url}{path}", wait_until="networkidle")
            assert len(loaded) <= _MAX_REQUESTS, (path, sorted(loaded))


async def test_the_parts_of_a_bar_are_seen_once_all_have_arrived(
    api: ControlApi, person: Person, chromium: Browser
) -> None:
    """A browser shows what it has of a page, and moves it when the rest of the line arrives."""
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium) as seen:
        await sign_in(seen, base_url, person)
        page = seen.page
        for bar, part, rest in (
            (".top", ".search-button", '<details class="menu">'),
            (".filters", "[name=action]", "<button>"),
        ):
            await page.route("**/audit-log", partial(_cut, before=rest))
            await page.goto(f"{base_url}/audit-log")
            await expect(page.locator(f"{bar} {part}")).to_be_hidden()
            await page.unroute("**/audit-log")
            await page.goto(f"{base_url}/audit-log")
            await expect(page.locator(f"{bar} {part}")).to_be_visible()


async def _cut(route: Route, *, before: str) -> None:
    answer = await route.fetch()
    await route.fulfill(response=answer, body=(await answer.text()).partition(before)[0])


async def test_the_menu_that_a_reader_opened_stays_open_when_parts_are_refreshed(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=PHONE) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.locator("details.nav > summary").click()
        await world.ingest([edge.event(await world.add_campaign())])

        await expect(seen.page.locator("#top tbody tr")).to_have_count(1)
        await expect(seen.page.locator("details.nav")).to_have_attribute("open", "")


async def test_the_pages_of_figures_are_accessible_and_fit_every_width(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    await world.ingest([edge.event() for _ in range(5)])
    base_url = str(api.http.base_url).rstrip("/")
    for dark, width in ((False, PHONE), (True, TABLET), (False, DESK), (True, DESK)):
        async with opened(chromium, width=width, dark=dark) as seen:
            await sign_in(seen, base_url, person)
            for path in _PAGES:
                await seen.page.goto(f"{base_url}{path}")
                await check_width(seen)
                await seen.check_axe()
            seen.check()
