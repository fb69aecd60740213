"""Conversions that name their click: whatever comes first, they go to it once, and are billed once."""

import asyncio
import uuid
from dataclasses import replace
from typing import Any

import pytest

from common.tracking.event import ConversionRecord, EventRecord
from common.values.enums import ConversionChannel, EventKind, PricingModel, Reason
from control.events.attribution.batch import MAX_BY_PIXEL
from control.events.attribution.jobs import attribute_conversions
from tests.control.events.attribution.scene import HOUR_MS, MINUTE_MS, PRICE_MICROS, Scene
from tests.control.events.ingest.world import Edge

DAY_MS = 24 * HOUR_MS


async def a_cpa_campaign(scene: Scene, **terms: Any) -> str:
    return await scene.world.add_campaign(pricing_model=PricingModel.CPA, **terms)


async def test_a_conversion_is_attributed_to_its_click_and_billed(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    reported = scene.reported(click, order_id="A-1")
    await scene.store(click, reported)
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.id, row.token_id, row.campaign_id) == (
        reported.conversion_id,
        click.token_id,
        uuid.UUID(campaign),
    )
    assert (row.attribution, row.event_name, row.valid, row.reason) == (
        "click_through",
        "purchase",
        True,
        "ok",
    )
    assert (row.value_cents, row.currency, row.order_id) == (4990, "EUR", "A-1")
    assert (row.charged_micros, row.price_micros) == (PRICE_MICROS, PRICE_MICROS)
    assert await scene.world.spent_micros(campaign) == PRICE_MICROS
    assert await scene.states() == {"attributed": 1}


async def test_a_conversion_is_counted_by_hour_attribution_and_ad(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    in_session = replace(click, kind=EventKind.CONVERSION)
    await scene.store(click, in_session, scene.reported(click))
    await scene.attribute()
    hours = await scene.world.rows(
        "select kind, attribution, count, charged_micros, value_cents from event_hourly order by 1, 2"
    )
    assert [tuple(row) for row in hours] == [
        ("click", "", 1, 0, 0),
        ("conversion", "click_through", 1, PRICE_MICROS, 4990),
        ("conversion", "in_session", 1, 0, 0),
    ]
    ads = await scene.world.rows("select clicks, conversions from ad_counts")
    slots = await scene.world.rows("select clicks, conversions from ad_slot_counts")
    spend = await scene.world.rows("select clicks, conversions from campaign_spend")
    assert [tuple(row) for row in (*ads, *slots, *spend)] == [(1, 2)] * 3


async def test_a_conversion_before_its_click_waits_for_it(scene: Scene) -> None:
    click = scene.click(await a_cpa_campaign(scene))
    await scene.store(scene.reported(click))
    await scene.attribute()
    assert (await scene.conversions(), await scene.states()) == ([], {"held": 1})
    await scene.store(click)
    scene.later(ms=1_000)
    await scene.attribute()
    assert len(await scene.conversions()) == 1


async def test_an_unattributed_conversion_is_retried_with_backoff(scene: Scene) -> None:
    await scene.store(scene.reported(scene.click()))
    steps = []
    for _ in range(13):
        await scene.attribute()
        rows = await scene.world.rows("select try_at, heard_at from conversions")
        steps.append(round((rows[0].try_at - rows[0].heard_at).total_seconds()))
        scene.later(ms=int((rows[0].try_at - scene.clock.now()).total_seconds() * 1000))
    assert steps == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600]
    await scene.attribute()
    assert (await scene.conversions(), await scene.states()) == ([], {"unattributed": 1})


async def test_a_late_click_takes_the_conversion_for_an_hour(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    await scene.store(scene.reported(click))
    scene.later(ms=HOUR_MS)
    await scene.store(click)
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.reason, row.charged_micros) == ("ok_late", PRICE_MICROS)


