"""From an empty account to an ad that a reader of somebody's page sees, by the screens alone."""

from playwright.async_api import Browser, expect

from deploy.standalone.background import Background
from tests.e2e.journeys.seat import Seat, reading, seated, sees_an_ad
from tests.support.browser import PUBLISHER


async def test_five_steps_lead_from_sign_up_to_a_first_live_impression(
    streams_stack: Background, chromium: Browser
) -> None:
    async with seated(streams_stack, chromium) as seat:
        email = await seat.sign_up()
        await seat.reads("Verify your email address")
        assert seat.stack.admin("verify-address", "--email", email) == 0
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


async def _take_the_first_four_steps(seat: Seat) -> str:
    """What the page says to put into a site."""
    await seat.fill(name="Harbour News", domain=PUBLISHER)
    await seat.press("Add property")
    await seat.press("By a tag on the front page")
    await seat.reads("Publish this")
    site = seat.page.locator("ol.path li").first.locator("a")
    property_id = str(await site.get_attribute("href")).rsplit("/", 1)[1]
    assert seat.stack.admin("verify-property", "--property", property_id) == 0
    await seat.page.reload()
    await seat.reads(f"{PUBLISHER} is verified.")
    await seat.fill(name="Article top")
    await seat.press("Create slot")
    await seat.press("Create a live key")
    return await seat.page.locator("#step-key .snippet code").first.inner_text()
