"""What must hold of every page of the dashboard, whichever room it is in, in a real browser."""

import pytest
from playwright.async_api import Browser

from control.dashboard.page_registry import SCREENS
from tests.control.events.ingest.world import Edge, World
from tests.support.browser import DESK, PHONE, check_width, opened, sign_in
from tests.support.control_api import ControlApi
from tests.support.money import bill_last_month
from tests.support.resources import CONTENT_OF, Customer
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import FROM_OUR_PAGE, Visitor

__all__ = ["edge", "person", "visitor", "world"]
_PLAIN = [
    screen
    for screen in SCREENS
    if "<" not in screen.path and screen.name != "sign_out" and not screen.is_part
]
"""Those that need no object."""
_OF_AN_OBJECT = {screen.name for screen in SCREENS if "<" in screen.path and not screen.is_part}
_TESTED_ELSEWHERE = {"guide", "changelog_part"}
"""By `test_guides`."""


@pytest.mark.parametrize(("width", "environment"), [(DESK, "live"), (PHONE, "test")])
async def test_every_page_of_an_empty_account_is_whole_in_both_themes(
    api: ControlApi, chromium: Browser, width: int, environment: str
) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, width=width, reduced_motion="reduce") as seen:
        await sign_in(seen, base_url, person)
        for screen in _PLAIN:
            start = f"/{environment}" if screen.of_environment else ""
            await seen.page.emulate_media(color_scheme="light")
            await seen.page.goto(f"{base_url}{start}{screen.path}")
            assert await seen.page.locator("h1").count() == 1, seen.page.url
            await check_width(seen)
            await seen.check_axe()
            if width == DESK:  # which colors a page has does not depend on its width
                await seen.page.emulate_media(color_scheme="dark")
                await seen.check_axe(colors_only=True)
        seen.check()


async def test_every_page_of_an_object_is_whole_in_both_themes_and_on_a_phone(
    api: ControlApi, visitor: Visitor, world: World, edge: Edge, chromium: Browser
) -> None:
    paths = await _make_objects(api, visitor, world, edge)
    assert {name.partition(" ")[0] for name in paths} == _OF_AN_OBJECT - _TESTED_ELSEWHERE
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, reduced_motion="reduce") as seen:
        await sign_in(seen, base_url, visitor.person)
        for name, path in paths.items():
            await seen.page.emulate_media(color_scheme="light")
            await seen.resize(DESK)
            answer = await seen.page.goto(f"{base_url}{path}")
            assert answer is not None
            assert answer.status == 200, name
            assert await seen.page.locator("h1").count() == 1, seen.page.url
            await check_width(seen)
            await seen.check_axe()
            await seen.page.emulate_media(color_scheme="dark")
            await seen.check_axe(colors_only=True)
            await seen.resize(PHONE)
            await check_width(seen)
            await seen.check_axe()


async def _make_objects(
    api: ControlApi, visitor: Visitor, world: World, edge: Edge
) -> dict[str, str]:
    """A path for the name of each page of an object; ads, which differ by format, have one for each."""
    customer = Customer(api, visitor.person)
    site = await customer.make_site()
    slot_id = await customer.slot_of(site)
    campaign = await customer.make_running_campaign(site, budget={"total_cents": 100_000})
    ads = {
        kind: await customer.make_ad(campaign["id"], format=kind, content=content)
        for kind, content in CONTENT_OF.items()
    }
    await world.ingest([edge.event(campaign["id"]) for _ in range(3)])
    file = {"file": ("spring.html", b"<!doctype html><p>Spring</p>")}
    sent = await visitor.http.post("/live/assets/upload", files=file, headers=FROM_OUR_PAGE)
    export = await visitor.send("/live/reports", act="export", file_format="csv")
    await visitor.act("/privacy", uid="reader-4711", kind="export")
    privacy = (await visitor.look("/privacy")).css_first("tbody th a")
    assert privacy is not None
    invoice = await bill_last_month(api.control, visitor.person.account_id, 2_000)
    key = await customer.make_sdk_key(site)
    (member,) = (await customer.get("/v1/members")).json()["data"]
    return {
        "event": f"/live/events/{(await world.events())[0].id}",
        "campaign": f"/live/campaigns/{campaign['id']}",
        "campaign_edit": f"/live/campaigns/{campaign['id']}/edit",
        "property": f"/live/properties/{site}",
        "property_edit": f"/live/properties/{site}/edit",
        "property_verify": f"/live/properties/{site}/verification",
        "slot_create": f"/live/properties/{site}/slots/new",
        "slot": f"/live/properties/{site}/slots/{slot_id}",
        "slot_edit": f"/live/properties/{site}/slots/{slot_id}/edit",
        "key": f"/live/keys/sdk/{key['id']}",
        **{f"ad {kind}": f"/live/ads/{ad['id']}" for kind, ad in ads.items()},
        **{f"ad_edit {kind}": f"/live/ads/{ad['id']}/edit" for kind, ad in ads.items()},
        "asset": sent.headers["location"],
        "export": export.headers["location"],
        "member": f"/members/{member['id']}",
        "invoice": f"/billing/invoices/{invoice.id}",
        "privacy_request": str(privacy.attributes["href"]),
    }


async def test_every_page_can_be_read_without_a_script(api: ControlApi, chromium: Browser) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, java_script_enabled=False) as seen:
        await sign_in(seen, base_url, person)
        for screen in _PLAIN:
            start = "/live" if screen.of_environment else ""
            await seen.page.goto(f"{base_url}{start}{screen.path}")
            assert await seen.page.locator("h1").is_visible(), seen.page.url


async def test_a_printed_page_is_its_content_alone(api: ControlApi, chromium: Browser) -> None:
    person = await api.sign_up()
    base_url = str(api.http.base_url).rstrip("/")
    async with opened(chromium, dark=True) as seen:
        await sign_in(seen, base_url, person)
        await seen.page.goto(f"{base_url}/live/reports")
        await seen.page.emulate_media(media="print", color_scheme="dark")

        assert await seen.page.locator("h1").is_visible()
        for hidden in ("header.top", "details.nav", "form.filters"):
            assert await seen.page.locator(f"{hidden} >> visible=true").count() == 0, hidden
        ground = await seen.page.evaluate("getComputedStyle(document.body).colorScheme")
        assert ground == "light"
