"""From sign-up to a first ad on a page that Placard hosts: counted as a person's hands would count it."""

from uuid import uuid4

from playwright.async_api import Browser, expect

from deploy.standalone.background import Background
from tests.e2e.customer import PASSWORD
from tests.e2e.journeys.seat import Seat, seated

_MOST_CLICKS = 8
_MOST_FIELDS = 5
_COUNTING = """
addEventListener("click", () => count("click"), true);
addEventListener("change", ({target}) => { if (target.matches("input")) count("field"); }, true);
"""


async def test_a_new_user_sees_an_ad_within_eight_clicks_and_five_fields(
    streams_stack: Background, chromium: Browser
) -> None:
    async with seated(streams_stack, chromium) as seat:
        counted = await _count(seat)

        await _show_a_sample(seat)

        shown = seat.page.locator("service-ad[data-state=filled]")
        await expect(shown.get_by_role("img", name="Sample campaign")).to_be_visible()
        await seat.reads("We saw your first impression")
        assert 0 < counted.count("click") <= _MOST_CLICKS, counted
        assert 0 < counted.count("field") <= _MOST_FIELDS, counted


async def test_the_sample_is_archived_by_one_click(
    streams_stack: Background, chromium: Browser
) -> None:
    async with seated(streams_stack, chromium) as seat:
        await _show_a_sample(seat)
        await seat.page.locator("main").get_by_role("link", name="First steps").first.click()

        await seat.press("Archive the sample")

        await seat.reads("The sample campaign is archived.")
        await expect(seat.page.get_by_role("button", name="Archive the sample")).to_have_count(0)


async def _count(seat: Seat) -> list[str]:
    """Clicks and changed fields on all pages from now on, in the list that is returned."""
    counted: list[str] = []

    def note(what: str) -> None:
        counted.append(what)

    await seat.page.expose_function("count", note)
    await seat.page.add_init_script(_COUNTING)
    return counted


async def _show_a_sample(seat: Seat) -> None:
    await seat.go("/sign-up")
    await seat.fill(name="Harbour News", email=f"{uuid4().hex}@journeys.example", password=PASSWORD)
    await seat.press("Create account")
    await seat.fill(site="harbour.example")
    await seat.press("Show a sample ad")
    await expect(seat.page.get_by_role("heading", name="Test page", level=1)).to_be_visible()