async def test_a_click_that_comes_later_still_takes_nothing(scene: Scene) -> None:
    click = scene.click(await a_cpa_campaign(scene))
    await scene.store(scene.reported(click))
    scene.later(ms=HOUR_MS)
    await scene.attribute()
    await scene.store(click)
    scene.later(ms=HOUR_MS)
    await scene.attribute()
    assert (await scene.conversions(), await scene.states()) == ([], {"unattributed": 1})


@pytest.mark.parametrize(
    ("changes", "conversions"),
    [
        ({"reason": Reason.BOT_USER_AGENT}, 0),
        ({"preview": True}, 0),
        ({"kind": EventKind.IMPRESSION}, 0),
        ({"kind": EventKind.CLICK}, 1),
    ],
)
async def test_only_a_valid_click_takes_a_conversion(
    scene: Scene, changes: dict[str, object], conversions: int
) -> None:
    click = scene.click(await a_cpa_campaign(scene), **changes)
    await scene.store(click, scene.reported(click))
    await scene.attribute()
    assert len(await scene.conversions()) == conversions


async def test_a_click_of_another_property_or_environment_takes_nothing(scene: Scene) -> None:
    click = scene.click(await a_cpa_campaign(scene))
    other = str(uuid.uuid4())
    await scene.world.add_property(other)
    await scene.store(
        click,
        scene.reported(click, property_id=uuid.UUID(other)),
        scene.reported(click, is_test=True),
        scene.shown(click, is_test=True),
    )
    scene.later(ms=HOUR_MS)
    await scene.attribute()
    assert (await scene.conversions(), await scene.states()) == ([], {"unattributed": 3})


async def test_the_campaigns_window_and_names_decide(scene: Scene) -> None:
    campaign = await a_cpa_campaign(
        scene, click_window_hours=2, conversion_events=["purchase", "lead"]
    )
    click = scene.click(campaign)
    last_ms = click.at_ms + 2 * HOUR_MS - 1
    scene.later(ms=2 * HOUR_MS)
    await scene.store(
        click,
        scene.reported(click, occurred_ms=last_ms),
        scene.reported(click, occurred_ms=last_ms + 1),
        scene.reported(click, event_name="lead", occurred_ms=click.at_ms),
        scene.reported(click, event_name="refund", occurred_ms=click.at_ms),
    )
    await scene.attribute()
    names = sorted(row.event_name for row in await scene.conversions())
    assert (names, await scene.states()) == (
        ["lead", "purchase"],
        {"attributed": 2, "unattributed": 2},
    )


async def test_clocks_may_disagree_by_half_a_minute(scene: Scene) -> None:
    click = scene.click(await a_cpa_campaign(scene))
    await scene.store(
        click,
        scene.reported(click, occurred_ms=click.at_ms - 30_000),
        scene.reported(click, occurred_ms=click.at_ms - 30_001),
    )
    await scene.attribute()
    assert await scene.states() == {"attributed": 1, "unattributed": 1}


async def test_the_day_that_pays_is_the_serves(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene, daily_cents=300)
    click = scene.click(campaign)
    other = scene.click(campaign)
    await scene.store(click, other)
    scene.later(ms=5 * DAY_MS)
    await scene.store(scene.reported(click), scene.reported(other))
    await scene.attribute()
    rows = await scene.conversions()
    assert sorted((row.charged_micros, row.reason) for row in rows) == [
        (1_000_000, "ok_over_budget"),
        (2_000_000, "ok"),
    ]
    days = await scene.world.rows("select day, spent_micros from campaign_spend_days")
    assert [(row.day.isoformat(), row.spent_micros) for row in days] == [("2026-09-21", 3_000_000)]


async def test_a_budget_that_is_used_up_completes_the_campaign(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene, budget_cents=250)
    click = scene.click(campaign)
    await scene.store(click, *(scene.reported(click) for _ in range(3)))
    await scene.attribute()
    assert await scene.world.spent_micros(campaign) == 2_500_000
    rows = await scene.world.rows("select status from campaigns")
    assert [row.status for row in rows] == ["completed"]


