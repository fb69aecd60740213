"""Taking events back: a correction beside each, everything that counted it one less, the money given back once."""

import asyncio
from datetime import timedelta

from common.snapshot.model import ObjectType
from common.values.clock import to_ms
from common.values.enums import EventKind, PricingModel, Reason
from control.billing.ledger.entries import REVENUE, WALLET, payable
from tests.control.events.corrections.desk import Desk
from tests.control.events.ingest.world import Edge

CLICK = EventKind.CLICK


async def test_a_correction_stands_beside_what_it_corrects(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign()
    await desk.ingest([edge.event(campaign, country="de", device="mobile")])
    (original,) = await desk.events()
    desk.clock.advance(ms=3 * 3_600_000)

    done = await desk.retract(original.id)
    first, correction = await desk.events()

    assert (done.events, done.micros) == (1, 1000)
    assert first == original
    assert (correction.corrects, correction.reason, correction.valid) == (
        original.id,
        "retracted",
        False,
    )
    assert (correction.charged_micros, correction.at) == (-1000, desk.clock.now())
    assert (correction.kind, correction.country, correction.device) == (
        "impression",
        "de",
        "mobile",
    )
    assert (correction.token_id, correction.campaign_id) == (
        original.token_id,
        original.campaign_id,
    )
    assert correction.xid > original.xid


async def test_everything_that_counted_it_counts_one_less(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign()
    await desk.ingest([edge.event(campaign) for _ in range(3)])
    before = await desk.check()
    await desk.retract((await desk.events())[0].id)

    assert before == {"counted": 3, "not_counted": 0, "micros": 3000}
    assert await desk.check() == {"counted": 2, "not_counted": 0, "micros": 2000}


async def test_it_counts_in_the_hour_it_is_made_and_no_hour_before_changes(
    desk: Desk, edge: Edge
) -> None:
    campaign = await desk.add_campaign()
    await desk.ingest([edge.event(campaign)])
    hours = "select hour, reason, count, charged_micros from event_hourly where account_id = :account order by 1, 2"
    (before,) = await desk.rows(hours, account=desk.account_id)
    desk.clock.advance(ms=2 * 3_600_000)
    await desk.retract((await desk.events())[0].id)

    first, *made = await desk.rows(hours, account=desk.account_id)
    assert first == before
    assert [(row.reason, row.count, row.charged_micros) for row in made] == [
        ("retracted", -1, -1000),
    ]
    assert {row.hour for row in made} == {
        desk.clock.now().replace(minute=0, second=0, microsecond=0)
    }


async def test_nothing_is_taken_back_twice_whoever_asks_at_once(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign()
    await desk.ingest([edge.event(campaign) for _ in range(4)])
    ids = [row.id for row in await desk.events()]
    done = await asyncio.gather(*(desk.retract(*ids) for _ in range(4)))
    desk.clock.advance(ms=3 * 86_400_000)
    again = await desk.retract(*ids)

    assert sum(one.events for one in done) == 4
    assert (again.events, again.micros) == (0, 0)
    assert await desk.check() == {"counted": 0, "not_counted": 0, "micros": 0}


async def test_the_money_comes_back_by_an_entry_of_its_own(desk: Desk, edge: Edge) -> None:
    await desk.set_share(50)
    campaign = await desk.add_campaign()
    await desk.ingest([edge.event(campaign), edge.event(campaign)])
    await desk.post_spend()
    entries = (
        "select kind, reference from ledger_entries where account_id = :account order by at, id"
    )
    before = await desk.rows(entries, account=desk.account_id)

    await desk.retract((await desk.events())[0].id)
    await desk.post_spend()

    after = await desk.rows(entries, account=desk.account_id)
    assert after[: len(before)] == before
    assert len(after) == len(before) + 1
    assert await desk.balances() == {WALLET: -1000, REVENUE: 500, payable(desk.property_id): 500}


async def test_a_month_that_is_over_stays_as_it_was(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign()
    await desk.ingest([edge.event(campaign), edge.event(campaign)])
    await desk.post_spend()
    months = (
        "select month, units, micros from spend_months where account_id = :account order by month"
    )
    (before,) = await desk.rows(months, account=desk.account_id)
    desk.clock.advance(ms=40 * 86_400_000)

    await desk.retract((await desk.events())[0].id)
    await desk.post_spend()
    first, now = await desk.rows(months, account=desk.account_id)

    assert first == before
    assert (now.month, now.units, now.micros) == (desk.clock.now().date().replace(day=1), -1, -1000)


async def test_a_budget_that_was_used_up_has_room_again(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign(budget_cents=1)
    await desk.ingest([edge.event(campaign) for _ in range(10)])
    status = "select status from campaigns where id = :id"
    assert (await desk.rows(status, id=campaign))[0].status == "completed"

    done = await desk.retract((await desk.events())[0].id)

    assert done.reopened == [campaign]
    assert (await desk.rows(status, id=campaign))[0].status == "active"
    assert desk.flushed[-1] == (ObjectType.CAMPAIGN, campaign)
    await desk.ingest([edge.event(campaign)])
    assert (await desk.check())["micros"] == 10_000


async def test_a_campaign_that_is_over_does_not_begin_again(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign(budget_cents=1)
    await desk.ingest([edge.event(campaign) for _ in range(10)])
    ended = desk.clock.now() - timedelta(seconds=1)
    await desk.run("update campaigns set end_at = :at where id = :id", at=ended, id=campaign)

    assert (await desk.retract((await desk.events())[0].id)).reopened == []


async def test_the_day_of_the_serve_gets_its_money_back(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign(daily_cents=1, timezone="Asia/Tokyo")
    await desk.ingest([edge.event(campaign) for _ in range(12)])
    charged = [row for row in await desk.events() if row.charged_micros]
    await desk.retract(charged[0].id)
    await desk.ingest([edge.event(campaign), edge.event(campaign)])

    assert sorted(row.charged_micros for row in (await desk.events())[-2:]) == [0, 1000]


async def test_clicks_give_back_what_clicks_cost(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign(pricing_model=PricingModel.CPC)
    priced = {"pricing_model": PricingModel.CPC, "price_micros": 70_000}
    await desk.ingest([edge.event(campaign, **priced), edge.event(campaign, kind=CLICK, **priced)])
    await desk.retract(*(row.id for row in await desk.events()))

    charges = "select kind, units, micros from charges where account_id = :account order by id"
    rows = [tuple(row) for row in await desk.rows(charges, account=desk.account_id)]
    assert rows == [("click", 1, 70_000), ("click", -1, -70_000)]
    assert (await desk.check())["micros"] == 0


async def test_what_never_counted_is_not_taken_back(desk: Desk, edge: Edge) -> None:
    campaign = await desk.add_campaign()
    await desk.ingest([edge.event(campaign, reason=Reason.BOT_USER_AGENT), edge.event(campaign)])
    robot = next(row for row in await desk.events() if not row.valid)
    assert (await desk.retract(robot.id)).events == 0

    valid = next(row for row in await desk.events() if row.valid)
    await desk.retract(valid.id)
    correction = next(row for row in await desk.events() if row.corrects)
    assert (await desk.retract(correction.id)).events == 0
    assert to_ms(correction.at) == desk.clock.now_ms()


async def test_taking_back_test_traffic_moves_no_money(desk: Desk, edge: Edge) -> None:
    await desk.ingest([edge.event(is_test=True, reason=Reason.OK_TEST)])
    done = await desk.retract((await desk.events())[0].id)

    assert (done.events, done.micros) == (1, 0)
    assert not await desk.rows("select 1 from charges where account_id = :id", id=desk.account_id)
