"""The list of campaigns: what it shows, its filters and order, and what is done with many at once."""

from datetime import timedelta
from uuid import UUID

import pytest
from selectolax.lexbor import LexborHTMLParser

from common.values.enums import EventKind
from tests.control.events.ingest.world import Edge, World
from tests.support.control_api import ControlApi, Person
from tests.support.forms import attribute, the
from tests.support.resources import Customer
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor, text_of

__all__ = ["edge", "person", "visitor", "world"]


@pytest.fixture
def customer(api: ControlApi, person: Person) -> Customer:
    return Customer(api, person)


async def test_an_empty_list_shows_what_to_create_first(visitor: Visitor) -> None:
    live = await visitor.look("/live/campaigns")
    test = await visitor.look("/test/campaigns")

    assert "No campaign yet" in text_of(live)
    assert live.css_first("main .empty a[href='/live/campaigns/new']")
    assert "No test campaign yet" in text_of(test)


async def test_pages_of_a_test_campaign_promise_no_end_of_its_budget(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
    campaign = await customer.make_campaign(property_id, "test", budget={"total_cents": 300})

    listed = text_of(await visitor.look("/test/campaigns"))
    page = text_of(await visitor.look(f"/test/campaigns/{campaign['id']}"))

    assert "never charged" in listed
    assert "a test budget never ends" in page
    assert "Has a budget, which never ends in TEST" in page
    assert "left of" not in page
    assert "behind" not in page


async def test_the_list_describes_the_pacing_of_each_campaign(
    customer: Customer, visitor: Visitor, world: World, edge: Edge
) -> None:
    property_id = await customer.make_site()
    now = world.clock.now()
    campaign = await customer.make_running_campaign(
        property_id,
        name="Half way",
        start_at=(now - timedelta(days=10)).isoformat(),
        end_at=(now + timedelta(days=10)).isoformat(),
        budget={"total_cents": 100_000},
    )
    world.property_id, world.slot_id = property_id, await customer.slot_of(property_id)
    shown_once = {"ad_id": UUID(campaign["ad_id"]), "price_micros": 2_000_000}
    await world.ingest([edge.event(campaign["id"], **shown_once) for _ in range(100)])

    page = await visitor.look("/live/campaigns")

    shown = text_of(page)
    assert "Delivering" in shown
    assert "% of expected, behind" in shown
    assert "$200.00" in shown
    assert "100" in [cell.text().strip() for cell in page.css(".campaigns td")]
    assert page.css_first(".campaigns svg.sparkline")


async def test_the_list_of_ads_has_pictures_and_the_figures_of_seven_days(
    customer: Customer, visitor: Visitor, world: World, edge: Edge
) -> None:
    property_id = await customer.make_site()
    campaign = await customer.make_running_campaign(property_id)
    world.property_id, world.slot_id = property_id, await customer.slot_of(property_id)
    ad_id = UUID(campaign["ad_id"])
    impressions = [edge.event(campaign["id"], ad_id=ad_id, price_micros=70_000) for _ in range(4)]
    await world.ingest(
        [*impressions, edge.event(campaign["id"], ad_id=ad_id, kind=EventKind.CLICK)]
    )

    page = await visitor.look("/live/ads")
    own = await visitor.look(f"/live/ads/{ad_id}")

    assert "4 1 25% $0.28" in text_of(page)
    trend = attribute(page, "tbody svg.sparkline", "aria-label")
    assert trend == "Impressions, day by day: 0, 0, 0, 0, 0, 0, 4"
    assert attribute(page, "tbody .small-thumbnail img", "src")
    assert "Last 7 days Impressions 4 Clicks 1 Click rate 25% Spend $0.28 Trend" in text_of(own)
    assert attribute(own, "svg.sparkline", "aria-label") == trend


async def test_a_campaign_that_has_shown_nothing_is_ready_and_its_list_says_so(
    customer: Customer, visitor: Visitor
) -> None:
    campaign = await customer.make_running_campaign(await customer.make_site())

    assert "Ready to deliver" in text_of(await visitor.look("/live/campaigns"))
    page = text_of(await visitor.look(f"/live/campaigns/{campaign['id']}"))
    assert "Ready to deliver" in page
    assert "Delivering" not in page


async def test_filters_and_order_are_kept_in_the_url(customer: Customer, visitor: Visitor) -> None:
    property_id = await customer.make_site()
    for name in ("Spring b", "Spring a", "Autumn"):
        await customer.make_campaign(property_id, name=name)

    page = await visitor.look("/live/campaigns?q=spring&sort=name&status=draft")

    names = [node.text().strip() for node in page.css(".campaigns tbody th a")]
    assert names == ["Spring a", "Spring b"]
    assert attribute(page, "#q", "value") == "spring"
    assert attribute(page, "#sort option[selected]", "value") == "name"


async def test_a_long_list_continues_after_its_last_row(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
    for number in range(52):
        await customer.make_campaign(property_id, name=f"C{number:02d}")

    first = await visitor.look("/live/campaigns?sort=name")
    after = attribute(first, "a[rel=next]", "href")
    second = await visitor.look(after)

    assert len(first.css(".campaigns tbody tr")) == 50
    names = [node.text().strip() for node in second.css(".campaigns tbody th a")]
    assert names == ["C50", "C51"]


async def test_campaigns_are_paused_in_bulk_and_refusals_are_shown(
    customer: Customer, visitor: Visitor
) -> None:
    property_id = await customer.make_site()
    running = [await customer.make_running_campaign(property_id, name=f"R{n}") for n in range(2)]
    draft = await customer.make_campaign(property_id, name="Not begun")

    paused = await visitor.act("/live/campaigns?sort=name", act="pause", ids=running[0]["id"])
    mixed = await visitor.send("/live/campaigns", act="pause", ids=[running[1]["id"], draft["id"]])

    assert "The selected campaigns are paused." in text_of(paused)
    page = LexborHTMLParser(mixed.text)
    assert mixed.status_code == 200
    assert "1 campaign was changed." in text_of(page)
    assert "Not begun" in the(page, "main .notice.bad").text()
    found = (await customer.get("/v1/campaigns?environment=live&sort=name")).json()["data"]
    assert [one["status"] for one in found] == ["draft", "paused", "paused"]
