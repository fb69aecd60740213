"""The demo page of a stack: every format is shown under a strict policy, html from the edge's own document."""

from playwright.async_api import Browser, expect

from deploy.standalone.background import Background
from tests.e2e.journeys.seat import READER
from tests.support.browser import opened

_FORMATS = 6


async def test_every_format_of_the_demo_page_is_shown_without_a_fault(
    journey_stack: Background, chromium: Browser
) -> None:
    demo = journey_stack.demo
    async with opened(chromium, user_agent=READER) as seen:
        await seen.page.goto(demo["demo_page_url"])

        await expect(seen.page.locator("service-ad[data-state=filled]")).to_have_count(_FORMATS)
        framed = [one.url for one in seen.page.frames[1:]]
        assert len(framed) == 1
        assert framed[0].startswith(f"{demo['edge_live_url']}/v1/frame/")
        seen.check()
