"""
Orders that a page reports unauthenticated, and a server or a signed click id authenticated: one conversion counts, and
its price is charged once, whichever comes first.
"""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from common.snapshot.model import Goal
from common.tracking.event import ConversionRecord, EventRecord
from common.values.enums import ConversionChannel, EventKind, PricingModel, Reason, Source
from control.events.attribution.jobs import attribute_conversions
from control.events.corrections.retract import Chosen, retract
from control.outbox.changes import Changes
from tests.control.events.attribution.scene import PRICE_MICROS, Scene
from tests.control.events.ingest.world import Edge

ORDER = "A-1"
Report = EventRecord | ConversionRecord
_COUNTS = (
    "select (select coalesce(sum(count), 0) from event_hourly where kind = 'conversion' "
    "and (reason like 'ok%' or reason = 'retracted')), "
    "(select coalesce(sum(charged_micros), 0) from event_hourly), "
    "(select coalesce(sum(conversions), 0) from ad_counts), "
    "(select coalesce(sum(conversions), 0) from ad_slot_counts), "
    "(select coalesce(sum(conversions), 0) from campaign_spend), "
    "(select coalesce(sum(spent_micros), 0) from campaign_spend), "
    "(select coalesce(sum(spent_micros), 0) from campaign_spend_days), "
    "(select coalesce(sum(micros), 0) from charges)"
)


async def _cpa_campaign(scene: Scene, **terms: Any) -> str:
    return await scene.world.add_campaign(pricing_model=PricingModel.CPA, **terms)


def _in_session(click: EventRecord, **changes: Any) -> EventRecord:
    return replace(click, kind=EventKind.CONVERSION, order_id=ORDER, **changes)


async def _report(scene: Scene, *reports: Report) -> None:
    for report in reports:
        await scene.store(report)
        scene.later(ms=1)
        await scene.attribute()


async def _counted(scene: Scene) -> list[Any]:
    """Conversions of the feed that were not retracted."""
    rows = await scene.conversions()
    retracted = {row.corrects for row in rows}
    return [row for row in rows if row.valid and row.id not in retracted]


async def _assert_one_counts(scene: Scene, *, micros: int = PRICE_MICROS) -> None:
    (row,) = await scene.world.rows(_COUNTS)
    assert tuple(row) == (1, micros, 1, 1, 1, micros, micros, micros)


@pytest.mark.parametrize("bill_in_session", [False, True])
@pytest.mark.parametrize("by_pixel", [False, True])
async def test_an_order_in_session_is_billed_once_an_authenticated_report_comes(
    scene: Scene, *, by_pixel: bool, bill_in_session: bool
) -> None:
    campaign = await _cpa_campaign(scene, bill_in_session=bill_in_session)
    click = scene.click(campaign)
    report = (scene.shown if by_pixel else scene.reported)(click, order_id=ORDER)
    await _report(scene, click, _in_session(click), report)

    assert [row.id for row in await _counted(scene)] == [report.conversion_id]
    assert await scene.states() == {"attributed": 1}
    await _assert_one_counts(scene)


async def test_a_replaced_event_is_retracted_with_its_cause(scene: Scene) -> None:
    click = scene.click(await _cpa_campaign(scene))
    await _report(scene, click, _in_session(click))
    (first,) = await scene.conversions()
    await _report(scene, scene.reported(click, order_id=ORDER))

    retractions = await scene.world.rows("select event_id, correction_id, cause from retractions")
    corrections = [row for row in await scene.conversions() if row.corrects is not None]
    assert [tuple(row) for row in retractions] == [
        (first.id, corrections[0].id, "authenticated report")
    ]
    assert [(row.corrects, row.reason) for row in corrections] == [(first.id, "retracted")]


