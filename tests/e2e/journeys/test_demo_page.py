"""The demo page of a stack: every format is shown under a strict policy, html from the edge's own document."""

import re

from playwright.async_api import Browser, Page, expect

from deploy.standalone.background import Background
from tests.e2e.journeys.seat import READER
from tests.support.browser import opened

_FORMATS = 6
_MAX_BYTES = 600_000
"""Of everything that the page loads before anybody plays anything: the control plane's and the edge's."""

_MEASURED = re.compile(r"^(?!0 )[\d.]+ ms$")


async def test_every_format_of_the_demo_page_is_shown_and_played_without_a_fault(
    streams_stack: Background, chromium: Browser
) -> None:
    demo = streams_stack.demo
    async with opened(chromium, user_agent=READER) as seen:
        received: list[float] = []
        session = await seen.page.context.new_cdp_session(seen.page)
        session.on("Network.loadingFinished", lambda one: received.append(one["encodedDataLength"]))
        await session.send("Network.enable")
        await seen.page.goto(demo["demo_page_url"])

        await expect(seen.page.locator("service-ad[data-state=filled]")).to_have_count(_FORMATS)
        assert 0 < sum(received) <= _MAX_BYTES
        framed = [one.url for one in seen.page.frames[1:]]
        assert len(framed) == 1
        assert framed[0].startswith(f"{demo['edge_live_url']}/v1/frame/")
        await _report_a_conversion(seen.page)
        await _play(seen.page, "audio")
        await _play(seen.page, "video")
        seen.check()


async def test_the_front_page_measures_the_edge(
    streams_stack: Background, chromium: Browser
) -> None:
    """By the times of requests, which only the edge's own headers let a page of another origin read."""
    async with opened(chromium, user_agent=READER) as seen:
        await seen.page.goto(streams_stack.demo["control_url"])
        await seen.page.get_by_role("button", name="Measure now").click()

        await expect(seen.page.locator("output")).to_have_text(_MEASURED)
        seen.check()


async def _report_a_conversion(page: Page) -> None:
    """After a click on the banner, at the page where an advertiser's would be."""
    async with page.expect_popup() as opened_by_click:
        await page.locator("service-ad[slot-id=banner] a").click()
    landing = await opened_by_click.value
    await landing.get_by_role("button", name="Report a conversion").click()
    await expect(landing.locator("#reported")).to_contain_text("Reported.")
    await landing.close()


async def _play(page: Page, kind: str) -> None:
    """Plays the ad of the slot *kind* to its end."""
    player = page.locator(f"service-ad[slot-id={kind}]").locator(kind)
    await player.scroll_into_view_if_needed()
    await player.evaluate("player => { player.muted = true; player.play(); }")
    await page.wait_for_function(
        "kind => document.querySelector(`service-ad[slot-id=${kind}]`).shadowRoot.querySelector(kind).ended",
        arg=kind,
    )
