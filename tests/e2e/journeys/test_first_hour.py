"""From an empty account to an ad that a reader of somebody's page sees, by the screens alone."""

from playwright.async_api import Browser, expect

from deploy.standalone.background import Background
from tests.e2e.journeys.seat import Seat, reading, seated, sees_an_ad
from tests.support.browser import PUBLISHER
from tests.support.stack_admin import verify


async def test_five_steps_lead_from_sign_up_to_a_first_live_impression(
    streams_stack: Background, chromium: Browser
) -> None:
    async with seated(streams_stack, chromium) as seat:
        email = await seat.sign_up()
        await seat.reads("Verify your email address")
        verify(seat.stack, email=email)
        await seat.go("/live/first-steps")
        snippet = await _take_the_first_four_steps(seat)
        await seat.page.locator("#step-campaign").get_by_role("link", name="New campaign").click()
        await seat.make_campaign("Spring at the harbour")
        await seat.make_banner("Harbour")
        await seat.press("Activate")
        await seat.reads("The campaign is active.")
        await seat.go("/live/first-steps")
        await seat.reads("Waiting for the first impression")

        async with reading(chromium, snippet) as page:
            await sees_an_ad(page)
            await expect(seat.page.locator("#seen")).to_contain_text("We saw your first impression")


async def test_go_live_leads_from_test_to_a_live_impression_by_one_button_after_the_other(
    streams_stack: Background, chromium: Browser
) -> None:
    async with seated(streams_stack, chromium) as seat:
        email = await seat.sign_up()
        verify(seat.stack, email=email)
        await _try_in_test(seat)

        await seat.follow("Go live")
        await _verify(seat)
        await seat.press("Copy to Live")
        await seat.reads("is a draft in Live")
        await seat.press("Launch")
        await seat.reads("The campaign is launched.")
        snippet = await _snippet(seat)

        assert "pk_live_" in snippet
        async with reading(chromium, snippet) as page:
            await sees_an_ad(page)
            await expect(seat.page.locator("#seen")).to_contain_text("We saw your first impression")


async def _try_in_test(seat: Seat) -> None:
    """A sample first, then a campaign of one's own."""
    await seat.fill(site=PUBLISHER)
    await seat.press("Show a sample ad")
    await seat.reads("We saw your first impression")
    await seat.page.locator("main").get_by_role("link", name="First steps").first.click()
    await seat.follow("New campaign")
    await seat.make_campaign("Spring at the harbour")
    await seat.make_banner("Harbour")
    await seat.press("Activate in test")
    await seat.reads("The campaign is active")


async def _take_the_first_four_steps(seat: Seat) -> str:
    """What the page says to put into a site."""
    await seat.fill(name="Harbour News", domain=PUBLISHER)
    await seat.press("Add property")
    await _verify(seat)
    await seat.fill(name="Article top")
    await seat.press("Create slot")
    await seat.press("Create a live key")
    return await _snippet(seat)


async def _verify(seat: Seat) -> None:
    """An operator does, because the domain is not in the DNS."""
    await seat.press("By a tag on the front page")
    await seat.reads("Publish this")
    site = seat.page.locator("ol.path li").first.locator("a")
    property_id = str(await site.get_attribute("href")).rsplit("/", 1)[1]
    verify(seat.stack, property_id=property_id)
    await seat.page.reload()
    await seat.reads(f"{PUBLISHER} is verified.")


async def _snippet(seat: Seat) -> str:
    return await seat.page.locator("#step-key .snippet code").first.inner_text()
