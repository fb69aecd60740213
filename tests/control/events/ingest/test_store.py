"""What one poll becomes: rows, sums, money, and never twice."""

import asyncio
import random
import uuid
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text

from common.tracking.event import LogRecord
from common.values.enums import EventKind, PricingModel, QualitySignal, Reason, Source
from tests.control.events.ingest.world import FACTS, Edge, World, a_count, an_event


async def test_an_event_is_stored_with_its_charge(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    stored = await world.ingest([edge.event(campaign)])
    (row,) = await world.events()
    assert (row.kind, row.valid, row.reason, row.charged_micros) == ("impression", True, "ok", 1000)
    assert (stored.events, stored.charged_micros) == (1, 1000)
    assert await world.spent_micros(campaign) == 1000


async def test_events_of_a_sample_account_are_charged_to_budgets_and_not_billed(
    world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    async with world.database.service() as session:
        mark = text("update accounts set is_sample = true where id = :id")
        await session.execute(mark, {"id": world.account_id})

    await world.ingest([edge.event(campaign)])

    billed = "select 1 from charges where account_id = :id"
    assert await world.spent_micros(campaign) == 1000
    assert await world.rows(billed, id=world.account_id) == []


async def test_an_event_is_stored_with_its_agent_and_what_it_would_be_live(
    world: World, edge: Edge
) -> None:
    facts = replace(FACTS, user_agent_major="9" * 500, user_agent_pattern=r"bot\b")
    await world.ingest(
        [edge.event(facts=facts, is_test=True, reason=Reason.OK_TEST, live_reason=Reason.PREFETCH)]
    )
    (row,) = await world.events()
    assert (row.agent_family, row.agent_major, row.agent_pattern) == (
        "Firefox",
        "9" * 200,
        r"bot\b",
    )
    assert (row.reason, row.live_reason) == ("ok_test", "prefetch")


async def test_the_same_record_twice_is_one_event(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    record = edge.event(campaign)
    await world.ingest([record, record])
    again = await world.ingest([record], partition=1)
    assert len(await world.events()) == 1
    assert again.duplicates == 1
    assert await world.spent_micros(campaign) == 1000


async def test_a_retry_of_the_same_token_is_one_event(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    body = an_event(world, campaign)
    retry = Edge(world).wrap(replace(body, at_ms=body.at_ms + 500))
    await world.ingest([edge.wrap(body), edge.wrap(body), retry])
    assert len(await world.events()) == 1
    assert await world.spent_micros(campaign) == 1000


async def test_used_tokens_do_not_block_other_events(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    bodies = [an_event(world, campaign) for _ in range(10)]
    await world.ingest([edge.wrap(body) for body in bodies[3:6]])
    retries = Edge(world)
    stored = await world.ingest([retries.wrap(body) for body in bodies])
    assert (stored.events, stored.duplicates, stored.charged_micros) == (7, 3, 7000)
    assert len(await world.events()) == 10
    assert await world.spent_micros(campaign) == 10_000
    hours = await world.rows(
        "select sum(stored) as stored, sum(duplicates) as duplicates from writer_hours where writer = :writer",
        writer=str(retries.writer),
    )
    assert [(row.stored, row.duplicates) for row in hours] == [(7, 3)]


async def test_a_batch_larger_than_one_packing_is_stored_completely(
    world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign()
    stored = await world.ingest([edge.event(campaign) for _ in range(1_100)])
    assert (stored.events, stored.charged_micros) == (1_100, 1_100_000)
    assert len({row.id for row in await world.events()}) == 1_100
    assert await world.spent_micros(campaign) == 1_100_000


async def test_each_kind_of_a_token_counts(world: World, edge: Edge) -> None:
    body = an_event(world, await world.add_campaign())
    await world.ingest([edge.wrap(replace(body, kind=kind)) for kind in EventKind])
    assert sorted(row.kind for row in await world.events()) == ["click", "conversion", "impression"]


async def test_a_scanners_click_does_not_use_up_the_token_of_the_person(
    world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPC)
    click = an_event(
        world, campaign, kind=EventKind.CLICK, pricing_model=PricingModel.CPC, price_micros=50_000
    )
    scanner = replace(click, reason=Reason.MAIL_LINK_SCANNER)
    await world.ingest([edge.wrap(scanner), edge.wrap(click)])
    rows = await world.events()
    assert sorted((row.valid, row.charged_micros) for row in rows) == [(False, 0), (True, 50_000)]
    assert len({row.id for row in rows}) == 2


async def test_three_invalid_events_of_a_token_are_kept_and_no_more(
    world: World, edge: Edge
) -> None:
    bot = an_event(world, reason=Reason.BOT_USER_AGENT)
    first = await world.ingest([edge.wrap(bot), edge.wrap(bot)])
    second = await world.ingest([edge.wrap(bot), edge.wrap(bot), edge.wrap(bot)])
    assert len(await world.events()) == 3
    assert (first.surplus_invalid, second.surplus_invalid) == (0, 2)


async def test_an_invalid_event_costs_nothing(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    await world.ingest([edge.event(campaign, reason=Reason.DATACENTER_IP)])
    assert await world.spent_micros(campaign) is None


async def test_the_budget_is_clipped_to_the_micro(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(budget_cents=1)
    await world.ingest([edge.event(campaign, price_micros=4_000) for _ in range(5)])
    rows = await world.events()
    assert await world.spent_micros(campaign) == 10_000
    assert sorted(row.charged_micros for row in rows) == [0, 0, 2_000, 4_000, 4_000]
    assert sorted(row.reason for row in rows) == ["ok", "ok", *["ok_over_budget"] * 3]


async def test_events_of_several_prices_use_a_budget_up_in_their_order(
    world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign(budget_cents=1)
    prices = [4000, 1000, 4000, 3000, 1000]
    records = [edge.event(campaign, price_micros=price) for price in prices]
    other = await world.add_campaign()
    await world.ingest([*records, edge.event(other)])
    charged: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for row in await world.events():
        charged[row.price_micros].append((row.charged_micros, row.reason))
    assert sorted(charged[4000]) == [(4000, "ok"), (4000, "ok")]
    assert charged[3000] == [(1000, "ok_over_budget")]
    assert sorted(charged[1000]) == [(0, "ok_over_budget"), (1000, "ok"), (1000, "ok")]
    assert await world.spent_micros(campaign) == 10_000
    assert await world.spent_micros(other) == 1000


async def test_consumers_racing_for_a_budget_never_overspend(world: World) -> None:
    campaign = await world.add_campaign(budget_cents=1)
    edges = [Edge(world) for _ in range(4)]
    await asyncio.gather(
        *(
            world.ingest(
                [one.event(campaign, price_micros=700) for _ in range(20)], partition=place
            )
            for place, one in enumerate(edges)
        )
    )
    assert await world.spent_micros(campaign) == 10_000
    assert sum(row.charged_micros for row in await world.events()) == 10_000


async def test_edges_are_notified_once_that_a_budget_is_used_up(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(budget_cents=1)
    await world.ingest([edge.event(campaign, price_micros=9_000)])
    assert world.flushed == []
    await world.ingest([edge.event(campaign), edge.event(campaign)])
    await world.ingest([edge.event(campaign)])
    assert [(kind.value, name) for kind, name in world.flushed] == [("campaign", campaign)]


async def test_a_campaign_without_budget_left_is_completed(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(budget_cents=1)
    other = await world.add_campaign(budget_cents=1)
    await world.ingest([edge.event(campaign, price_micros=20_000), edge.event(other)])
    rows = await world.rows(
        "select id, status, version from campaigns where account_id = :account order by id",
        account=world.account_id,
    )
    assert [tuple(row) for row in rows] == [(campaign, "completed", 2), (other, "active", 1)]


async def test_test_events_touch_no_money_row(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(environment="test", budget_cents=1)
    await world.ingest(
        [edge.event(campaign, is_test=True, reason=Reason.OK_TEST) for _ in range(20)]
    )
    rows = await world.events()
    assert {(row.reason, row.charged_micros) for row in rows} == {("ok_test", 0)}
    assert await world.spent_micros(campaign) is None
    assert world.flushed == []


@pytest.mark.parametrize(
    ("model", "kind", "charged"),
    [
        (PricingModel.CPM, EventKind.CLICK, 0),
        (PricingModel.CPC, EventKind.CLICK, 1000),
        (PricingModel.CPC, EventKind.IMPRESSION, 0),
        (PricingModel.CPA, EventKind.CONVERSION, 0),
        (PricingModel.FLAT_RATE, EventKind.IMPRESSION, 0),
    ],
)
async def test_only_the_billed_kind_is_charged(
    world: World, edge: Edge, model: PricingModel, kind: EventKind, charged: int
) -> None:
    campaign = await world.add_campaign(pricing_model=model)
    await world.ingest([edge.event(campaign, pricing_model=model, kind=kind)])
    (row,) = await world.events()
    assert (row.charged_micros, row.reason) == (charged, "ok")


async def test_a_conversion_in_session_is_billed_where_the_campaign_says_so(
    world: World, edge: Edge
) -> None:
    campaign = await world.add_campaign(pricing_model=PricingModel.CPA, bill_in_session=True)
    conversion = edge.event(campaign, kind=EventKind.CONVERSION, pricing_model=PricingModel.CPA)
    await world.ingest([conversion])
    assert await world.spent_micros(campaign) == 1000


@pytest.mark.parametrize("is_test", [False, True])
async def test_a_preview_is_stored_and_counts_nowhere(
    world: World, edge: Edge, *, is_test: bool
) -> None:
    campaign = await world.add_campaign()
    preview = {"preview": True, "source": Source.PREVIEW, "is_test": is_test}
    await world.ingest(
        [edge.event(campaign, **preview), edge.event(campaign, kind=QualitySignal.START, **preview)]
    )

    assert [row.charged_micros for row in await world.events()] == [0]
    assert await world.spent_micros(campaign) is None
    for table in ("ad_counts", "ad_slot_counts", "event_hourly"):
        counted = f"select 1 from {table} where account_id = :account"  # noqa: S608
        assert await world.rows(counted, account=world.account_id) == []


async def test_an_unknown_campaign_is_stored_and_costs_nothing(world: World, edge: Edge) -> None:
    await world.ingest([edge.event(None)])
    (row,) = await world.events()
    assert (row.valid, row.charged_micros) == (True, 0)


async def test_an_order_converts_once(world: World, edge: Edge) -> None:
    def conversion(order_id: str, **changes: Any) -> LogRecord:
        return edge.event(kind=EventKind.CONVERSION, order_id=order_id, **changes)

    stored = await world.ingest(
        [conversion("o-1"), conversion("o-1"), conversion("o-2"), conversion("o-1", is_test=True)]
    )
    again = await world.ingest([conversion("o-2")])
    assert (stored.events, stored.duplicates, again.duplicates) == (3, 1, 1)


async def test_quality_signals_are_summed_and_not_listed(world: World, edge: Edge) -> None:
    body = an_event(world, kind=QualitySignal.VIEWABLE)
    await world.ingest([edge.wrap(body), edge.wrap(body)])
    assert await world.events() == []
    rows = await world.rows(
        "select kind, count from event_hourly where account_id = :account", account=world.account_id
    )
    assert [tuple(row) for row in rows] == [("viewable", 1)]


async def test_hours_and_ad_counts_agree_with_the_rows(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    body = an_event(world, campaign)
    tokens = [replace(body, token_id=uuid.uuid4()) for _ in range(5)]
    bots = [replace(one, reason=Reason.BOT_USER_AGENT) for one in tokens[:2]]
    await world.ingest([edge.wrap(one) for one in tokens[:3]])
    await world.ingest([edge.wrap(one) for one in [*tokens, *bots]])
    hours = await world.rows(
        "select reason, sum(count), sum(charged_micros) from event_hourly "
        "where account_id = :account group by reason order by reason",
        account=world.account_id,
    )
    ads = await world.rows(
        "select impressions, clicks from ad_counts where ad_id = :ad", ad=body.ad_id
    )
    assert [tuple(row) for row in hours] == [("bot_user_agent", 2, 0), ("ok", 5, 5000)]
    assert [tuple(row) for row in ads] == [(5, 0)]


async def test_an_event_long_in_the_spool_is_late_and_billed(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign()
    record = edge.event(campaign)
    world.clock.advance(ms=400_000)
    await world.ingest([record])
    (row,) = await world.events()
    assert (row.reason, row.valid, row.charged_micros) == ("ok_late", True, 1000)


async def test_three_consumers_with_the_same_records_in_any_order_count_them_once(
    world: World,
) -> None:
    campaign = await world.add_campaign()
    edge = Edge(world)
    bodies = [an_event(world, campaign) for _ in range(100)]
    records = [edge.wrap(body) for body in bodies] + [edge.wrap(body) for body in bodies]

    async def consume(seed: int) -> None:
        mine, source = list(records), world.another_log()
        random.Random(seed).shuffle(mine)
        for start in range(0, len(mine), 40):
            await world.ingest(mine[start : start + 40], source=source)

    await asyncio.gather(*(consume(seed) for seed in range(3)))
    rows = await world.events()
    assert len(rows) == len({row.id for row in rows}) == 100
    assert await world.spent_micros(campaign) == 100_000


async def test_a_replay_of_the_whole_log_changes_nothing(world: World, edge: Edge) -> None:
    campaign = await world.add_campaign(budget_cents=1)
    slot = a_count(world.property_id, world.slot_id, "no_candidates", 3)
    records: list[LogRecord | bytes] = [edge.event(campaign) for _ in range(20)]
    records += [edge.counter([slot]), edge.event(reason=Reason.PREFETCH), b"poison"]

    async def state() -> list[list[tuple[object, ...]]]:
        tables = ("events", "event_hourly", "serve_hourly", "ad_counts", "campaign_spend")
        return [
            [
                tuple(row)
                for row in await world.rows(
                    f"select * from {table} where account_id = :account order by 1, 2, 3",  # noqa: S608
                    account=world.account_id,
                )
            ]
            for table in tables
        ]

    await world.ingest(records)
    first = await state()
    stored = await world.ingest(records, source=world.another_log())
    assert await state() == first
    assert (stored.events, stored.charged_micros) == (0, 0)


async def test_an_ad_is_counted_in_each_slot_from_valid_events_that_are_no_preview(
    world: World, edge: Edge
) -> None:
    body = an_event(world, await world.add_campaign())
    clicked = replace(body, kind=EventKind.CLICK)
    elsewhere = an_event(world, ad_id=body.ad_id, slot_id=uuid.uuid4())
    left_out = [
        an_event(world, ad_id=body.ad_id, reason=Reason.BOT_USER_AGENT),
        an_event(world, ad_id=body.ad_id, preview=True),
    ]
    await world.ingest([edge.wrap(one) for one in (body, clicked, elsewhere, *left_out)])
    rows = await world.rows(
        "select slot_id, impressions, clicks, conversions from ad_slot_counts where ad_id = :ad",
        ad=body.ad_id,
    )
    assert {tuple(row) for row in rows} == {(body.slot_id, 1, 1, 0), (elsewhere.slot_id, 1, 0, 0)}


@pytest.mark.parametrize("kind", [*EventKind, *QualitySignal])
async def test_events_that_edges_summed_count_as_invalid_once_and_cost_nothing(
    world: World, edge: Edge, kind: str
) -> None:
    campaign, ad = await world.add_campaign(), str(uuid.uuid4())
    shown = (world.property_id, world.slot_id, campaign, ad)
    row = (*shown, kind, "banner", "auction", "web", 1_234)
    record = edge.counter([], exceeded=(row,))
    await world.ingest([record, record, edge.counter([], exceeded=(row,))])
    await world.ingest([record], source=world.another_log())

    found = await world.rows(
        "select ad_id, kind, reason, count, charged_micros from event_hourly where campaign_id = :id",
        id=campaign,
    )
    assert [tuple(one) for one in found] == [(uuid.UUID(ad), kind, "rate_exceeded", 2_468, 0)]
    assert await world.events() == []


async def test_a_sum_of_an_unknown_kind_is_a_dead_letter(world: World, edge: Edge) -> None:
    ids = [str(uuid.uuid4()) for _ in range(4)]
    stored = await world.ingest(
        [edge.counter([], exceeded=((*ids, "x", "banner", "auction", "web", 1),))]
    )
    assert stored.dead == 1
