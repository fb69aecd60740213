"""The verdict that a conversion in test would get in live."""

from common.values.enums import PricingModel, Reason
from tests.control.events.attribution.scene import Scene


async def test_a_pixel_beyond_the_limit_of_its_click_would_be_invalid_in_live(
    scene: Scene,
) -> None:
    campaign = await scene.world.add_campaign(pricing_model=PricingModel.CPA, environment="test")
    click = scene.click(campaign, is_test=True, reason=Reason.OK_TEST, live_reason=Reason.OK)
    verdicts = (Reason.OK, Reason.OK, Reason.PREFETCH)
    pixels = [
        scene.shown(click, order_id=f"A-{n}", reason=Reason.OK_TEST, live_reason=verdict)
        for n, verdict in enumerate(verdicts)
    ]
    await scene.store(click, *pixels)
    await scene.attribute()

    assert sorted((row.reason, row.live_reason) for row in await scene.conversions()) == [
        ("ok_test", "ok"),
        ("rate_exceeded", "prefetch"),
        ("rate_exceeded", "rate_exceeded"),
    ]
