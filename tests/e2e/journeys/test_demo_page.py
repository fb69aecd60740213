"""The demo page of a stack: every format is shown under a strict policy, html from the edge's own document."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Browser, Page, expect

from deploy.standalone.background import Background
from tests.e2e.journeys.seat import READER
from tests.support.browser import DESK, PHONE, check_width, opened

_PLACES = 8
_MAX_BYTES = 600_000
"""Of everything that the page loads before anybody plays anything: the control plane's and the edge's."""

_EXPLANATION = re.compile(r"^/live/events/[0-9a-f-]{36}\?explain=yes#decision$")
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

        await expect(seen.page.locator("service-ad[data-state=filled]")).to_have_count(_PLACES)
        assert 0 < sum(received) <= _MAX_BYTES
        framed = [one.url for one in seen.page.frames[1:]]
        assert len(framed) == 1
        assert framed[0].startswith(f"{demo['edge_live_url']}/v1/frame/")
        await _report_a_conversion(seen.page)
        await _play(seen.page, "audio")
        await _play(seen.page, "video")
        seen.check()


async def test_the_consent_of_the_reader_decides_which_ad_is_shown(
    streams_stack: Background, chromium: Browser
) -> None:
    """The line of text has two campaigns: only with consent may the one with a frequency cap be shown."""
    async with opened(chromium, user_agent=READER) as seen:
        page = seen.page
        lgpd: list[str | None] = []
        page.on("request", lambda sent: lgpd.append(_lgpd_of(sent.url)))
        line = page.locator("service-ad[slot-id=text][data-state=filled]")
        carried = page.locator("#carried")
        await page.goto(streams_stack.demo["demo_page_url"])
        await expect(line).to_contain_text("Fresh bread")
        await expect(carried).to_have_text("no consent signal")
        assert set(lgpd) == {None}

        await page.get_by_role("button", name="Accept counting").click()
        await expect(line).to_contain_text("Warm rolls")
        await expect(carried).to_have_text("lgpd=1")
        await page.get_by_role("button", name="Reject counting").click()
        await expect(line).to_contain_text("Fresh bread")
        assert {"0", "1"} < set(lgpd)
        await page.reload()
        await expect(carried).to_have_text("lgpd=0")
        assert await page.evaluate("localStorage.getItem('service-ad-seen')") is None
        seen.check()


async def test_the_panel_shows_each_decision_and_each_event(
    streams_stack: Background, chromium: Browser
) -> None:
    async with opened(chromium, user_agent=READER) as seen:
        page = seen.page
        await page.goto(streams_stack.demo["demo_page_url"])
        banner = page.locator("#log-own > li", has_text="Banner")

        await expect(banner).to_contain_text("Sunrise Coffee, opening")
        await expect(banner).to_contain_text("Counted")
        await expect(banner).to_contain_text("$0.0025")
        link = banner.get_by_role("link", name="Explain")
        await expect(link).to_have_attribute("href", _EXPLANATION)
        assert not re.search(r"\d{4}-\d\d-\d\dT", await page.locator("#log").inner_text())
        await link.focus()
        await page.keyboard.press("Escape")
        await expect(banner).to_be_hidden()
        await page.keyboard.press("Enter")
        await expect(banner).to_be_visible()
        seen.check()


@pytest.mark.parametrize("width", [PHONE, 820, DESK])
@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_the_newspaper_fits_every_screen_and_is_accessible(
    streams_stack: Background, chromium: Browser, width: int, theme: str
) -> None:
    address = f"{streams_stack.demo['demo_page_url']}?environment=test"
    async with opened(
        chromium, width=width, dark=theme == "dark", user_agent=READER, locale="es"
    ) as seen:
        await seen.page.goto(address)
        await expect(seen.page.locator("service-ad[data-state=filled]")).to_have_count(_PLACES)
        await seen.page.locator("#log > summary").scroll_into_view_if_needed()
        await check_width(seen)
        await seen.check_axe()
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


def _lgpd_of(url: str) -> str | None:
    """The consent that a request for an ad carries."""
    parts = urlsplit(url)
    carried = parse_qs(parts.query).get("lgpd") if parts.path == "/v1/serve" else None
    return carried[0] if carried else None


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
