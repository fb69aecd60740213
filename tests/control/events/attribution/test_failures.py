"""A conversion that cannot be attributed does not hold up the others."""

from datetime import timedelta

import pytest

from common.values.enums import PricingModel
from control.events.attribution.jobs import attribute_conversions
from control.events.attribution.pending_conversions import postpone
from tests.control.events.attribution.scene import PRICE_MICROS, Scene

_LATER = "update conversions set door = 'of_a_later_release' where id = :id returning id"
_REPAIR = "update conversions set door = 'secret_key' where id = :id returning id"


async def test_conversions_beside_one_that_fails_are_attributed(scene: Scene) -> None:
    campaign = await scene.world.add_campaign(pricing_model=PricingModel.CPA)
    clicks = [scene.click(campaign) for _ in range(3)]
    await scene.store(*clicks)
    reports = [scene.reported(click) for click in clicks]
    await scene.store(*reports)
    failing = reports[0].conversion_id
    await scene.world.rows(_LATER, id=failing)

    with pytest.raises(ValueError, match="of_a_later_release"):
        await attribute_conversions(scene.control)

    assert await scene.states() == {"attributed": 2, "held": 1}
    assert await scene.world.spent_micros(campaign) == 2 * PRICE_MICROS
    await attribute_conversions(scene.control)  # it waits

    await scene.world.rows(_REPAIR, id=failing)
    scene.later(ms=5 * 60_000)
    await attribute_conversions(scene.control)
    assert await scene.states() == {"attributed": 3}
    assert await scene.world.spent_micros(campaign) == 3 * PRICE_MICROS


async def test_a_conversion_that_another_process_decided_is_not_postponed(scene: Scene) -> None:
    campaign = await scene.world.add_campaign(pricing_model=PricingModel.CPA)
    click = scene.click(campaign)
    await scene.store(click)
    report = scene.reported(click)
    await scene.store(report)
    failed_at = scene.clock.now()
    await attribute_conversions(scene.control)

    async with scene.control.database.service() as session:
        later = failed_at + timedelta(minutes=5)
        await postpone(session, str(report.conversion_id), failed_at, later)

    assert await scene.world.rows("select id from conversions where try_at is not null") == []
