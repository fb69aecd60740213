"""Rates are learned from counted events, published where they changed, and never counted twice."""

from dataclasses import replace

from sqlalchemy import text

from common.decision.between_ad_variance import spreads_of
from common.decision.posterior_rates import learned_rates
from common.decision.rules.hierarchical_rates import AdCounts, Counts, faded, levels_of
from common.snapshot.model import AdRates
from common.values.enums import Format
from common.values.environment import Environment
from common.values.ids import new_id
from control.storage.tables.campaigns import AdRow
from tests.control.delivery.rate_learning.conftest import HALF_LIFE_S
from tests.control.delivery.rate_learning.world import Market
from tests.control.delivery.snapshot_publishing.rows import a_slot_row, an_ad_row

LIVE = Environment.LIVE
HALF_LIFE_MS = int(HALF_LIFE_S * 1000)
_EVIDENCE_OF = text("select count(*) from ad_slot_evidence where ad_id = cast(:ad as uuid)")


def learned_alone(market: Market, ad: AdRow, counts: Counts) -> AdRates:
    """What follows for the only ad of an environment that met *counts*, told in all of its places alike."""
    evidence = [AdCounts(ad.id, Format(ad.format), {market.slot_id: counts})]
    levels = levels_of(evidence)
    (rates,) = learned_rates(replace(levels, spreads=spreads_of(levels, [evidence])), evidence)
    return rates


async def test_the_rates_of_an_ad_are_learned_and_reach_the_edges(market: Market) -> None:
    ad = await market.add_ad()
    await market.show(ad, 9_500, 95, 5)
    await market.update_rates()
    reported = (await market.published())[ad.id]
    assert reported == learned_alone(market, ad, Counts(9_500, 95, 5))


async def test_learning_again_publishes_nothing(market: Market) -> None:
    ad = await market.add_ad()
    await market.show(ad, 9_500, 95, 5)
    assert await market.update_rates() == 1
    reported = await market.published()
    assert await market.update_rates() == 0
    assert await market.published() == reported


async def test_a_small_change_of_a_rate_is_not_published(market: Market) -> None:
    ad = await market.add_ad()
    await market.show(ad, 100_000, 500, 20)
    await market.update_rates()
    await market.show(ad, 1_000, 5)
    assert await market.update_rates() == 0


async def test_an_ad_without_impressions_gets_the_rates_of_others(market: Market) -> None:
    seen, new = await market.add_ad(), await market.add_ad()
    await market.show(seen, 100_000, 2_000, 0)
    await market.update_rates()
    reported = (await market.published())[new.id]
    assert reported.clicks.ppm == round((10 + 0.5) / 1_000 * 1e6)


async def test_without_events_no_rates_are_published(market: Market) -> None:
    await market.add_ad()
    assert await market.update_rates() == 0
    assert await market.published() == {}


async def test_old_events_weigh_half_after_each_half_life(market: Market) -> None:
    ad = await market.add_ad()
    await market.show(ad, 40_000, 400)
    await market.update_rates()
    market.clock.advance(ms=2 * HALF_LIFE_MS)
    await market.show(ad, 9_500, 0)
    await market.update_rates()
    left = faded(Counts(40_000, 400), 2 * HALF_LIFE_S, HALF_LIFE_S)
    assert left.clicks < 100
    reported = (await market.published())[ad.id]
    assert reported == learned_alone(market, ad, left + Counts(9_500))


async def test_rates_without_new_events_decay_to_the_prior(market: Market) -> None:
    ad = await market.add_ad()
    await market.show(ad, 40_000, 4_000)
    await market.update_rates()
    market.clock.advance(ms=2000 * HALF_LIFE_MS)
    await market.update_rates()
    nothing = learned_alone(market, ad, Counts())
    assert nothing.clicks.ppm == 1_000
    assert (await market.published())[ad.id] == nothing
    await market.show(ad, 1)
    market.clock.advance(ms=2000 * HALF_LIFE_MS)
    await market.update_rates()
    assert (await market.published())[ad.id] == nothing


