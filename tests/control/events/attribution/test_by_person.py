"""Conversions that name a person: the last click, else the last view, once all of them are stored."""

from datetime import timedelta

from common.values.enums import EventKind, PricingModel, Reason
from control.events.attribution.jobs import CONVERSIONS_KEPT, sweep_conversions
from control.events.attribution.touches import (
    CLICKS_KEPT_DAYS,
    VIEWS_KEPT_DAYS,
    ensure_touch_partitions,
)
from tests.control.events.attribution.scene import HOUR_MS, MINUTE_MS, PRICE_MICROS, Scene

ANNA, BEN = "a1" * 8, "b2" * 8


async def a_cpa_campaign(scene: Scene) -> str:
    return await scene.world.add_campaign(pricing_model=PricingModel.CPA)


async def kept(scene: Scene) -> tuple[int, int]:
    """Clicks and views."""
    (row,) = await scene.world.rows(
        "select (select count(*) from click_touches), (select count(*) from view_touches)"
    )
    return row[0], row[1]


async def test_a_conversion_of_a_person_is_attributed_once_all_clicks_are_stored(
    scene: Scene,
) -> None:
    campaign = await a_cpa_campaign(scene)
    click = scene.click(campaign, person=ANNA)
    reported = scene.reported(person=ANNA)
    await scene.store(click, reported)
    await scene.attribute()
    assert await scene.conversions() == []
    await scene.pass_watermark()
    scene.later(ms=1_000)
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.id, row.token_id, row.attribution) == (
        reported.conversion_id,
        click.token_id,
        "click_through",
    )
    assert await scene.world.spent_micros(campaign) == PRICE_MICROS


async def test_the_last_click_wins_in_any_order_of_arrival(scene: Scene) -> None:
    first, last = await a_cpa_campaign(scene), await a_cpa_campaign(scene)
    now_ms = scene.clock.now_ms()
    earlier = scene.click(first, person=ANNA, at_ms=now_ms - 60_000)
    later = scene.click(last, person=ANNA, at_ms=now_ms - 30_000)
    after = scene.click(first, person=ANNA, at_ms=now_ms + 1)
    view = scene.click(first, person=ANNA, kind=EventKind.IMPRESSION, at_ms=now_ms - 1)
    await scene.store(view, scene.reported(person=ANNA), earlier, after)
    await scene.attribute()
    await scene.store(later)
    await scene.pass_watermark()
    scene.later(ms=1_000)
    await scene.attribute()
    assert [row.token_id for row in await scene.conversions()] == [later.token_id]


async def test_without_a_click_a_view_takes_the_conversion_as_view_through(scene: Scene) -> None:
    campaign = await a_cpa_campaign(scene)
    view = scene.click(campaign, person=ANNA, kind=EventKind.IMPRESSION)
    await scene.store(view, scene.reported(person=ANNA))
    await scene.pass_watermark()
    await scene.attribute()
    (row,) = await scene.conversions()
    assert (row.attribution, row.charged_micros) == ("view_through", PRICE_MICROS)
    hours = await scene.world.rows(
        "select attribution, count from event_hourly where kind = 'conversion'"
    )
    assert [tuple(row) for row in hours] == [("view_through", 1)]
    ads = await scene.world.rows("select conversions from ad_counts")
    slots = await scene.world.rows("select conversions from ad_slot_counts")
    assert ([row[0] for row in ads], [row[0] for row in slots]) == ([1], [0])


async def test_another_person_property_or_environment_does_not_match(scene: Scene) -> None:
    await scene.store(
        scene.click(person=BEN),
        scene.click(person=ANNA, is_test=True, reason=Reason.OK_TEST),
        scene.click(),
        scene.click(kind=EventKind.IMPRESSION),
        scene.reported(person=ANNA),
    )
    scene.later(ms=HOUR_MS)
    await scene.attribute()
    assert (await scene.conversions(), await scene.states()) == ([], {"unattributed": 1})


async def test_without_a_watermark_the_hours_end_decides(scene: Scene) -> None:
    await scene.store(scene.click(person=ANNA), scene.reported(person=ANNA))
    scene.later(ms=HOUR_MS - MINUTE_MS)
    await scene.attribute()
    assert await scene.states() == {"held": 1}
    scene.later(ms=MINUTE_MS)
    await scene.attribute()
    assert await scene.states() == {"attributed": 1}


async def test_the_person_is_deleted_when_the_wait_is_over(scene: Scene) -> None:
    await scene.store(
        scene.click(person=ANNA), scene.reported(person=ANNA), scene.reported(person=BEN)
    )
    people = "select count(person) from conversions"
    assert (await scene.world.rows(people))[0][0] == 2
    scene.later(ms=HOUR_MS)
    await scene.attribute()
    assert (await scene.world.rows(people))[0][0] == 0


async def test_views_are_kept_of_people_only_and_clicks_of_everybody(scene: Scene) -> None:
    views = [
        scene.click(kind=EventKind.IMPRESSION, person=person, reason=reason)
        for person in (ANNA, None)
        for reason in (Reason.OK, Reason.DATACENTER_IP)
    ]
    await scene.store(*views, scene.click(), scene.click(person=ANNA))
    assert await kept(scene) == (2, 1)


async def test_touches_are_dropped_when_no_campaign_may_ask_for_them(scene: Scene) -> None:
    await scene.store(scene.click(), scene.click(kind=EventKind.IMPRESSION, person=ANNA))
    today = scene.clock.now().date()
    counts = []
    for after_days in (0, VIEWS_KEPT_DAYS, VIEWS_KEPT_DAYS + 1, CLICKS_KEPT_DAYS + 1):
        async with scene.world.database.service() as session:
            await ensure_touch_partitions(session, today + timedelta(days=after_days))
        counts.append(await kept(scene))
    assert counts == [(1, 1), (1, 1), (1, 0), (0, 0)]
    children = await scene.world.rows(
        "select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid "
        "where i.inhparent = cast('click_touches' as regclass)"
    )
    assert f"click_touches_{today:%Y%m%d}" not in {row[0] for row in children}


async def test_old_conversions_are_deleted(scene: Scene) -> None:
    click = scene.click()
    await scene.store(click, scene.reported(click))
    await scene.attribute()
    scene.later(ms=int(CONVERSIONS_KEPT.total_seconds() * 1000) + 1)
    await sweep_conversions(scene.control)
    assert await scene.states() == {}