async def test_an_authenticated_order_is_not_taken_by_a_page(scene: Scene) -> None:
    click = scene.click(await _cpa_campaign(scene))
    report = scene.reported(click, order_id=ORDER)
    unsigned = scene.shown(click, order_id=ORDER, door=ConversionChannel.PIXEL_UNSIGNED)
    await _report(scene, click, report, _in_session(click), unsigned)

    assert [row.id for row in await _counted(scene)] == [report.conversion_id]
    assert await scene.states() == {"attributed": 1, "repeated": 1}
    await _assert_one_counts(scene)


async def test_only_the_first_authenticated_report_replaces(scene: Scene) -> None:
    click = scene.click(await _cpa_campaign(scene))
    first, second, pixel = (
        scene.reported(click, order_id=ORDER),
        scene.reported(click, order_id=ORDER),
        scene.shown(click, order_id=ORDER),
    )
    await _report(scene, click, _in_session(click), first, second, pixel)

    assert [row.id for row in await _counted(scene)] == [first.conversion_id]
    assert await scene.states() == {"attributed": 1, "repeated": 2}
    await _assert_one_counts(scene)


async def test_two_unauthenticated_reports_are_one_conversion(scene: Scene) -> None:
    campaign = await _cpa_campaign(scene)
    click, other = scene.click(campaign), scene.click(campaign)
    unsigned = scene.shown(click, order_id=ORDER, door=ConversionChannel.PIXEL_UNSIGNED)
    await _report(scene, click, _in_session(click), _in_session(other), unsigned)

    assert [row.attribution for row in await _counted(scene)] == ["in_session"]
    assert await scene.states() == {"repeated": 1}
    await _assert_one_counts(scene, micros=0)


@pytest.mark.parametrize("in_one_batch", [True, False])
@pytest.mark.parametrize("by_pixel", [False, True])
@pytest.mark.parametrize("same_click", [False, True])
async def test_a_pixel_of_an_unsigned_click_does_not_keep_the_order(
    scene: Scene, *, same_click: bool, by_pixel: bool, in_one_batch: bool
) -> None:
    campaign = await _cpa_campaign(scene)
    click = scene.click(campaign)
    forged = click if same_click else scene.click(campaign)
    unsigned = scene.shown(forged, order_id=ORDER, door=ConversionChannel.PIXEL_UNSIGNED)
    scene.later(ms=1)
    report = (scene.shown if by_pixel else scene.reported)(click, order_id=ORDER)
    await scene.store(forged, click, unsigned)
    if not in_one_batch:
        await scene.attribute()
    await scene.store(report)
    await scene.attribute()

    assert [row.id for row in await _counted(scene)] == [report.conversion_id]
    await _assert_one_counts(scene)


async def test_a_forged_order_of_another_campaign_is_taken_back_from_it(scene: Scene) -> None:
    other = await _cpa_campaign(scene, bill_in_session=True, budget_cents=200)
    campaign = await _cpa_campaign(scene)
    forged, click = scene.click(other), scene.click(campaign)
    await _report(scene, forged, click, _in_session(forged))
    assert await _statuses(scene, other) == ["completed"]
    await _report(scene, scene.reported(click, order_id=ORDER))

    spent = [await scene.world.spent_micros(one) for one in (other, campaign)]
    assert spent == [0, PRICE_MICROS]
    assert await _statuses(scene, other) == ["active"]


@pytest.mark.parametrize(
    "limits",
    [
        {"budget_cents": 200, "bill_in_session": True},
        {"daily_cents": 200, "bill_in_session": True},
        {"goal": Goal(EventKind.CONVERSION, 1)},
    ],
)
async def test_a_replaced_event_leaves_its_place_in_the_budget_to_the_report(
    scene: Scene, limits: dict[str, Any]
) -> None:
    campaign = await _cpa_campaign(scene, **limits)
    click = scene.click(campaign)
    await _report(scene, click, _in_session(click))
    if "goal" in limits:
        await _complete(scene, campaign)
    before = await _statuses(scene, campaign)
    await _report(scene, scene.reported(click, order_id=ORDER))

    assert [(row.reason, row.charged_micros) for row in await _counted(scene)] == [
        ("ok", PRICE_MICROS)
    ]
    assert await _statuses(scene, campaign) == before
    await _assert_one_counts(scene)


