"""The overview: six figures against the period before, how fresh they are, what lacks."""

from datetime import timedelta

from common.values.enums import EventKind, Reason
from tests.control.events.ingest.world import Edge, World
from tests.control.identity.members.people import a_member
from tests.support.control_api import ControlApi
from tests.support.forms import attribute, totals_of
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor, text_of, visiting

__all__ = ["edge", "person", "visitor", "world"]


async def test_an_empty_account_links_to_its_first_step(visitor: Visitor) -> None:
    page = await visitor.look("/live")

    assert [one.text() for one in page.css("main .primary")] == ["Continue setup"]
    assert "No properties yet" in text_of(page)
    assert "No events yet." in text_of(page)
    assert totals_of(page)["Spend"].startswith("$0.00")


async def test_scripts_write_numbers_as_in_the_readers_country(visitor: Visitor) -> None:
    page = await visitor.look("/live", language="es-MX")

    assert attribute(page, "html", "lang") == "es"
    assert attribute(page, "html", "data-locale") == "es-MX"


async def test_only_those_who_may_create_a_campaign_are_led_to_the_next_step(
    api: ControlApi, visitor: Visitor
) -> None:
    _, analyst = await a_member(api, visitor.person, "analyst")

    assert "Continue setup" in text_of(await visitor.look("/live"))
    async with visiting(api, analyst) as reader:
        assert "Continue setup" not in text_of(await reader.look("/live"))


async def test_figures_of_a_week_are_compared_with_the_week_before(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    week_ago = world.clock.now_ms() - int(timedelta(days=7, hours=1).total_seconds() * 1000)
    then = {"at_ms": week_ago, "issued_ms": week_ago}
    slot = (world.property_id, world.slot_id)
    caller = ("br", "mobile", "web", "banner")
    await world.ingest(
        [
            *[edge.event(campaign, price_micros=70_000) for _ in range(6)],
            *[edge.event(campaign, reason=Reason.PREFETCH) for _ in range(2)],
            *[edge.event(campaign, price_micros=70_000, **then) for _ in range(4)],
            edge.event(campaign, kind=EventKind.CLICK),
            edge.counter([(*slot, campaign, None, "fill", *caller, 6)]),
            edge.counter([(*slot, None, None, "no_candidate", *caller, 2)]),
        ]
    )

    page = await visitor.look("/live?range=7d")

    assert totals_of(page) == {
        "Spend": "$0.42 +50%",
        "Impressions": "6 +50%",
        "Clicks": "1 –",
        "Click rate": "16.67% +16.67 points",
        "Fill rate": "75%",
        "Invalid traffic": "22.22% +22.22 points",
    }
    assert "Metrics are" in text_of(page)


async def test_test_figures_are_labelled_and_separate(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(is_test=True, reason=Reason.OK_TEST)])

    page = await visitor.look("/test")

    assert totals_of(page)["Impressions"].startswith("1 ")
    assert "TEST metrics: nothing was charged." in text_of(page)
    assert totals_of(await visitor.look("/live"))["Impressions"] == "0"
