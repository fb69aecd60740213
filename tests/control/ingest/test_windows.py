"""Windowed verdicts stand before the charge: what they find is stored, and costs nothing."""

from dataclasses import replace

from common.ivt.windows import WINDOW_VERSION
from common.tracking.event import EventRecord
from common.vocabulary import EventKind, PricingModel
from control.ingest.store import Stored
from tests.control.ingest.world import Edge, World, an_event, to_batch


def a_click(world: World, campaign: str, like: EventRecord | None = None) -> EventRecord:
    """Of the client and on the ad of *like*, under a token of its own."""
    click = an_event(
        world, campaign, kind=EventKind.CLICK, pricing_model=PricingModel.CPC, price_micros=50_000
    )
    return click if like is None else replace(click, facts=like.facts, ad_id=like.ad_id)


async def test_a_double_click_is_stored_invalid_and_billed_once(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    first = a_click(world, campaign)
    await world.ingest([edge.wrap(first), edge.wrap(a_click(world, campaign, first))])
    rows = sorted(await world.events(), key=lambda row: row.charged_micros)
    assert [(row.valid, row.reason, row.judge_version) for row in rows] == [
        (False, "duplicate_click", WINDOW_VERSION),
        (True, "ok", 1),
    ]
    assert await world.spent_micros(campaign) == 50_000


async def test_a_click_that_came_too_fast_costs_nothing(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    click = a_click(world, campaign)
    await world.ingest([edge.wrap(replace(click, issued_ms=click.at_ms - 20))])
    (row,) = await world.events()
    assert (row.valid, row.reason, row.charged_micros) == (False, "click_too_fast", 0)


async def test_a_poll_that_is_read_again_gets_the_verdicts_it_had(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    store = world.store()
    before = await store.position(world.source, 0)
    first = a_click(world, campaign)
    records = [edge.wrap(first), edge.wrap(a_click(world, campaign, first))]
    store.prepare([to_batch(records)])
    stored: Stored = await store.store(
        world.source, store.prepare([to_batch(records)]), {0: before}
    )
    reasons = sorted(row.reason for row in await world.events())
    assert (reasons, stored.charged_micros) == (["duplicate_click", "ok"], 50_000)


async def test_what_came_before_is_remembered_from_poll_to_poll(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    store = world.store()
    before = await store.position(world.source, 0)
    first = a_click(world, campaign)
    for place, click in enumerate((first, a_click(world, campaign, first))):
        batch = to_batch([edge.wrap(click)], after=before)
        stored = await store.store(world.source, store.prepare([batch]), {0: before})
        before = stored.positions[0]
        assert before == place
    reasons = sorted(row.reason for row in await world.events())
    assert reasons == ["duplicate_click", "ok"]


async def test_a_redelivered_record_that_is_judged_otherwise_changes_nothing(
    world: World, edge: Edge
) -> None:
    """Another process takes the partition with an empty window and sees the doubled click first."""
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    first = a_click(world, campaign)
    doubled = edge.wrap(a_click(world, campaign, first))
    await world.ingest([edge.wrap(first), doubled])
    again = await world.ingest([doubled], source=world.another_log())
    assert (again.events, again.duplicates) == (0, 1)
    assert await world.spent_micros(campaign) == 50_000
