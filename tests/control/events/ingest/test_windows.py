"""Windowed verdicts stand before the charge: what they find is stored, and costs nothing."""

import uuid
from dataclasses import replace

import pytest

from common.ivt.windows import WINDOW_VERSION, Limits
from common.tracking.event import EventRecord, LogRecord
from common.values.enums import EventKind, PricingModel, Reason
from control.events.ingest.store_result import StoreResult
from tests.control.events.ingest.world import FACTS, Edge, World, an_event, to_batch


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


async def test_a_test_click_that_came_too_fast_says_so_and_counts(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    live = a_click(world, campaign)
    test = replace(
        a_click(world, campaign, live), is_test=True, reason=Reason.OK_TEST, live_reason=Reason.OK
    )
    fast = replace(test, token_id=uuid.uuid4(), issued_ms=test.at_ms - 20)
    await world.ingest([edge.wrap(test), edge.wrap(fast), edge.wrap(live)])
    rows = await world.events()
    assert sorted((row.valid, row.reason, row.live_reason) for row in rows if row.is_test) == [
        (True, "ok_test", "click_too_fast"),
        (True, "ok_test", "ok"),
    ]
    assert [row.reason for row in rows if not row.is_test] == ["ok"]


async def test_a_poll_that_is_read_again_gets_the_verdicts_it_had(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    store = world.store()
    before = await store.position(world.source, 0)
    first = a_click(world, campaign)
    records = [edge.wrap(first), edge.wrap(a_click(world, campaign, first))]
    await store.prepare([to_batch(records)])
    stored: StoreResult = await store.store(
        world.source, await store.prepare([to_batch(records)]), {0: before}
    )
    reasons = sorted(row.reason for row in await world.events())
    assert (reasons, stored.charged_micros) == (["duplicate_click", "ok"], 50_000)


async def test_earlier_events_are_remembered_between_polls(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    store = world.store()
    before = await store.position(world.source, 0)
    first = a_click(world, campaign)
    for place, click in enumerate((first, a_click(world, campaign, first))):
        batch = to_batch([edge.wrap(click)], after=before)
        stored = await store.store(world.source, await store.prepare([batch]), {0: before})
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


@pytest.mark.parametrize("polls", [1, 3])
async def test_a_restart_lets_no_double_click_through(world: World, edge: Edge, polls: int) -> None:
    """Each poll is taken by a process that knows nothing but what is stored."""
    campaign, ad = await world.add_campaign(), uuid.uuid4()
    now_ms = world.clock.now_ms()
    clicks = [_click(edge, campaign, ad, now_ms - 5_000 + after) for after in (0, 1_500, 3_000)]
    size = len(clicks) // polls
    for first in range(0, len(clicks), size):
        await world.ingest(clicks[first : first + size])

    reasons = {row.at: row.reason for row in await world.events()}
    assert [reasons[at] for at in sorted(reasons)] == ["ok", "duplicate_click", "duplicate_click"]


async def test_a_restart_forgets_no_rate(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    at_ms = world.clock.now_ms() // 60_000 * 60_000 - 60_000
    facts = replace(FACTS, client_hash="beef")
    world.limits = Limits(max_impressions_per_minute=3)
    for place in range(5):
        await world.ingest(
            [edge.event(campaign, facts=facts, at_ms=at_ms + place, issued_ms=at_ms)]
        )

    reasons = sorted(row.reason for row in await world.events())
    assert reasons == ["ok", "ok", "ok", "rate_exceeded", "rate_exceeded"]


async def test_events_stored_by_other_consumers_are_included(world: World, edge: Edge) -> None:
    campaign, ad = await world.add_campaign(), uuid.uuid4()
    now_ms = world.clock.now_ms()
    first, second = (_click(edge, campaign, ad, now_ms - 5_000 + after) for after in (0, 1_500))
    mine = world.store()
    await mine.position(world.source, 0)
    await world.ingest([edge.event(campaign), first])

    before = await mine.position(world.source, 0)
    await mine.store(
        world.source, await mine.prepare([to_batch([second], after=before)]), {0: before}
    )

    assert [row.reason for row in await world.events() if row.kind == "click"] == [
        "ok",
        "duplicate_click",
    ]


def _click(edge: Edge, campaign: str, ad: uuid.UUID, at_ms: int) -> LogRecord:
    facts = replace(FACTS, client_hash="c0ffee")
    return edge.event(
        campaign, kind=EventKind.CLICK, ad_id=ad, facts=facts, at_ms=at_ms, issued_ms=at_ms - 4_000
    )
