"""A report taken home: asked for on the page, made, downloaded, and the same figures in it."""

import asyncio
import csv
from collections.abc import Sequence

from playwright.async_api import Browser, Page, expect

from deploy.standalone.background import Background
from tests.e2e.customer import Customer, eventually
from tests.e2e.journeys.seat import seated
from tests.e2e.journeys.standing import standing

_QUERY = "granularity=total&group_by=campaign&group_by=slot&metrics=impressions&metrics=clicks"
_COLUMNS = ("campaign_name", "slot_name", "impressions", "clicks")


async def test_an_exports_rows_are_those_of_the_page(
    streams_stack: Background, chromium: Browser
) -> None:
    async with standing(streams_stack) as customer, seated(streams_stack, chromium) as seat:
        for bid_cents, count in ((300, 3), (900, 2)):
            await _make_events(customer, bid_cents, count)
        await seat.sign_in(customer.email)
        await seat.go(f"/live/reports?{_QUERY}")
        shown = await _rows_of(seat.page)
        await seat.press("Export")
        link = seat.page.get_by_role("link", name="Download")
        await link.wait_for()
        await expect(seat.page.locator(".heading .chip")).to_have_text("Ready")
        async with seat.page.expect_download() as download:
            await link.click()
        path = await (await download.value).path()
        exported = _rows_in(await asyncio.to_thread(path.read_text, "utf-8"))

        assert len(shown) == 2
        assert sorted(exported) == sorted(shown)


async def _make_events(customer: Customer, bid_cents: int, count: int) -> None:
    """Impressions and one click of a campaign of its own."""
    campaign_id = await customer.run_campaign("live", bid_cents=bid_cents)
    for number in range(count):
        ad = await customer.serve_until_filled("live", campaign_id)
        await customer.track("live", ad["track_token"])
        if number == 0:
            await customer.track("live", ad["track_token"], "click")

    async def are_counted() -> bool | None:
        events = [e for e in await customer.events("live") if e["campaign_id"] == campaign_id]
        return True if len(events) == count + 1 else None

    assert await eventually(are_counted)


async def _rows_of(page: Page) -> Sequence[tuple[str, ...]]:
    rows = await page.locator("#figures-table tbody tr").all()
    return [tuple(await row.locator("th, td").all_inner_texts()) for row in rows]


def _rows_in(text: str) -> Sequence[tuple[str, ...]]:
    return [tuple(row[name] for name in _COLUMNS) for row in csv.DictReader(text.splitlines())]
