"""A key replaced at the dashboard: every edge worker refuses the old one, the new one serves."""

import asyncio

import httpx
from playwright.async_api import Browser, expect

from deploy.standalone.background import Background
from tests.e2e.customer import Customer, eventually
from tests.e2e.journeys.seat import reading, seated
from tests.e2e.journeys.standing import element_of, standing


async def test_a_key_is_replaced_and_the_edges_follow(
    streams_stack: Background, chromium: Browser
) -> None:
    async with standing(streams_stack) as customer, seated(streams_stack, chromium) as seat:
        old = customer.keys["pk_live"]
        campaign_id = await customer.run_campaign("live")
        await customer.serve_until_filled("live", campaign_id)
        await seat.sign_in(customer.email)
        await seat.go("/live/keys")
        await seat.page.get_by_role("row", name="Publishable").get_by_role("link").click()
        await seat.reads(old["key"])
        await seat.page.locator("summary", has_text="Rotate now…").click()
        await seat.reads("Requests with the old key are refused")
        await seat.press("Rotate now")
        await seat.reads("The previous key is revoked")
        text = await seat.page.locator("code.secret").inner_text()
        await seat.follow("Continue")
        await expect(seat.page.get_by_role("heading", level=1)).to_have_text("publishable")
        await seat.reads(text)

        assert text != old["key"]
        assert await eventually(lambda: _all(customer, old["key"], "key_revoked"))
        assert await eventually(lambda: _all(customer, text, "served"))
        page = element_of(customer).replace(old["key"], text)
        async with reading(chromium, page) as reader:
            await expect(reader.locator("service-ad[data-state=filled]")).to_be_visible()


async def _all(customer: Customer, key: str, outcome: str) -> bool | None:
    """True once eight calls at a time, of whichever workers, end so."""
    answers = await asyncio.gather(*(customer.serve("live", key=key) for _ in range(8)))
    ends = {"served" if one.status_code == httpx.codes.OK else _code(one) for one in answers}
    return True if ends == {outcome} else None


def _code(answer: httpx.Response) -> str:
    return str(answer.json()["error"]["code"]) if answer.content else "no fill"
