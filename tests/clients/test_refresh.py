"""A slot with a refresh time, in a real browser whose clock the test controls."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Page, Request, Route

from common.values.enums import Format
from tests.clients.publisher import BANNER, Publisher, reported, until
from tests.support import waiting

_EVER_MS = 300_000
"""Longer than any slot here says."""
_SHOWN = "told.some(([, name]) => name === 'impression')"
_WATCH = """
window.shifts = [];
new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.value)))
  .observe({ type: "layout-shift", buffered: true });
"""
_SEEN = ["load", "impression", "viewable"]


def _place(publisher: Publisher, key: str = "top", seconds: int | None = 30, **ad: Any) -> None:
    slot, _ = publisher.place(key, **ad)
    publisher.objects.remove(slot)
    publisher.objects.append(replace(slot, refresh_seconds=seconds))
    publisher.adopt()


async def _open(publisher: Publisher, body: str, shown: str = _SHOWN) -> Page:
    """With a clock that stands still from the first script on."""
    await publisher.context.clock.install(time=0)
    await publisher.context.clock.pause_at(1)
    page = await publisher.open(body)
    await until(page, shown)
    await page.wait_for_load_state("networkidle")
    return page


async def _pass_until(page: Page, condition: str) -> None:
    async def holds() -> bool:
        return bool(await page.evaluate(condition))

    await _pass(page, holds)


async def _pass(page: Page, holds: Callable[[], Awaitable[bool]]) -> None:
    """A second at a time, none during a request for an ad: the library's timeouts follow the page's clock."""
    unanswered: set[Request] = set()

    def begin(request: Request) -> None:
        if "/v1/serve" in request.url:
            unanswered.add(request)

    def end(request: Request) -> None:
        unanswered.discard(request)

    page.on("request", begin)
    page.on("requestfinished", end)
    page.on("requestfailed", end)

    async def holds_a_second_later() -> bool:
        if not unanswered:
            await page.clock.run_for(1000)
        return await holds()

    await waiting.until(holds_a_second_later)


async def _kinds(page: Page, publisher: Publisher, impressions: int) -> list[str]:
    """Of the events, once each impression has been seen. Time passes, so that a call that failed is sent again."""

    async def are_there() -> bool:
        await page.clock.run_for(100)
        return [kind for kind, _ in await publisher.events()].count("viewable") >= impressions

    await waiting.until(are_there)
    return [kind for kind, _ in await publisher.events()]


def _so_often(name: str, count: int) -> str:
    return f"told.filter(([, one]) => one === '{name}').length === {count}"


async def test_an_ad_seen_for_the_slots_refresh_time_is_replaced(
    publisher: Publisher,
) -> None:
    _place(publisher, seconds=45)
    page = await _open(publisher, publisher.element("top"))

    await page.clock.run_for(40_000)
    assert publisher.edge.counted() == {"fill": 1}
    await _pass_until(page, _so_often("viewable", 2))

    assert await reported(page, "top") == _SEEN * 2
    assert publisher.edge.counted() == {"fill": 2}
    assert await _kinds(page, publisher, 2) == ["impression", "viewable"] * 2
    assert await page.get_by_role("img", name="Shoes").count() == 1


async def test_a_slot_refreshes_although_the_first_request_of_its_features_failed(
    publisher: Publisher,
) -> None:
    _place(publisher)
    asked: list[str] = []

    async def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            await route.fulfill(status=503, body="")
        else:
            await route.continue_()

    await publisher.context.route("**/v1/features?*", answer)
    page = await _open(publisher, publisher.element("top"))

    await _pass_until(page, _so_often("impression", 2))

    assert (len(asked), publisher.edge.counted()) == (2, {"fill": 2})


async def test_no_ad_is_replaced_within_thirty_seconds_whatever_its_slot_sets(
    publisher: Publisher,
) -> None:
    _place(publisher, seconds=1)
    page = await _open(publisher, publisher.element("top"))

    await page.clock.run_for(25_000)
    assert publisher.edge.counted() == {"fill": 1}
    await _pass_until(page, _so_often("impression", 2))


async def test_a_slot_without_a_refresh_time_keeps_its_ad_and_requests_nothing_more(
    publisher: Publisher,
) -> None:
    _place(publisher, seconds=None)
    requested = _requests(publisher)
    page = await _open(publisher, publisher.element("top"))

    await page.clock.run_for(_EVER_MS)

    assert publisher.edge.counted() == {"fill": 1}
    assert not [url for url in requested if "refresh.js" in url]


async def test_time_outside_the_viewport_does_not_count(publisher: Publisher) -> None:
    _place(publisher)
    publisher.site.page(
        "127.0.0.1/far.css", "service-ad { margin-block: 3000px }", "Content-Type: text/css"
    )
    body = '<link rel="stylesheet" href="/far.css">' + publisher.element("top")
    page = await _open(publisher, body)

    await page.clock.run_for(_EVER_MS)
    assert publisher.edge.counted() == {"fill": 1}
    await page.locator("service-ad").scroll_into_view_if_needed()
    await _pass_until(page, _so_often("impression", 2))


async def test_time_in_a_hidden_page_does_not_count(publisher: Publisher) -> None:
    _place(publisher)
    page = await _open(publisher, publisher.element("top"))
    hidden = "Object.defineProperty(document, 'hidden', { value: %s, configurable: true })"

    await page.evaluate(hidden % "true")
    await page.clock.run_for(_EVER_MS)
    assert publisher.edge.counted() == {"fill": 1}
    await page.evaluate(hidden % "false")
    await _pass_until(page, _so_often("impression", 2))


async def test_no_ad_is_replaced_under_the_visitors_pointer(publisher: Publisher) -> None:
    _place(publisher)
    page = await _open(publisher, publisher.element("top"))

    await page.get_by_role("img", name="Shoes").hover()
    await page.clock.run_for(_EVER_MS)
    assert publisher.edge.counted() == {"fill": 1}
    await page.mouse.move(900, 700)
    await _pass_until(page, _so_often("impression", 2))


async def test_an_ad_stays_if_no_other_is_served(publisher: Publisher) -> None:
    _place(publisher)
    page = await _open(publisher, publisher.element("top"))
    publisher.objects = [one for one in publisher.objects if "Ad" not in type(one).__name__]
    publisher.adopt()

    async def asked_twice() -> bool:
        return sum(publisher.edge.counted().values()) == 3

    await _pass(page, asked_twice)

    assert publisher.edge.counted()["fill"] == 1
    assert await reported(page, "top") == _SEEN
    assert await page.get_attribute("service-ad", "data-state") == "filled"
    assert await page.get_by_role("img", name="Shoes").is_visible()


async def test_an_empty_slot_is_requested_again(publisher: Publisher) -> None:
    _place(publisher)
    ads = [one for one in publisher.objects if "Ad" in type(one).__name__]
    publisher.objects = [one for one in publisher.objects if one not in ads]
    publisher.adopt()
    page = await _open(publisher, publisher.element("top"), "told.length > 0")
    assert await reported(page, "top") == ["empty"]

    publisher.objects += ads
    publisher.adopt()
    await _pass_until(page, _SHOWN)

    assert await page.get_attribute("service-ad", "data-state") == "filled"


@pytest.mark.parametrize("format_", [Format.BANNER, Format.HTML])
async def test_a_replacement_moves_nothing_and_requests_an_ad_that_fits(
    publisher: Publisher, format_: Format
) -> None:
    content = {"html": "<p>Shoes</p>", "width": 300, "height": 250}
    _place(publisher, ad_format=format_, content=BANNER if format_ is Format.BANNER else content)
    await publisher.context.add_init_script(_WATCH)
    requested = _requests(publisher)
    page = await _open(publisher, publisher.element("top") + "<p>Words to read.</p>")

    await _pass_until(page, _so_often("impression", 3))

    assert await page.evaluate("shifts") == []
    queries = [parse_qs(urlsplit(url).query) for url in requested if "/v1/serve" in url]
    assert [query.get("h") for query in queries] == [None, ["250"], ["250"]]


async def test_a_removed_element_sends_no_more_requests(publisher: Publisher) -> None:
    _place(publisher)
    page = await _open(publisher, publisher.element("top"))

    await page.evaluate("document.querySelector('service-ad').remove()")
    await page.clock.run_for(_EVER_MS)

    assert publisher.edge.counted() == {"fill": 1}


async def test_a_reinserted_element_requests_once_again(publisher: Publisher) -> None:
    _place(publisher)
    page = await _open(publisher, publisher.element("top"))

    await page.evaluate(
        """() => { const ad = document.querySelector('service-ad');
        for (let turn = 0; turn < 5; turn++) { ad.remove(); document.body.append(ad); } }"""
    )
    await _pass_until(page, _so_often("impression", 2))

    assert (await _kinds(page, publisher, 2)).count("impression") == 2
    assert publisher.edge.counted() == {"fill": 2}


def _requests(publisher: Publisher) -> list[str]:
    """Addresses, as they are asked for from now on."""
    urls: list[str] = []
    publisher.context.on("request", lambda request: urls.append(request.url))
    return urls
