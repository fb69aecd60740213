"""The events pages: the newest, older ones, one with its reason in words."""

from uuid import UUID

import pytest
from selectolax.lexbor import LexborHTMLParser

from common.values.clock import FixedClock, SystemClock
from common.values.enums import EventKind, Reason
from common.values.ids import new_id
from control.dashboard.events.reasons import REASONS
from tests.control.events.ingest.world import Edge, World
from tests.control.reporting.decision_log.world import World as DecisionWorld
from tests.support.control_api import ControlApi
from tests.support.forms import attribute, the
from tests.support.site_world import edge, person, visitor, world
from tests.support.visitor import Visitor, text_of, visiting

__all__ = ["edge", "person", "visitor", "world"]


def ids_of(page: LexborHTMLParser) -> list[str]:
    links = [one.attributes["href"] or "" for one in page.css("tbody th a")]
    return [link.rsplit("/", 1)[1] for link in links]


async def test_an_account_without_events_shows_when_the_first_will_arrive(visitor: Visitor) -> None:
    page = await visitor.look("/live/events?span=all")

    assert "No events yet" in text_of(page)


async def test_the_newest_events_appear_live_until_paused(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(), edge.event(reason=Reason.PREFETCH)])

    page = await visitor.look("/live/events")

    assert len(ids_of(page)) == 2
    assert page.css_matches("#events[data-every='2']")
    assert "Prefetched" in text_of(page)
    paused = await visitor.look("/live/events?live=off")
    assert not paused.css_matches("#events[data-every]")


async def test_filters_are_in_the_url(visitor: Visitor, world: World, edge: Edge) -> None:
    await world.ingest(
        [
            edge.event(),
            edge.event(reason=Reason.PREFETCH),
            edge.event(kind=EventKind.CLICK),
            edge.event(is_test=True, reason=Reason.OK_TEST),
        ]
    )

    assert len(ids_of(await visitor.look("/live/events?kind=click"))) == 1
    assert len(ids_of(await visitor.look("/live/events?kind=click,impression"))) == 3
    assert len(ids_of(await visitor.look("/live/events?kind=click&kind=conversion&kind="))) == 1
    assert len(ids_of(await visitor.look("/live/events?valid=false"))) == 1
    assert len(ids_of(await visitor.look(f"/live/events?property_id={world.property_id}"))) == 3
    assert len(ids_of(await visitor.look("/test/events"))) == 1
    await visitor.look(f"/live/events?property_id={new_id()}", status=404)


async def test_a_test_event_shows_its_live_verdict(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest(
        [edge.event(is_test=True, reason=Reason.OK_TEST, live_reason=Reason.PREFETCH)]
    )
    (shown,) = ids_of(await visitor.look("/test/events"))

    page = await visitor.look(f"/test/events/{shown}")

    assert "In live this event would be: Prefetched" in text_of(page)


async def test_older_pages_show_every_event_once(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    for _ in range(3):
        await world.ingest([edge.event() for _ in range(40)])
    seen: list[str] = []
    address: str | None = "/live/events"
    while address:
        page = await visitor.look(address)
        seen += ids_of(page)
        older = page.css_first(".pages a[rel=next]")
        address = older.attributes["href"] if older else None

    stored = [str(row.id) for row in await world.events()]
    assert seen == stored[::-1]


@pytest.mark.parametrize("reason", [Reason.OK, Reason.DATACENTER_IP, Reason.ORIGIN_MISMATCH])
async def test_an_event_shows_why_it_counts_or_not_and_what_to_do(
    visitor: Visitor, world: World, edge: Edge, reason: Reason
) -> None:
    campaign = await world.add_campaign()
    await world.ingest([edge.event(campaign, reason=reason, price_micros=2500)])
    event = (await world.events())[0]

    page = text_of(await visitor.look(f"/live/events/{event.id}"))

    assert REASONS[reason].text in page
    assert REASONS[reason].remedy in page
    assert "$0.0025" in page if reason.valid else "$0.00" in page


async def test_a_click_leads_to_the_guide_about_its_click_id(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(), edge.event(kind=EventKind.CLICK)])
    guide = 'main a[href="/docs/guides/conversions"]'

    for event in await world.events():
        page = await visitor.look(f"/live/events/{event.id}")
        assert page.css_matches(guide) is (event.kind == EventKind.CLICK)


def test_every_reason_has_words() -> None:
    assert set(REASONS) == set(Reason)


async def test_an_event_of_another_account_or_environment_is_not_found(
    api: ControlApi, visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event()])
    event = (await world.events())[0]

    await visitor.look(f"/test/events/{event.id}", status=404)
    await visitor.look("/live/events/nothing", status=404)
    async with visiting(api, await api.sign_up()) as other:
        await other.look(f"/live/events/{event.id}", status=404)
        await other.look(f"/live/events?before={event.id}", status=404)


async def test_a_decision_without_a_record_shows_that(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event()])
    event = (await world.events())[0]

    page = await visitor.look(f"/live/events/{event.id}?explain=yes")

    assert "This decision was not recorded" in text_of(page)


async def test_an_explained_decision_names_the_ads_that_took_part(api: ControlApi) -> None:
    decisions = await DecisionWorld.open(api)
    await decisions.run_campaign()
    record, _ = await decisions.decide()
    await decisions.keep(record)
    events = World(api.control.database, FixedClock(SystemClock().now_ms()))
    events.account_id = decisions.customer.person.account_id
    events.property_id = decisions.property_id
    await events.ingest(
        [Edge(events).event(token_id=UUID(record.id), is_test=True, reason=Reason.OK_TEST)]
    )
    [event] = await events.events()
    async with visiting(api, decisions.customer.person) as visitor:
        page = await visitor.look(f"/test/events/{event.id}?explain=yes")

    assert the(page, "#decision tbody th").text() == "Spring"


@pytest.mark.parametrize(
    ("zone", "named"), [("UTC", "UTC"), ("America/Sao_Paulo", "Brasilia Time")]
)
async def test_a_time_of_an_event_names_its_zone(
    visitor: Visitor, world: World, edge: Edge, zone: str, named: str
) -> None:
    await world.ingest([edge.event()])
    visitor.http.cookies.set("placard_timezone", zone)

    page = await visitor.look("/live/events")

    assert attribute(page, "tbody time", "title") == named


async def test_filtered_events_are_exported_to_a_file(
    visitor: Visitor, world: World, edge: Edge
) -> None:
    await world.ingest([edge.event(), edge.event(kind=EventKind.CLICK)])

    page = await visitor.act("/live/events?kind=click", act="export", file_format="ndjson")

    assert "Events, NDJSON" in text_of(page)
    assert "The export is queued" in text_of(page)