async def test_an_environment_learns_from_itself_alone(market: Market) -> None:
    test, live = [
        await market.add_ad(await market.add_campaign(environment=name))
        for name in ("test", "live")
    ]
    await market.show(test, 9_500, 950)
    await market.update_rates()
    assert test.id in await market.published()
    assert await market.published(LIVE) == {}
    await market.show(live, 500, 0)
    await market.update_rates()
    assert (await market.published(LIVE))[live.id] == learned_alone(market, live, Counts(500))


async def test_a_slot_that_differs_has_rates_of_its_own(market: Market) -> None:
    ad, elsewhere = await market.add_ad(), new_id()
    await market.show(ad, 20_000, 20)
    await market.show(ad, 20_000, 400, slot_id=elsewhere)
    await market.update_rates()
    reported = (await market.published())[ad.id]
    by_slot = {one.slot_id: one.clicks.ppm for one in reported.by_slot}
    assert by_slot[elsewhere] > reported.clicks.ppm > by_slot[market.slot_id]


async def test_edges_drop_the_rates_of_ads_that_no_longer_run(market: Market) -> None:
    campaign = await market.add_campaign()
    kept, ended = await market.add_ad(campaign), await market.add_ad()
    for ad in (kept, ended):
        await market.show(ad, 9_500, 95)
    await market.update_rates()
    assert set(await market.published()) >= {kept.id, ended.id}
    ended.status = "archived"
    await market.world.save(ended)
    await market.update_rates()
    reported = await market.published()
    assert kept.id in reported
    assert ended.id not in reported


async def test_an_ad_that_runs_again_has_its_former_rates(market: Market) -> None:
    ad = await market.add_ad()
    await market.show(ad, 9_500, 95)
    await market.update_rates()
    before = (await market.published())[ad.id]
    for status in ("archived", "active"):
        ad.status = status
        await market.world.save(ad)
        await market.update_rates()
    assert (await market.published())[ad.id] == before


async def test_many_rates_are_published_in_bounded_steps(market: Market) -> None:
    campaign = await market.add_campaign()
    ads = [an_ad_row(campaign) for _ in range(450)]
    await market.world.save(*ads)
    await market.show(ads[0], 99_500, 9_950)
    assert await market.update_rates() == 3
    assert len(await market.published()) >= 450
    assert await market.update_rates() == 0


async def test_events_counted_during_learning_are_learned_once(market: Market) -> None:
    ad = await market.add_ad()
    for _ in range(5):
        await market.show(ad, 1_900, 19)
        await market.update_rates()
    async with market.control.database.service() as session:
        seen, recent = (
            await session.execute(
                text("select seen_impressions, recent_impressions from ad_slot_evidence")
            )
        ).one()
    assert (seen, recent) == (9_500, 9_500.0)


async def test_an_ad_has_the_rates_of_others_in_a_slot_where_it_was_not_shown(
    market: Market,
) -> None:
    foot = a_slot_row(market.world.property, key="foot")
    await market.world.save(foot)
    other, ad, bound = [
        await market.add_ad(await market.add_campaign(pricing_model="cpc"), slot_ids=slot_ids)
        for slot_ids in ([], [], [market.slot_id])
    ]
    for slot_id, clicks in ((market.slot_id, 50), (foot.id, 5)):
        await market.show(other, 500, clicks, slot_id=slot_id)
    await market.update_rates()
    reported = await market.published()
    by_slot = {one.slot_id: one.clicks.ppm for one in reported[ad.id].by_slot}
    assert by_slot[market.slot_id] > reported[ad.id].clicks.ppm > by_slot[foot.id]
    assert foot.id not in {one.slot_id for one in reported[bound.id].by_slot}


async def test_nothing_is_learned_from_a_sample_account(market: Market) -> None:
    ad = await market.add_ad()
    await market.show(ad, 9_500, 95, 5)
    async with market.control.database.service() as session:
        mark = text("update accounts set is_sample = true where id = :id")
        await session.execute(mark, {"id": ad.account_id})
        before = await session.scalar(_EVIDENCE_OF, {"ad": ad.id})

    await market.update_rates()

    async with market.control.database.service() as session:
        assert before == await session.scalar(_EVIDENCE_OF, {"ad": ad.id}) == 0
