"""Tables of lists on a tablet: what matters of a row is seen without scrolling sideways."""

from playwright.async_api import Browser, Route

from tests.control.events.ingest.world import Edge, World
from tests.support.browser import TABLET, opened, sign_in
from tests.support.control_api import ControlApi, Person
from tests.support.resources import Customer
from tests.support.site_world import edge, person, world

__all__ = ["edge", "person", "world"]

_PATHS = ("", "/campaigns", "/ads", "/properties", "/keys", "/events", "/reports?group_by=campaign")
_CUT = """[...document.querySelectorAll('.scroll')]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText)"""


async def _without_content(route: Route) -> None:
    await route.fulfill(status=204)


async def test_on_a_tablet_no_list_is_scrolled_sideways(
    api: ControlApi, person: Person, world: World, edge: Edge, chromium: Browser
) -> None:
    customer = Customer(api, person)
    campaign = await customer.make_campaign(
        world.property_id,
        "live",
        name="Running shoes for the spring",
        budget={"total_cents": 500_000},
    )
    await customer.make_ad(campaign["id"])
    await customer.make_slot(world.property_id, name="Sidebar of the front page")
    await customer.make_sdk_key(world.property_id)
    await world.ingest([edge.event(campaign["id"], price_micros=70_000) for _ in range(5)])
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=TABLET) as seen:
        await seen.page.route("https://cdn.example.com/**", _without_content)
        await sign_in(seen, base_url, person)
        for path in (*_PATHS, f"/properties/{world.property_id}"):
            await seen.page.goto(f"{base_url}/live{path}")
            await seen.page.locator("table").first.wait_for(state="attached")
            assert await seen.page.evaluate(_CUT) == [], path
        seen.check()
