"""A screen inside a customer's own application: the example host, `embed.js`, and pages that may not frame it."""

from playwright.async_api import Browser, expect

from deploy.standalone.background import Background
from tests.e2e.journeys.hosting import hosting
from tests.e2e.journeys.seat import READER
from tests.e2e.journeys.standing import standing
from tests.support.browser import Watched, opened
from tests.support.web_site import running_site


async def test_a_host_receives_saved_and_later_that_its_key_is_revoked(
    streams_stack: Background, chromium: Browser
) -> None:
    async with (
        standing(streams_stack) as customer,
        hosting(customer) as origin,
        opened(chromium, user_agent=READER) as seen,
    ):
        page = seen.page
        reported = page.locator("#told")
        await page.goto(origin)
        await page.get_by_role("button", name="Promote this product").click()
        await expect(reported).to_have_text("The window is open.")
        window = page.frame_locator("dialog iframe")
        await window.locator("[name=name]").fill("From the shop")
        await window.locator("[name=bid_cents]").fill("3.10")
        await window.get_by_role("button", name="Save as draft", exact=True).click()
        await expect(reported).to_contain_text("is saved.")
        seen.check()

        saved_id = (await reported.inner_text()).split()[1]
        campaign = await customer.call(
            "GET", f"/v1/campaigns/{saved_id}", token=customer.text("ak_test")
        )
        assert campaign | {"name": "From the shop", "bid_cents": 310, "is_test": True} == campaign

        await customer.call("POST", f"/v1/integration-keys/{customer.keys['ak_test']['id']}/revoke")
        await window.locator("[name=name]").fill("After the end")
        await window.locator("[name=bid_cents]").fill("3.20")
        await window.get_by_role("button", name="Save as draft", exact=True).click()
        await expect(reported).to_contain_text("key_revoked:")
        await expect(window.get_by_role("heading", level=1)).to_have_text("This window has expired")
        _check_refusals(seen)


async def test_a_page_of_a_third_origin_cannot_show_the_window(
    streams_stack: Background, chromium: Browser
) -> None:
    async with (
        standing(streams_stack) as customer,
        running_site() as site,
        opened(chromium, user_agent=READER) as seen,
    ):
        requested = {"component": "campaign_create", "origin": "https://shop.example"}
        session = await customer.call(
            "POST", "/v1/embed/sessions", requested, token=customer.text("ak_test")
        )
        site.page(
            "localhost/",
            '<!doctype html><title>Third</title><link rel="icon" href="data:,">'
            f'<iframe src="{session["url"]}"></iframe>',
            "Content-Type: text/html",
        )
        async with seen.page.expect_event("console") as refused:
            await seen.page.goto(f"http://localhost:{site.port}/")

        assert "frame-ancestors https://shop.example" in (await refused.value).text
        assert "embed" not in seen.page.frames[1].url


def _check_refusals(seen: Watched) -> None:
    """Chromium notes each answer of an error by itself, and nothing else may stand there."""
    assert [one for one in seen.faults if "status of 403" not in one] == []
