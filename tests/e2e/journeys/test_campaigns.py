"""A campaign at the dashboard: made by its form, paused, asked why it is not seen, and resumed."""

import httpx
from playwright.async_api import Browser, expect

from deploy.standalone.background import Background
from tests.e2e.customer import Customer, eventually
from tests.e2e.journeys.seat import Seat, seated
from tests.e2e.journeys.standing import standing

_TURNS = 100


async def test_a_paused_campaign_shows_it_and_serves_again_once_resumed(
    streams_stack: Background, chromium: Browser
) -> None:
    async with standing(streams_stack) as customer, seated(streams_stack, chromium) as seat:
        await seat.sign_in(customer.email)
        await seat.go("/live/campaigns")
        await seat.page.get_by_role("link", name="New campaign").first.click()
        path = await seat.make_campaign("Boats")
        await seat.make_banner("Boat")
        await seat.press("Activate")
        await seat.reads("The campaign is active.")
        await customer.serve_until_filled("live", path.rsplit("/", 1)[1])

        await seat.press("Pause")
        why = seat.page.locator("#why")
        await expect(why).to_contain_text("Why isn't it serving?")
        await expect(why).to_contain_text("It is paused.")
        assert await eventually(lambda: _is_served(customer, is_wanted=False))

        await why.get_by_role("link", name="Resume it").click()
        await seat.press("Resume")
        await expect(why).to_contain_text("No issues.")
        assert await eventually(lambda: _is_served(customer, is_wanted=True))


async def test_a_campaign_is_made_without_a_mouse(
    streams_stack: Background, chromium: Browser
) -> None:
    async with standing(streams_stack) as customer, seated(streams_stack, chromium) as seat:
        await seat.sign_in(customer.email)
        await _tab_to(seat, "a[href$='/live/campaigns']")
        await seat.page.keyboard.press("Enter")
        await expect(seat.page.get_by_role("heading", level=1)).to_have_text("Campaigns")
        await _tab_to(seat, "a[href$='/live/campaigns/new']")
        await seat.page.keyboard.press("Enter")
        await expect(seat.page.get_by_role("heading", level=1)).to_have_text("New campaign")
        await _tab_to(seat, "[name=name]")
        await seat.page.keyboard.type("By hand")
        await _tab_to(seat, "[name=bid_cents]")
        await seat.page.keyboard.type("1.25")
        await _tab_to(seat, "aside button:not(.primary)")
        await seat.page.keyboard.press("Enter")

        await expect(seat.page.get_by_role("heading", level=1)).to_have_text("By hand")
        await seat.reads("The campaign is saved as a draft.")


async def _is_served(customer: Customer, *, is_wanted: bool) -> bool | None:
    """True once the edge does as *is_wanted*."""
    answer = await customer.serve("live")
    return True if (answer.status_code == httpx.codes.OK) is is_wanted else None


async def _tab_to(seat: Seat, selector: str) -> None:
    """By the Tab key alone, and the focus can be seen there."""
    for _ in range(_TURNS):
        await seat.page.keyboard.press("Tab")
        if await seat.page.evaluate(f"document.activeElement.matches({selector!r})"):
            break
    else:
        raise AssertionError(f"{_TURNS} turns of Tab do not come to {selector}")
    assert await seat.page.evaluate(
        "document.activeElement.matches(':focus-visible')"
        " && getComputedStyle(document.activeElement).outlineStyle !== 'none'"
    )