async def test_a_preview_does_not_take_the_order(scene: Scene) -> None:
    campaign = await _cpa_campaign(scene)
    click = scene.click(campaign)
    preview = _in_session(scene.click(campaign), preview=True, source=Source.PREVIEW)
    await _report(scene, click, preview, _in_session(click))

    assert [row.source for row in await _counted(scene)] == ["preview", "auction"]
    await _assert_one_counts(scene, micros=0)


async def test_an_order_of_a_test_is_replaced_too(scene: Scene) -> None:
    campaign = await _cpa_campaign(scene, environment="test")
    click = scene.click(campaign, is_test=True, reason=Reason.OK_TEST)
    report = scene.reported(click, order_id=ORDER, reason=Reason.OK_TEST)
    await _report(scene, click, _in_session(click), report)
    assert [row.id for row in await _counted(scene)] == [report.conversion_id]


async def test_an_event_that_an_operator_retracted_is_not_retracted_again(scene: Scene) -> None:
    click = scene.click(await _cpa_campaign(scene))
    await _report(scene, click, _in_session(click))
    (first,) = await scene.conversions()
    async with scene.world.database.service() as session:
        chosen = [Chosen(first.stored_day, first.id, "fraud")]
        await retract(session, Changes(), chosen, scene.clock.now())
    report = scene.reported(click, order_id=ORDER)
    await _report(scene, report)

    assert [row.id for row in await _counted(scene)] == [report.conversion_id]
    await _assert_one_counts(scene)


async def test_an_order_of_a_process_without_the_columns_is_final(scene: Scene) -> None:
    """During an upgrade, older processes take orders without the columns."""
    click = scene.click(await _cpa_campaign(scene))
    await scene.world.rows(
        "insert into conversion_keys (property_id, environment, order_id, account_id) "
        "values (:property, 'live', :order, :account) returning order_id",
        property=uuid.UUID(scene.world.property_id),
        order=ORDER,
        account=scene.world.account_id,
    )
    await _report(scene, click, scene.reported(click, order_id=ORDER))
    assert await scene.states() == {"repeated": 1}


async def test_reports_that_race_are_one_conversion(scene: Scene) -> None:
    campaign = await _cpa_campaign(scene, budget_cents=100_000)
    clicks = [scene.click(campaign) for _ in range(10)]
    pages = [replace(_in_session(one), order_id=f"A-{n}") for n, one in enumerate(clicks)]
    servers = [
        scene.reported(click, order_id=f"A-{n}") for n, click in enumerate(clicks) for _ in range(2)
    ]
    await scene.store(*clicks)

    async def feed(reports: Sequence[Report], partition: int) -> None:
        edge = Edge(scene.world)
        for one in reports:
            await scene.world.ingest([edge.wrap(one)], partition=partition)

    async def work() -> None:
        for _ in range(5):
            await attribute_conversions(scene.control)

    await asyncio.gather(feed(pages, 1), feed(servers, 2), work(), work())
    await scene.attribute()

    counted = await _counted(scene)
    assert sorted(row.order_id for row in counted) == sorted(f"A-{n}" for n in range(10))
    assert {row.attribution for row in counted} == {"click_through"}
    assert await scene.states() == {"attributed": 10, "repeated": 10}
    (row,) = await scene.world.rows(_COUNTS)
    micros = 10 * PRICE_MICROS
    assert tuple(row) == (10, micros, 10, 10, 10, micros, micros, micros)


async def _statuses(scene: Scene, campaign: str) -> list[str]:
    rows = await scene.world.rows("select status from campaigns where id = :id", id=campaign)
    return [row.status for row in rows]


async def _complete(scene: Scene, campaign: str) -> None:
    """As the scheduler does where a goal is reached."""
    await scene.world.rows(
        "update campaigns set status = 'completed' where id = :id returning id", id=campaign
    )
