"""A budget a day: clipped by the day of the serve, in the campaign's own timezone."""

import asyncio
from datetime import UTC, datetime

from common.snapshot.model import ObjectType
from common.values.clock import to_ms
from tests.control.events.ingest.world import Edge, World


async def days(world: World, campaign: str) -> list[tuple[str, int]]:
    rows = await world.rows(
        "select day, spent_micros from campaign_spend_days where campaign_id = :id order by day",
        id=campaign,
    )
    return [(row.day.isoformat(), row.spent_micros) for row in rows]


async def test_a_days_budget_is_clipped_to_the_micro(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(daily_cents=1)
    await world.ingest([edge.event(campaign, price_micros=4_000) for _ in range(2)])
    await world.ingest([edge.event(campaign, price_micros=4_000) for _ in range(2)])
    rows = await world.events()
    assert sorted(row.charged_micros for row in rows) == [0, 2_000, 4_000, 4_000]
    assert sorted(row.reason for row in rows) == ["ok", "ok", "ok_over_budget", "ok_over_budget"]
    assert await world.spent_micros(campaign) == 10_000


async def test_a_day_that_is_used_up_does_not_end_the_campaign(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(daily_cents=1, budget_cents=100)
    await world.ingest([edge.event(campaign, price_micros=20_000)])
    assert await world.spent_micros(campaign) == 10_000
    assert world.flushed == []


async def test_a_rest_that_pays_for_no_impression_ends_the_campaign(
    world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign(budget_cents=1, bid_cents=300)
    status = "select status from campaigns where id = :id"
    found = []
    for count in (2, 1, 1):
        await world.ingest([edge.event(campaign, price_micros=3_000) for _ in range(count)])
        found.append((await world.rows(status, id=campaign))[0].status)

    assert found == ["active", "completed", "completed"]
    assert sorted(row.charged_micros for row in await world.events()) == [1_000, *[3_000] * 3]
    assert world.flushed[0] == (ObjectType.CAMPAIGN, campaign)


async def test_the_day_of_the_serve_pays_in_the_campaigns_timezone(
    world: World, edge: Edge
) -> None:
    """Auckland is twelve hours ahead in June: its midnight is noon in UTC."""
    midnight = datetime(2027, 6, 10, 12, tzinfo=UTC)
    world.clock.advance(ms=to_ms(midnight) - world.clock.now_ms() + 1_000)
    campaign = await world.add_campaign(daily_cents=1, timezone="Pacific/Auckland")
    served = [to_ms(midnight) - 1, to_ms(midnight)] * 2
    await world.ingest(
        [edge.event(campaign, price_micros=9_000, issued_ms=instant) for instant in served]
    )
    assert await days(world, campaign) == [("2027-06-10", 10_000), ("2027-06-11", 10_000)]
    assert sorted(row.charged_micros for row in await world.events()) == [
        1_000,
        1_000,
        9_000,
        9_000,
    ]


async def test_consumers_racing_for_a_day_never_overspend_it(world: World) -> None:
    campaign = await world.add_campaign(daily_cents=1)
    edges = [Edge(world) for _ in range(4)]
    await asyncio.gather(
        *(
            world.ingest(
                [one.event(campaign, price_micros=700) for _ in range(20)], partition=place
            )
            for place, one in enumerate(edges)
        )
    )
    assert await days(world, campaign) == [(world.clock.now().date().isoformat(), 10_000)]
    assert sum(row.charged_micros for row in await world.events()) == 10_000


async def test_days_add_up_to_what_was_spent_without_a_budget_too(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    await world.ingest([edge.event(campaign) for _ in range(3)])
    assert await days(world, campaign) == [(world.clock.now().date().isoformat(), 3_000)]
