"""Orders that pixels repeat: they use no place of the click's limit, in one batch as in several."""

from typing import Any

import pytest

from common.tracking.event import ConversionRecord, EventRecord
from common.values.enums import PricingModel
from tests.control.events.attribution.scene import PRICE_MICROS, Scene


async def _attribute(scene: Scene, click: EventRecord, *reports: Any, in_one_batch: bool) -> None:
    """Each report is received a millisecond after the one before."""
    await scene.store(click)
    for report in reports:
        scene.later(ms=1)
        record: ConversionRecord = report()
        await scene.store(record)
        if not in_one_batch:
            await scene.attribute()
    if in_one_batch:
        await scene.attribute()


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_an_order_that_a_server_reported_leaves_the_place_to_the_next(
    scene: Scene, *, in_one_batch: bool
) -> None:
    campaign = await scene.world.add_campaign(pricing_model=PricingModel.CPA)
    click = scene.click(campaign)
    await _attribute(
        scene,
        click,
        lambda: scene.reported(click, order_id="A-1"),
        lambda: scene.shown(click, order_id="A-1"),
        lambda: scene.shown(click, order_id="A-2"),
        in_one_batch=in_one_batch,
    )

    rows = await scene.conversions()
    assert sorted((row.order_id, row.reason) for row in rows) == [("A-1", "ok"), ("A-2", "ok")]
    assert await scene.states() == {"attributed": 2, "repeated": 1}
    assert await scene.world.spent_micros(campaign) == 2 * PRICE_MICROS


@pytest.mark.parametrize("in_one_batch", [True, False])
async def test_an_order_that_another_click_converted_leaves_the_place_to_the_next(
    scene: Scene, *, in_one_batch: bool
) -> None:
    campaign = await scene.world.add_campaign(pricing_model=PricingModel.CPA)
    first, click = scene.click(campaign), scene.click(campaign)
    await scene.store(first, scene.shown(first, order_id="A-1"))
    await scene.attribute()
    await _attribute(
        scene,
        click,
        lambda: scene.shown(click, order_id="A-1"),
        lambda: scene.shown(click, order_id="A-2"),
        lambda: scene.shown(click, order_id="A-3"),
        in_one_batch=in_one_batch,
    )

    rows = await scene.conversions()
    assert sorted((row.order_id, row.reason) for row in rows) == [
        ("A-1", "ok"),
        ("A-2", "ok"),
        ("A-3", "rate_exceeded"),
    ]
    assert await scene.states() == {"attributed": 3, "repeated": 1}