async def test_a_test_conversion_is_shown_and_costs_nothing(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene, environment="test")
    click = scene.click(campaign, is_test=True, reason=Reason.OK_TEST)
    await scene.store(click, scene.reported(click, reason=Reason.OK_TEST))
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.is_test, row.reason, row.charged_micros) == (True, "ok_test", 0)
    assert await scene.world.spent_micros(campaign) is None


async def test_an_unknown_campaign_has_the_default_terms(scene: Scene) -> None:
    """A demo ad has none."""
    click = scene.click()
    await scene.store(click, scene.reported(click))
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.attribution, row.charged_micros) == ("click_through", 0)


async def test_a_conversion_reported_and_delivered_again_is_one_event(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    reported = scene.reported(click, order_id="A-1")
    records = [scene.edge.wrap(one) for one in (click, reported, replace(reported, value_cents=1))]
    await scene.redeliver(records)
    await scene.attribute()
    await scene.redeliver(records, partition=1)
    await scene.redeliver([Edge(scene.world).wrap(reported)], partition=2)
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.value_cents, await scene.world.spent_micros(campaign)) == (4990, PRICE_MICROS)


async def test_an_order_counts_once_over_all_reports(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    one, other = scene.click(campaign), scene.click(campaign)
    await scene.store(
        *(one, other),
        scene.shown(one, order_id="A-1", at_ms=scene.clock.now_ms() - 5),
        scene.reported(one, order_id="A-1"),
        scene.reported(other, order_id="A-1"),
        scene.reported(other, order_id="A-2"),
    )
    await scene.attribute()
    orders = sorted((row.order_id, row.id) for row in await scene.conversions())
    assert [order for order, _ in orders] == ["A-1", "A-2"]
    assert await scene.states() == {"attributed": 2, "repeated": 2}
    assert await scene.world.spent_micros(campaign) == 2 * PRICE_MICROS


async def test_an_unattributed_conversion_does_not_use_the_order_id(scene: Scene) -> None:
    click = scene.click(await a_cpa_campaign(scene))
    await scene.store(scene.reported(scene.click(), order_id="A-1"))
    scene.later(ms=HOUR_MS)
    await scene.attribute()
    await scene.store(click, scene.reported(click, order_id="A-1"))
    await scene.attribute()
    assert await scene.states() == {"unattributed": 1, "attributed": 1}


async def test_a_pixel_has_the_property_of_its_click(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    await scene.store(click, scene.shown(click))
    before = await scene.world.rows("select account_id, property_id from conversions")
    await scene.attribute()
    after = await scene.world.rows("select account_id, property_id from conversions")
    assert tuple(before[0]) == (None, None)
    assert tuple(after[0]) == (scene.world.account_id, uuid.UUID(scene.world.property_id))
    assert await scene.world.spent_micros(campaign) == PRICE_MICROS


async def test_a_robots_pixel_is_shown_and_costs_nothing(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    robots = [scene.shown(click, reason=Reason.BOT_USER_AGENT, order_id="A-1") for _ in range(5)]
    await scene.store(click, *robots, scene.shown(click, order_id="A-1"))
    await scene.attribute()
    rows = await scene.conversions()
    assert sorted((row.valid, row.charged_micros) for row in rows) == [
        *[(False, 0)] * 3,
        (True, PRICE_MICROS),
    ]
    assert await scene.states() == {"attributed": 4, "surplus": 2}


async def test_invented_orders_of_one_click_soon_cost_nothing(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene, pixel_conversions_per_click=10)
    click = scene.click(campaign)
    for start in (0, 8):
        pixels = [scene.shown(click, order_id=f"made-up-{start + n}") for n in range(8)]
        await scene.store(click, *pixels)
        await scene.attribute()
    rows = await scene.conversions()
    assert await scene.world.spent_micros(campaign) == MAX_BY_PIXEL * PRICE_MICROS
    assert [row.reason for row in rows if not row.valid] == ["rate_exceeded"] * 3


async def test_a_click_brings_one_conversion_by_pixel_of_each_event_name(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    names = ("lead", "purchase", "Purchase", "purchase")
    pixels = [
        scene.shown(click, event_name=name, order_id=f"A-{n}") for n, name in enumerate(names)
    ]
    await scene.store(click, *pixels)
    await scene.attribute()
    rows = await scene.conversions()
    assert sorted(row.reason for row in rows) == ["ok", "ok", "rate_exceeded", "rate_exceeded"]
    assert await scene.world.spent_micros(campaign) == 2 * PRICE_MICROS


async def test_a_pixel_of_an_unsigned_click_is_reported_and_costs_nothing(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign)
    await scene.store(click, scene.shown(click, door=ConversionChannel.PIXEL_UNSIGNED))
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.valid, row.charged_micros, row.attribution) == (True, 0, "click_through")


async def test_a_pixel_of_an_unknown_click_waits_seconds(scene: Scene) -> None:
    await scene.store(scene.shown(scene.click()))
    await scene.attribute()
    assert await scene.states() == {"held": 1}
    scene.later(ms=40_000)
    await scene.pass_watermark()
    await scene.attribute()
    assert await scene.states() == {"unattributed": 1}


async def test_an_unsigned_pixel_does_not_wait_for_a_disconnected_edge(scene: Scene) -> None:
    door = ConversionChannel.PIXEL_UNSIGNED
    await scene.store(scene.shown(scene.click()), scene.shown(scene.click(), door=door))
    for _ in range(2):
        await scene.attribute()
        scene.later(ms=60_000)
    await scene.attribute()
    assert await scene.states() == {"held": 1, "unattributed": 1}


async def test_jobs_racing_with_ingest_count_each_once(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene, budget_cents=100_000)
    clicks = [scene.click(campaign) for _ in range(30)]
    reported = [scene.reported(click, order_id=f"A-{n // 2}") for n, click in enumerate(clicks)]
    edges = [Edge(scene.world) for _ in range(3)]
    await scene.store(*clicks[:15])

    async def feed(place: int, edge: Edge) -> None:
        for start in range(0, 30, 10):
            some: list[EventRecord | ConversionRecord] = [
                *reported[start : start + 10],
                *clicks[start:],
            ]
            await scene.world.ingest([edge.wrap(one) for one in some], partition=place + 1)

    async def work() -> None:
        for _ in range(4):
            await attribute_conversions(scene.control)

    await asyncio.gather(*(feed(place, edge) for place, edge in enumerate(edges)), work(), work())
    scene.later(ms=MINUTE_MS)
    await scene.attribute()
    rows = await scene.conversions()
    assert sorted(row.order_id for row in rows) == sorted(f"A-{n}" for n in range(15))
    assert await scene.states() == {"attributed": 15, "repeated": 15}
    assert await scene.world.spent_micros(campaign) == 15 * PRICE_MICROS


async def test_poison_is_a_dead_letter_and_the_rest_is_held(scene: Scene) -> None:
    click = scene.click()
    bad = [
        scene.reported(click, property_id=uuid.uuid4()),
        scene.reported(click, person="00" * 8),
        scene.reported(None),
        scene.reported(None, person="x" * 16),
        scene.reported(click, event_name="a\0b"),
        scene.reported(click, occurred_ms=1),
        scene.reported(click, at_ms=scene.clock.now_ms() - 41 * DAY_MS),
        scene.reported(click, value_cents=2**62),
    ]
    await scene.store(*bad, scene.reported(click))
    letters = await scene.world.rows("select reason from dead_letters")
    assert (len(letters), await scene.states()) == (len(bad), {"held": 1})
